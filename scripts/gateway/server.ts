/**
 * The reference gateway: a partner's side of docs/partners.md, as an acquirer with its pages for payers, as a processor, and as a rail. In
 * memory: it forgets all when it ends.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { NotOfContract, readObject } from '../../src/outside/gateway/fields.ts';
import { CALL_ID_PREFIX } from '../../src/outside/party/partner.ts';
import { toJson } from '../../src/values/json.ts';
import { createSigningKey, verify } from '../../src/values/standard-webhooks.ts';
import { answerCall, CALLS, type CallAnswer } from './calls.ts';
import { answerCardCall, CARD_CALLS } from './card-calls.ts';
import { CardOrders } from './card-orders.ts';
import { CREDITS_PATH, Credits, playCredit } from './credits.ts';
import { NoticeSender } from './notices.ts';
import { servePage } from './pages.ts';
import { answerPayoutCall, PAYOUT_CALLS } from './payout-calls.ts';
import { PayoutOrders } from './payout-orders.ts';
import { Rules } from './rules.ts';

export interface GatewayOptions {
  readonly secrets: readonly string[];
  readonly port?: number;
  /** How long each call takes. */
  readonly delayMs?: number | undefined;
  /** Where notices go: `…/partners/{name}/notices`. May be set later. */
  readonly noticesUrl?: string;
  /** The same for those of the processor. */
  readonly cardNoticesUrl?: string;
  /** The same for those of the rail. */
  readonly payoutNoticesUrl?: string;
}

/** A failure of a call, for trials and tests. Undefined: no failure. */
export type Fault =
  /** The connection breaks before the gateway has read the call. */
  | 'unheard'
  /** The call is carried out, and the connection breaks before its answer. */
  | 'unanswered'
  /** Never answered; the connection stays open. */
  | 'hangs'
  /** Another answer is sent in place of the gateway's own. */
  | ((answer: Exclude<CallAnswer, 'no answer'>) => { status: number; body: string; headers?: Record<string, string> });

export interface Gateway {
  readonly url: string;
  readonly rules: Rules;
  readonly notices: NoticeSender;
  /** As a processor. */
  readonly cards: CardOrders;
  readonly cardNotices: NoticeSender;
  /** As a rail. */
  readonly payouts: PayoutOrders;
  /** What arrives on its account: reported as by a rail. */
  readonly credits: Credits;
  readonly payoutNotices: NoticeSender;
  /** Asked about each call by its name. */
  faultOf: (call: string) => Fault | undefined;
  /** Awaited before each call is read, by its name and body: a gateway that is slow. */
  delayOf: (call: string, body: string) => Promise<unknown> | undefined;
  noticesUrl: string | undefined;
  cardNoticesUrl: string | undefined;
  payoutNoticesUrl: string | undefined;
  /** A rotation: every one of them signs, and one valid signature is enough. */
  secrets: readonly string[];
  close(): Promise<void>;
}

const BODY_BYTES_MAX = 65_536;

/** Their `webhook-id` is the reference of the instruction. */
const NAMED_BY_REFERENCE = ['submit', 'session', 'card_submit', 'payout_submit'];

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const keys = () => gateway.secrets.map(createSigningKey);
  const notices = new NoticeSender({ url: () => gateway.noticesUrl, keys });
  const cardNotices = new NoticeSender({ url: () => gateway.cardNoticesUrl, keys });
  const payoutNotices = new NoticeSender({ url: () => gateway.payoutNoticesUrl, keys });
  const payouts = new PayoutOrders({ notify: (notice) => payoutNotices.send(notice) });
  const credits = new Credits({ notify: (notice) => payoutNotices.send(notice) });
  const cards = new CardOrders({ notify: (notice) => cardNotices.send(notice) });
  const rules = new Rules({ notify: (notice) => notices.send(notice) });
  const server = createServer((request, response) => {
    serve(gateway, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const gateway: Gateway = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    rules,
    notices,
    cards,
    cardNotices,
    payouts,
    credits,
    payoutNotices,
    faultOf: () => undefined,
    delayOf: () => (options.delayMs === undefined ? undefined : delay(options.delayMs)),
    noticesUrl: options.noticesUrl,
    cardNoticesUrl: options.cardNoticesUrl,
    payoutNoticesUrl: options.payoutNoticesUrl,
    secrets: options.secrets,
    async close() {
      notices.close();
      cardNotices.close();
      payoutNotices.close();
      cards.close();
      await closed(server);
    },
  };
  return gateway;
}

async function serve(gateway: Gateway, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', gateway.url);
  const text = await readText(request);
  if (pathname.startsWith('/pages/')) {
    servePage(gateway.rules, { request, response, pathname, text });
    return;
  }
  if (pathname.startsWith('/card-pages/')) {
    const shown = gateway.cards.show(pathname);
    response.writeHead(shown === undefined ? 404 : 200, { 'content-type': 'text/plain', 'cache-control': 'no-store' });
    response.end(shown ?? 'There is no such page, or it was shown.');
    return;
  }
  if (request.method === 'POST' && pathname === CREDITS_PATH) {
    const played = playCredit(gateway.credits, text);
    if (played !== 'no answer') send(response, played);
    return;
  }
  const call = CALLS[pathname] ?? CARD_CALLS[pathname] ?? PAYOUT_CALLS[pathname];
  if (request.method !== 'POST' || call === undefined) {
    send(response, { status: 404, body: { code: 'no_route' } });
    return;
  }
  await gateway.delayOf(call, text);
  const fault = gateway.faultOf(call);
  const answer = fault === 'unheard' ? 'no answer' : signedAnswer(gateway, { request, call, text });
  if (fault === 'hangs') return;
  if (answer === 'no answer' || fault === 'unanswered') response.destroy();
  else if (fault === undefined) send(response, answer);
  else {
    const { status, body, headers } = (fault as Exclude<Fault, string>)(answer);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  }
}

function signedAnswer(
  gateway: Gateway,
  { request, call, text }: { request: IncomingMessage; call: string; text: string },
): CallAnswer {
  const keys = gateway.secrets.map(createSigningKey);
  const fault = verify({ headers: request.headers, body: text }, keys, Math.floor(Date.now() / 1_000));
  if (fault !== undefined) return { status: 401, body: { code: 'signature_invalid', detail: fault } };
  const id = String(request.headers['webhook-id']);
  // What this side signs has another id: a notice of ours that comes back is no call.
  if (!id.startsWith(CALL_ID_PREFIX)) return { status: 401, body: { code: 'signature_invalid', detail: 'no call' } };
  try {
    const body = readObject(text);
    if (body.call !== call) throw new NotOfContract('call is not the one of this path');
    if (NAMED_BY_REFERENCE.includes(call) && id !== CALL_ID_PREFIX + String(body.reference))
      throw new NotOfContract('webhook-id is not the reference');
    if (call.startsWith('payout_')) return answerPayoutCall(gateway.payouts, body);
    return call.startsWith('card_')
      ? answerCardCall(gateway.cards, body, gateway.url)
      : answerCall(gateway.rules, body, gateway.url);
  } catch (error) {
    if (!(error instanceof NotOfContract)) throw error;
    return { status: 400, body: { code: 'not_of_contract', detail: error.message } };
  }
}

function send(response: ServerResponse, { status, body }: { status: number; body: object }): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(toJson(body));
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += (part as Buffer).length;
    if (bytes > BODY_BYTES_MAX) throw new Error('The body is too long');
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts).toString();
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
