/**
 * `POST /partners/{name}/notices`: partners' notices, signed as Standard Webhooks (docs/partners.md). The message is
 * stored before its body is read, unless it contains a card number anywhere. A message that is sent again gets the same
 * answer, and is applied once.
 */
import type { Express, Request } from 'express';
import { ApiError } from '../errors/errors.ts';
import { keepPartnerNotice } from '../outside/notices/partner-notice-store.ts';
import { CALL_ID_PREFIX, type Partner, type PartnerMessage } from '../outside/party/partner.ts';
import { hasCardNumber } from '../values/card-number.ts';
import { newId } from '../values/ids.ts';
import { verify } from '../values/standard-webhooks.ts';
import { AddressFailures } from './authentication/address-failures.ts';
import { networkOf } from './connections/network-of.ts';
import { readBody } from './input/request-body.ts';
import type { PipelineParts } from './pipeline/pipeline.ts';
import { closePath } from './pipeline/router.ts';

const PATH = '/partners/:name/notices';

/** Many times the longest notice of the contract. What is kept is kept for months. */
const NOTICE_BYTES_MAX = 8_192;
const WEBHOOK_ID_MAX = 255;
/** By address: a partner that catches up after an outage sends hundreds. */
const REQUESTS_PER_SECOND = 500;
/** Wrong signatures by address and minute: a secret that was changed on one side alone is tried for a while. */
const FAILURES_PER_MINUTE = 60;

export function mountPartners(app: Express, parts: PipelineParts): void {
  const failures = new AddressFailures({ limit: FAILURES_PER_MINUTE });
  const mounted = app.route(PATH).post(async (request) => {
    request.context.route = PATH;
    await takeNotice(request, parts, failures);
    request.context.send({ status: 204, body: '' });
  });
  closePath(mounted, PATH, ['POST']);
}

async function takeNotice(
  request: Request,
  { runtime, services }: PipelineParts,
  failures: AddressFailures,
): Promise<void> {
  const { address } = request.context;
  const network = networkOf(address);
  if (network !== undefined) {
    const { allowed, resetSeconds } = await services.limiter.take(`partners:${network}`, REQUESTS_PER_SECOND);
    if (!allowed) throw limited(resetSeconds);
  }
  const blockedSeconds = failures.blockedForSeconds(address);
  if (blockedSeconds > 0) throw limited(blockedSeconds);
  const name = String(request.params.name);
  const partners = [runtime.acquirers, runtime.processors, runtime.rails].flatMap((parties) => parties.partners());
  const partner = partners.find((known) => known.name === name);
  if (!partner)
    throw new ApiError('resource_not_found', { param: 'name', detail: 'There is no partner of this name here.' });
  const message = { partner: name, webhookId: webhookIdOf(request), body: await readText(request) };
  requireSignature(request, { partner, body: message.body, failures });
  if (isOurs(message)) {
    failures.count(address);
    throw new ApiError('signature_invalid', {
      detail: 'The message is not taken: it is one that was signed for the partner, and no notice of theirs.',
    });
  }
  requireNoCardNumber(message.body);
  const kept = await keepPartnerNotice(runtime.pool, message, { id: newId(), now: runtime.clock.now() });
  if (kept === 'conflict')
    throw new ApiError('state_conflict', {
      param: 'webhook-id',
      detail:
        'Another message was kept under this webhook-id. Each message has an id of its own, the same on every attempt.',
    });
}

function webhookIdOf({ headers }: Request): string {
  const id = headers['webhook-id'];
  if (typeof id === 'string' && id.length <= WEBHOOK_ID_MAX && /^[\x21-\x7e]+$/.test(id)) return id;
  throw new ApiError('parameter_invalid', {
    param: 'webhook-id',
    detail: `Expects 1 to ${WEBHOOK_ID_MAX} visible ASCII characters.`,
  });
}

/** The text is the bytes: only UTF-8 is read, so what is verified and kept is what was sent. */
function readText(request: Request): Promise<string> {
  let bytes = 0;
  return readBody(request, (more) => {
    bytes += more;
    if (bytes > NOTICE_BYTES_MAX)
      throw new ApiError('payload_too_large', {
        detail: `The body is larger than ${NOTICE_BYTES_MAX} bytes.`,
        facts: { limit: NOTICE_BYTES_MAX },
      });
  });
}

function requireSignature(
  { headers, context }: Request,
  { partner, body, failures }: { partner: Partner; body: string; failures: AddressFailures },
): void {
  const fault = verify({ headers, body }, partner.noticeKeys, Math.floor(Date.now() / 1_000));
  if (fault === undefined) return;
  failures.count(context.address);
  throw new ApiError('signature_invalid', { detail: `The message is not taken: ${fault}.` });
}

/** Whether we signed it: a call of ours, by its id or by its body. */
function isOurs({ webhookId, body }: PartnerMessage): boolean {
  if (webhookId.startsWith(CALL_ID_PREFIX)) return true;
  try {
    const read: unknown = JSON.parse(body);
    return typeof read === 'object' && read !== null && Object.hasOwn(read, 'call');
  } catch {
    // Not JSON: nothing of ours.
    return false;
  }
}

/** After the signature: only a partner can probe what counts as a card number. */
function requireNoCardNumber(body: string): void {
  if (cardNumberStandsIn(body))
    throw new ApiError('card_number_not_allowed', {
      detail: 'The body contains a card number. Nothing of it was kept.',
    });
}

/** Of docs/partners.md: what the partner calls things by may look like a card number. */
const REFERENCES: readonly string[] = [
  ...['merchant', 'program', 'originator'],
  ...['reference', 'acquirer_reference', 'processor_reference', 'rail_reference'],
  ...['bank_account', 'bank_reference', 'end_to_end_id'],
];

/** A string of JSON, and the colon behind it where it is a name. */
const STRING = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

/**
 * Searches the text as it is written, and each of its JSON strings as it is read, names included: digits may be written
 * as escapes, or follow the letter of one. The strings come from the text, because a parsed body has only the last of a
 * repeated member. Texts of references are left out.
 */
function cardNumberStandsIn(body: string): boolean {
  try {
    JSON.parse(body);
  } catch {
    // It is kept and shown as it came.
    return hasCardNumber(body);
  }
  let found = false;
  let isReference = false;
  let end = 0;
  const rest = body.replace(STRING, (written, colon: string | undefined, at: number) => {
    const text = JSON.parse(colon === undefined ? written : written.slice(0, -colon.length)) as string;
    // Its value begins right behind the colon: what is in a list or an object there has another place.
    if (colon === undefined && isReference && body.slice(end, at).trim() === '') return '""';
    found ||= hasCardNumber(text);
    isReference = colon !== undefined && REFERENCES.includes(text);
    end = at + written.length;
    return written;
  });
  return found || hasCardNumber(rest);
}

function limited(seconds: number): ApiError {
  return new ApiError('rate_limited', { headers: { 'Retry-After': String(seconds) } });
}
