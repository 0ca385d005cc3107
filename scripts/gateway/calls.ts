/** The calls of the contract, as the reference gateway answers them. Throws NotOfContract for a body that does not fit. */
import {
  amountOrNull,
  currencyOrNull,
  moment,
  NotOfContract,
  objectOrNull,
  REFERENCE_MAX,
  TOKEN_MAX,
  whole,
  word,
  wordOrNull,
} from '../../src/outside/gateway/fields.ts';
import type { JsonObject } from '../../src/values/json.ts';
import { type GatewayCard, type Instruction, keyOf, networkCodeOf } from './records.ts';
import type { Given, Rules } from './rules.ts';

/** What is sent, or that the connection breaks without an answer. */
export type CallAnswer = { readonly status: number; readonly body: object } | 'no answer';

const AUTHORIZES = ['authorize'];
const FOLLOWS = ['increment', 'capture', 'void', 'refund'];
const ANSWERS_DISPUTES = ['evidence', 'accept_dispute'];

/** The call of each path: a body that was signed for another is refused. */
export const CALLS: Readonly<Record<string, string>> = {
  '/tokens': 'tokenize',
  '/tokens/code': 'code',
  '/tokens/verify': 'verify',
  '/tokens/card': 'card',
  '/instructions': 'submit',
  '/sessions': 'session',
  '/instructions/inquire': 'inquire',
  '/instructions/cancel': 'cancel',
};

export function answerCall(rules: Rules, body: JsonObject, pagesUrl: string): CallAnswer {
  const originator = word(body, 'merchant', REFERENCE_MAX);
  switch (body.call) {
    case 'tokenize': {
      const card = objectOrNull(body, 'card');
      if (card === null) throw new NotOfContract('card is missing');
      const given = {
        number: word(card, 'number', 19),
        expMonth: whole(card, 'exp_month', { min: 1, max: 12 }),
        expYear: whole(card, 'exp_year', { min: 2000, max: 2199 }),
        hasCode: wordOrNull(card, 'cvc', 4) !== null,
      };
      const kept = rules.records.keepCard(given, { originator, reusable: body.reusable === true });
      return kept ? ok({ token: kept.token, card: shown(kept) }) : CARD_REFUSED;
    }
    case 'code':
    case 'verify':
    case 'card': {
      const card = rules.records.cards.get(word(body, 'token', TOKEN_MAX));
      if (card?.originator !== originator) return CARD_REFUSED;
      if (body.call === 'code') return ok({ token: rules.records.withCode(card).token });
      if (body.call === 'verify') return verify(card);
      return card.reusable ? ok({ card: shown(card) }) : CARD_REFUSED;
    }
    case 'inquire':
      return inquire(rules, { originator, reference: word(body, 'reference', REFERENCE_MAX) }, pagesUrl);
    case 'cancel':
      return ok(answerOf(rules.cancel(originator, word(body, 'reference', REFERENCE_MAX)), pagesUrl));
    default:
      return submit(rules, body, pagesUrl);
  }
}

const ok = (body: object): CallAnswer => ({ status: 200, body });
const CARD_REFUSED: CallAnswer = { status: 422, body: { code: 'card_refused' } };

function submit(rules: Rules, body: JsonObject, pagesUrl: string): CallAnswer {
  const given = givenBy(body);
  if (AUTHORIZES.includes(given.kind)) {
    const isSession = body.call === 'session';
    const outcome = rules.authorize({
      ...given,
      token: isSession ? null : wordOrNull(body, 'token', TOKEN_MAX),
      isRequest: objectOrNull(body, 'request') !== null,
      capture: body.capture === true,
      initiator: word(body, 'initiator', 16),
      returnUrl: wordOrNull(body, 'return_url', 2_000),
      hasAddress: (objectOrNull(body, 'billing')?.address ?? null) !== null,
    });
    if (outcome === 'lost' || !outcome.isAnswered) return 'no answer';
    return ok(answerOf(outcome.instruction, pagesUrl));
  }
  const of = word(body, 'of', REFERENCE_MAX);
  const instruction = FOLLOWS.includes(given.kind)
    ? rules.follow({ ...given, of, final: body.final === true })
    : ANSWERS_DISPUTES.includes(given.kind)
      ? rules.answerDispute({ ...given, of })
      : undefined;
  if (instruction) return ok(answerOf(instruction, pagesUrl));
  return { status: 422, body: { code: 'instruction_refused', reference: given.reference } };
}

function givenBy(body: JsonObject): Given {
  const amount = amountOrNull(body, 'amount');
  const currency = currencyOrNull(body, 'currency');
  if (amount === null || currency === null) throw new NotOfContract('amount or currency is missing');
  return {
    originator: word(body, 'merchant', REFERENCE_MAX),
    reference: word(body, 'reference', REFERENCE_MAX),
    kind: word(body, 'kind', 32),
    amount,
    currency,
    notAfter: moment(body, 'not_after'),
  };
}

function inquire(rules: Rules, asked: { originator: string; reference: string }, pagesUrl: string): CallAnswer {
  const known = rules.records.find(asked.originator, asked.reference);
  if (known) return ok(answerOf(known, pagesUrl));
  // An instruction that its card loses never comes: not_found is final at once.
  const lostUntil = rules.records.lost.get(keyOf(asked.originator, asked.reference));
  const asOf = lostUntil === undefined ? Date.now() : lostUntil + 1;
  const { originator: merchant, reference } = asked;
  return ok({ merchant, reference, status: 'not_found', as_of: new Date(asOf).toISOString() });
}

function verify(card: GatewayCard): CallAnswer {
  if (card.script === 'lost' || card.script === 'unanswered') return 'no answer';
  const network_reference = `NW${card.token.slice(-12)}`;
  const approved = ['approved', 'disputed', 'refund_fails', 'challenge', 'challenge_declined'].includes(card.script);
  if (approved)
    return ok({ status: 'succeeded', network_code: '00', cvc: card.hasCode ? 'match' : null, network_reference });
  return ok({ status: 'declined', code: card.script, network_code: networkCodeOf({ code: card.script as never }) });
}

/** The gateway's report of an instruction, alike on every call. */
function answerOf(instruction: Instruction, pagesUrl: string): object {
  const { originator: merchant, reference, status, amount, currency, code, kind, card, page } = instruction;
  const { acquirerReference } = instruction;
  const isApproved = kind === 'authorize' && status === 'succeeded';
  return {
    merchant,
    reference,
    status,
    // Without an amount where it was canceled before it came.
    ...(currency === '' ? {} : { amount, currency }),
    acquirer_reference: acquirerReference,
    ...(code === null ? {} : { code }),
    network_code: networkCodeOf(instruction),
    ...(isApproved
      ? {
          authorization: {
            code: acquirerReference.slice(-6),
            network: card?.brand ?? null,
            network_reference: `NW${acquirerReference.slice(2)}`,
            avs: instruction.avs,
            cvc: instruction.cvc,
            eci: instruction.challenged ? '05' : null,
            three_d_secure: instruction.challenged ? 'authenticated' : null,
          },
        }
      : {}),
    ...(page === null
      ? {}
      : { challenge: { url: `${pagesUrl}/pages/${page.id}`, expires_at: new Date(page.expiresAt).toISOString() } }),
  };
}

function shown({ brand, lastFour, expMonth, expYear, funding }: GatewayCard): object {
  return { brand, last_four: lastFour, exp_month: expMonth, exp_year: expYear, funding, country: 'US' };
}
