/** What is asked of an acquirer's gateway (docs/partners.md). */
import type { GatewayCall } from '../../outside/gateway/gateway-client.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import type { AcquirerInstruction, AuthorizeInstruction, BillingAddress } from '../acquirer.ts';
import type { CardInput } from '../card.ts';
import type { Asked } from './read-answers.ts';

export function tokenizeCall(
  card: CardInput,
  { originator, reusable }: { originator: string; reusable: boolean },
): GatewayCall {
  const { number, expMonth, expYear, cvc, name } = card;
  return {
    path: '/tokens',
    body: {
      call: 'tokenize',
      merchant: merchantOf(originator),
      reusable,
      card: { number, exp_month: expMonth, exp_year: expYear, cvc, name },
    },
  };
}

export function codeCall(given: { originator: string; token: string; cvc: string }): GatewayCall {
  return { path: '/tokens/code', body: { call: 'code', ...named(given) } };
}

export function verifyCall(given: { originator: string; token: string }): GatewayCall {
  return { path: '/tokens/verify', body: { call: 'verify', ...named(given) } };
}

export function cardCall(given: { originator: string; token: string }): GatewayCall {
  return { path: '/tokens/card', body: { call: 'card', ...named(given) } };
}

export function inquireCall(asked: Asked): GatewayCall {
  return { path: '/instructions/inquire', body: { call: 'inquire', ...named(asked) } };
}

export function cancelCall(asked: Asked): GatewayCall {
  return { path: '/instructions/cancel', body: { call: 'cancel', ...named(asked) } };
}

export function submitCall(instruction: AcquirerInstruction): GatewayCall {
  const any = { call: 'submit', ...commonOf(instruction) };
  switch (instruction.kind) {
    case 'authorize': {
      const { token, request } = instruction;
      return {
        path: '/instructions',
        body: {
          ...any,
          token,
          request: request && { alias: request.alias, expires_at: formatInstant(request.expiresAt) },
          ...paymentOf(instruction),
        },
      };
    }
    case 'evidence':
    case 'accept_dispute':
      return { path: '/instructions', body: { ...any, of: instruction.of, evidence: instruction.evidence } };
    default:
      return { path: '/instructions', body: { ...any, of: instruction.of, final: instruction.final ?? false } };
  }
}

/** An authorization for which the payer gives the card on the gateway's own page. */
export function sessionCall(instruction: AuthorizeInstruction): GatewayCall {
  return { path: '/sessions', body: { call: 'session', ...commonOf(instruction), ...paymentOf(instruction) } };
}

/** A book, by its public id, as in reports of settlements. */
function merchantOf(originator: string): string {
  return publicId('book', originator);
}

function named<Given extends { originator: string }>({ originator, ...rest }: Given) {
  return { merchant: merchantOf(originator), ...rest };
}

function commonOf({ originator, reference, kind, amount, currency, notAfter }: AcquirerInstruction) {
  return { merchant: merchantOf(originator), reference, kind, amount, currency, not_after: formatInstant(notAfter) };
}

function paymentOf(instruction: AuthorizeInstruction) {
  return {
    capture: instruction.capture,
    initiator: instruction.initiator,
    previous_network_reference: instruction.previousNetworkReference,
    return_url: instruction.returnUrl,
    statement_descriptor: instruction.statementDescriptor,
    billing: instruction.billing && billingOf(instruction.billing),
  };
}

function billingOf({ name, email, address }: BillingAddress) {
  return {
    name,
    email,
    address: address && {
      line1: address.line1,
      city: address.city,
      postal_code: address.postalCode,
      country: address.country,
    },
  };
}
