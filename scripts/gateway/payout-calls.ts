/** The calls of the contract about payouts, as the reference gateway answers them. Throws NotOfContract for a body that does not fit. */
import {
  amountOrNull,
  currencyOrNull,
  moment,
  NotOfContract,
  objectOrNull,
  oneOf,
  REFERENCE_MAX,
  TOKEN_MAX,
  word,
  wordOrNull,
} from '../../src/outside/gateway/fields.ts';
import type { InstructedDestination } from '../../src/rails/rail.ts';
import { lookUp } from '../../src/rails/sandbox-lookup.ts';
import type { JsonObject } from '../../src/values/json.ts';
import type { CallAnswer } from './calls.ts';
import type { PayoutOrder, PayoutOrders } from './payout-orders.ts';

/** The call that each path takes. */
export const PAYOUT_CALLS: Readonly<Record<string, string>> = {
  '/payouts': 'payout_submit',
  '/payouts/inquire': 'payout_inquire',
  '/payouts/resolve': 'payout_resolve',
};

const TYPES = ['cliq', 'iban', 'wallet', 'card'] as const;
const COUNTRY = 2;
const PURPOSE_MAX = 4;

export function answerPayoutCall(orders: PayoutOrders, body: JsonObject): CallAnswer {
  const originator = word(body, 'originator', REFERENCE_MAX);
  switch (body.call) {
    case 'payout_inquire':
      return inquire(orders, originator, word(body, 'reference', REFERENCE_MAX));
    case 'payout_resolve':
      return resolve(originator, destinationOf(body));
    default: {
      const amount = amountOrNull(body, 'amount');
      const currency = currencyOrNull(body, 'currency');
      if (amount === null || currency === null) throw new NotOfContract('amount or currency is missing');
      const order = orders.submit({
        originator,
        reference: word(body, 'reference', REFERENCE_MAX),
        amount,
        currency,
        destination: destinationOf(body),
        account: wordOrNull(body, 'account', TOKEN_MAX),
        remittance: textOrNull(body, 'remittance'),
        purposeCode: wordOrNull(body, 'purpose_code', PURPOSE_MAX),
        notAfter: moment(body, 'not_after'),
      });
      return order.isAnswered ? ok(answerOf(order)) : 'no answer';
    }
  }
}

const ok = (body: object): CallAnswer => ({ status: 200, body });

function inquire(orders: PayoutOrders, originator: string, reference: string): CallAnswer {
  const known = orders.find(originator, reference);
  if (known) return ok(answerOf(known));
  return ok({ originator, reference, status: 'not_found', as_of: new Date().toISOString() });
}

function resolve(originator: string, destination: InstructedDestination): CallAnswer {
  const found = lookUp(destination);
  if (found.status === 'unregistered') return ok({ originator, status: 'unregistered' });
  const { nameMasked: name_masked, providers, account, verification } = found;
  return ok({ originator, status: 'found', name_masked, providers, account, verification });
}

/** The gateway's report of a payout, on every call alike. */
function answerOf({
  originator,
  reference,
  status,
  code,
  railReference,
  amount,
  currency,
  confirmsWrong,
}: PayoutOrder) {
  return {
    ...{ originator, reference, status },
    ...(code === null ? {} : { code }),
    amount: confirmsWrong === 'amount' ? amount + 1n : amount,
    currency: confirmsWrong === 'currency' ? 'XTS' : currency,
    ...(confirmsWrong === 'payee' ? { payee_digest: '0'.repeat(64) } : {}),
    rail_reference: railReference,
  };
}

function destinationOf(body: JsonObject): InstructedDestination {
  const given = objectOrNull(body, 'destination');
  if (given === null) throw new NotOfContract('destination is missing');
  switch (oneOf(given, 'type', TYPES)) {
    case 'cliq':
      return { type: 'cliq', alias: text(given, 'alias'), provider: textOrNull(given, 'provider') };
    case 'iban': {
      const address = objectOrNull(given, 'address');
      return {
        type: 'iban',
        iban: word(given, 'iban', REFERENCE_MAX),
        name: text(given, 'name'),
        bic: wordOrNull(given, 'bic', REFERENCE_MAX),
        address: address && {
          line1: text(address, 'line1'),
          city: text(address, 'city'),
          postalCode: textOrNull(address, 'postal_code'),
          country: word(address, 'country', COUNTRY),
        },
      };
    }
    case 'wallet':
      return {
        type: 'wallet',
        walletId: textOrNull(given, 'wallet_id'),
        phone: textOrNull(given, 'phone'),
        provider: textOrNull(given, 'provider'),
      };
    case 'card':
      return {
        type: 'card',
        issuedBy: word(given, 'issued_by', REFERENCE_MAX),
        token: word(given, 'token', TOKEN_MAX),
      };
  }
}

/** Names, aliases, remittances: any text. */
function textOrNull(given: JsonObject, name: string): string | null {
  const value = given[name] ?? null;
  if (value === null || typeof value === 'string') return value;
  throw new NotOfContract(`${name} is not a text`);
}

function text(given: JsonObject, name: string): string {
  const value = textOrNull(given, name);
  if (value === null) throw new NotOfContract(`${name} is missing`);
  return value;
}
