/** What is asked of a rail's gateway (docs/partners.md). A book is an originator there, by the id that it has everywhere outside. */
import type { GatewayCall } from '../../outside/gateway/gateway-client.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import type { PostalAddress } from '../../values/postal-address.ts';
import type { InstructedDestination, Instruction } from '../rail.ts';
import type { Asked } from './read-answers.ts';

export function submitCall(instruction: Instruction): GatewayCall {
  const { originator, endToEndId, destination, account, amount, currency, purposeCode, notAfter } = instruction;
  return {
    path: '/payouts',
    body: {
      call: 'payout_submit',
      originator: originatorOf(originator),
      reference: endToEndId,
      amount,
      currency,
      destination: destinationOf(destination),
      account,
      remittance: remittanceOf(instruction),
      purpose_code: purposeCode ?? null,
      not_after: formatInstant(notAfter),
    },
  };
}

/** As ISO 20022 has it, in characters. */
const REMITTANCE_MAX = 140;

/** A description was not made to travel: it does whole, or not at all. */
function remittanceOf({ remittance, description }: Instruction): string | null {
  if (remittance) return remittance;
  return description && [...description].length <= REMITTANCE_MAX ? description : null;
}

export function inquireCall({ originator, endToEndId }: Asked): GatewayCall {
  return {
    path: '/payouts/inquire',
    body: { call: 'payout_inquire', originator: originatorOf(originator), reference: endToEndId },
  };
}

export function resolveCall(originator: string, destination: InstructedDestination): GatewayCall {
  return {
    path: '/payouts/resolve',
    body: {
      call: 'payout_resolve',
      originator: originatorOf(originator),
      destination: destinationOf(destination),
    },
  };
}

function originatorOf(originator: string): string {
  return publicId('book', originator);
}

function destinationOf(destination: InstructedDestination): object {
  switch (destination.type) {
    case 'cliq':
      return destination;
    case 'iban': {
      const { address, ...rest } = destination;
      return { ...rest, address: address && addressOf(address) };
    }
    case 'wallet': {
      const { type, walletId: wallet_id, phone, provider } = destination;
      return { type, wallet_id, phone, provider };
    }
    case 'card':
      return { type: 'card', issued_by: destination.issuedBy, token: destination.token };
  }
}

function addressOf({ line1, city, postalCode: postal_code, country }: PostalAddress): object {
  return { line1, city, postal_code, country };
}
