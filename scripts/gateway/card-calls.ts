/** The calls of the contract about cards that are made, as the reference gateway answers them. Throws NotOfContract for a body that does not fit. */
import {
  currencyOrNull,
  moment,
  momentOrNull,
  NotOfContract,
  objectOrNull,
  oneOf,
  oneOfOrNull,
  REFERENCE_MAX,
  whole,
  word,
} from '../../src/outside/gateway/fields.ts';
import type { JsonObject } from '../../src/values/json.ts';
import type { CallAnswer } from './calls.ts';
import type { CardOrder, CardOrders, GivenMaking, GivenOrder } from './card-orders.ts';
import { keyOf } from './records.ts';

/** The call that each path takes. */
export const CARD_CALLS: Readonly<Record<string, string>> = {
  '/cards/instructions': 'card_submit',
  '/cards/instructions/inquire': 'card_inquire',
  '/cards/reveal': 'card_reveal',
};

const STATES = ['pending_activation', 'active', 'frozen', 'closed'] as const;
const FIRST_STATES = ['pending_activation', 'active', 'frozen'] as const;
const REASONS = ['lost', 'stolen', 'damaged', 'renewal'] as const;
const VERSION_MAX = 2 ** 31 - 1;

export function answerCardCall(orders: CardOrders, body: JsonObject, pagesUrl: string): CallAnswer {
  const program = word(body, 'program', REFERENCE_MAX);
  switch (body.call) {
    case 'card_inquire':
      return inquire(orders, program, word(body, 'reference', REFERENCE_MAX));
    case 'card_reveal': {
      const card = orders.findCard(program, word(body, 'card_reference', REFERENCE_MAX));
      const what = oneOf(body, 'what', ['details', 'pin']);
      if (!card) return { status: 422, body: { code: 'card_unknown' } };
      if (card.state === 'closed') return { status: 422, body: { code: 'card_closed' } };
      const { path, expiresAt } = orders.openPage(card, what);
      const { cardReference: card_reference } = card;
      return ok({ program, card_reference, url: pagesUrl + path, expires_at: new Date(expiresAt).toISOString() });
    }
    default:
      return submit(orders, body);
  }
}

const ok = (body: object): CallAnswer => ({ status: 200, body });

function submit(orders: CardOrders, body: JsonObject): CallAnswer {
  const given: GivenOrder = {
    program: word(body, 'program', REFERENCE_MAX),
    reference: word(body, 'reference', REFERENCE_MAX),
    kind: word(body, 'kind', 32),
    notAfter: momentOrNull(body, 'not_after'),
  };
  switch (given.kind) {
    case 'issue':
    case 'replace': {
      const order = orders.make(makingOf(body, given));
      return order === 'lost' || !order.isAnswered ? 'no answer' : ok(answerOf(order));
    }
    case 'state':
    case 'unblock_pin': {
      const isState = given.kind === 'state';
      const state = isState ? oneOf(body, 'state', STATES) : null;
      const version = isState ? whole(body, 'version', { min: 1, max: VERSION_MAX }) : 0;
      const order = orders.change({ ...given, of: word(body, 'of', REFERENCE_MAX), state, version });
      return order.isAnswered ? ok(answerOf(order)) : 'no answer';
    }
    default:
      return { status: 422, body: { code: 'instruction_refused', reference: given.reference } };
  }
}

function makingOf(body: JsonObject, given: GivenOrder): GivenMaking {
  const isIssue = given.kind === 'issue';
  const cardholder = objectOrNull(body, 'cardholder');
  if (cardholder === null || typeof cardholder.name !== 'string') throw new NotOfContract('cardholder is missing');
  const reason = oneOfOrNull(body, 'reason', REASONS);
  if (isIssue) {
    const form = oneOf(body, 'form', ['virtual', 'physical']);
    if (currencyOrNull(body, 'currency') === null) throw new NotOfContract('currency is missing');
    if ((form === 'physical') !== (objectOrNull(body, 'shipping') !== null))
      throw new NotOfContract('shipping is of physical cards');
  } else if (reason === null) throw new NotOfContract('reason is missing');
  moment(body, 'not_after');
  moment(body, 'ordered_at');
  return {
    ...given,
    of: isIssue ? null : word(body, 'of', REFERENCE_MAX),
    keepsNumber: reason === 'damaged' || reason === 'renewal',
    state: oneOf(body, 'state', FIRST_STATES),
    // The integrator's own words: any text.
    cardholder: typeof cardholder.reference === 'string' ? cardholder.reference : null,
  };
}

function inquire(orders: CardOrders, program: string, reference: string): CallAnswer {
  const known = orders.find(program, reference);
  if (known) return ok(answerOf(known));
  // What its cardholder lets get lost comes no more: there is nothing to wait for.
  const lostUntil = orders.lost.get(keyOf(program, reference));
  const asOf = lostUntil === undefined ? Date.now() : lostUntil + 1;
  return ok({ program, reference, status: 'not_found', as_of: new Date(asOf).toISOString() });
}

/** The gateway's answer about an instruction, alike on every call. */
function answerOf(order: CardOrder): object {
  const { program, reference, kind, status, code, card, processorReference: processor_reference } = order;
  return {
    ...{ program, reference, kind, status, processor_reference },
    ...(code === null ? {} : { code }),
    ...(card === null || status !== 'succeeded'
      ? {}
      : {
          card: {
            card_reference: card.cardReference,
            last_four: card.number.slice(-4),
            exp_month: card.expMonth,
            exp_year: card.expYear,
            network: 'visa',
          },
        }),
  };
}
