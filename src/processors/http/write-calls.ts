/** What is asked of a processor's gateway (docs/partners.md). A book is a program there, by the id that it has everywhere outside. */
import type { GatewayCall } from '../../outside/gateway/gateway-client.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import type { PostalAddress } from '../../values/postal-address.ts';
import type { IssueInstruction, ProcessorInstruction, ReplaceInstruction, RevealAsked } from '../processor.ts';
import type { Asked } from './read-answers.ts';

export function submitCall(instruction: ProcessorInstruction): GatewayCall {
  return {
    path: '/cards/instructions',
    body: { call: 'card_submit', ...commonOf(instruction), ...ownOf(instruction) },
  };
}

export function inquireCall({ originator, reference }: Asked): GatewayCall {
  return {
    path: '/cards/instructions/inquire',
    body: { call: 'card_inquire', program: programOf(originator), reference },
  };
}

export function revealCall({ originator, cardReference, what }: RevealAsked): GatewayCall {
  return {
    path: '/cards/reveal',
    body: { call: 'card_reveal', program: programOf(originator), card_reference: cardReference, what },
  };
}

function programOf(originator: string): string {
  return publicId('book', originator);
}

function commonOf({ originator, reference, kind }: ProcessorInstruction) {
  return { program: programOf(originator), reference, kind };
}

function ownOf(instruction: ProcessorInstruction) {
  switch (instruction.kind) {
    case 'issue':
      return { form: instruction.form, currency: instruction.currency, ...makingOf(instruction) };
    case 'replace':
      return { of: instruction.of, reason: instruction.reason, ...makingOf(instruction) };
    case 'state':
      return {
        of: instruction.of,
        state: instruction.state,
        version: instruction.version,
        reason: instruction.reason,
        not_after: null,
      };
    case 'unblock_pin':
      return { of: instruction.of, not_after: formatInstant(instruction.notAfter) };
  }
}

function makingOf({ cardholder, shipping, state, orderedAt, notAfter }: IssueInstruction | ReplaceInstruction) {
  return {
    state,
    ordered_at: formatInstant(orderedAt),
    cardholder: {
      name: cardholder.name,
      reference: cardholder.reference,
      billing_address: cardholder.billingAddress && addressOf(cardholder.billingAddress),
    },
    shipping: shipping && { name: shipping.name, address: addressOf(shipping.address) },
    not_after: formatInstant(notAfter),
  };
}

function addressOf({ line1, city, postalCode, country }: PostalAddress) {
  return { line1, city, postal_code: postalCode, country };
}
