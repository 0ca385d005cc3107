/**
 * The records of the reference gateway: cards, instructions and disputes, in memory. It stands for a partner, so it
 * shares no rule with the product but the published test numbers and the contract's readers.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { brandOf } from '../../src/acquirers/card-brand.ts';
import { DECLINES, type DeclineCode } from '../../src/acquirers/decline-codes.ts';
import { type CardScript, testCard } from '../../src/acquirers/test-cards.ts';

export interface GatewayCard {
  readonly token: string;
  readonly originator: string;
  readonly script: CardScript;
  readonly brand: string;
  readonly lastFour: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly funding: string;
  readonly reusable: boolean;
  /** Whether its security code is checked by the next authorization. The code itself is not stored. */
  hasCode: boolean;
  /** The reference that used up a one-time token. */
  usedBy: string | null;
}

export type GatewayStatus = 'succeeded' | 'declined' | 'requires_action' | 'canceled';

export interface Instruction {
  /** The merchant, by its name in the contract. */
  readonly originator: string;
  readonly reference: string;
  readonly kind: string;
  readonly of: string | null;
  readonly amount: bigint;
  readonly currency: string;
  readonly acquirerReference: string;
  status: GatewayStatus;
  code: DeclineCode | null;
  /** Of an authorization. */
  card: GatewayCard | null;
  captures: boolean;
  authorized: bigint;
  captured: bigint;
  refunded: bigint;
  /** Nothing more is captured. */
  closed: boolean;
  challenged: boolean;
  cvc: 'match' | null;
  avs: 'match' | null;
  /** Where the payer acts: the id of a page of the gateway. */
  page: { readonly id: string; readonly expiresAt: number; readonly asks: 'card' | 'challenge' } | null;
  returnUrl: string | null;
}

export interface Dispute {
  readonly originator: string;
  readonly dispute: string;
  readonly reference: string;
  readonly amount: bigint;
  readonly reason: string;
  status: 'open' | 'evidence' | 'accepted' | 'won' | 'lost';
}

/** A notice before it is signed, as the contract names its members. */
export interface GatewayNotice {
  readonly merchant: string;
  readonly reference: string;
  readonly kind: string;
  readonly amount: bigint | null;
  readonly code: string | null;
  readonly acquirer_reference: string;
  readonly confirmed: { readonly amount: bigint; readonly currency: string };
}

export class Records {
  readonly cards = new Map<string, GatewayCard>();
  readonly disputes = new Map<string, Dispute>();
  /** When an instruction that was lost on its way, as its card asks, can no longer come. */
  readonly lost = new Map<string, number>();
  readonly #instructions = new Map<string, Instruction>();

  find(originator: string, reference: string): Instruction | undefined {
    return this.#instructions.get(keyOf(originator, reference));
  }

  findByPage(id: string): Instruction | undefined {
    return [...this.#instructions.values()].find(({ page }) => page?.id === id);
  }

  put(instruction: Instruction): Instruction {
    this.#instructions.set(keyOf(instruction.originator, instruction.reference), instruction);
    return instruction;
  }

  /** Undefined for a number that is no published test number. */
  keepCard(
    given: { number: string; expMonth: number; expYear: number; hasCode: boolean },
    { originator, reusable }: { originator: string; reusable: boolean },
  ): GatewayCard | undefined {
    const known = testCard(given.number);
    if (!known) return undefined;
    return this.#keep({
      originator,
      reusable,
      script: known.script,
      brand: brandOf(given.number),
      lastFour: given.number.slice(-4),
      expMonth: given.expMonth,
      expYear: given.expYear,
      funding: known.funding,
      hasCode: given.hasCode,
    });
  }

  /** A one-time token of the same card, with its security code. */
  withCode(card: GatewayCard): GatewayCard {
    return this.#keep({ ...card, reusable: false, hasCode: true });
  }

  #keep(card: Omit<GatewayCard, 'token' | 'usedBy'>): GatewayCard {
    const kept = { ...card, token: `gtok_${randomBytes(18).toString('base64url')}`, usedBy: null };
    this.cards.set(kept.token, kept);
    return kept;
  }
}

export const keyOf = (originator: string, reference: string) => `${originator} ${reference}`;

export function newInstruction(
  given: Pick<Instruction, 'originator' | 'reference' | 'kind' | 'of' | 'amount' | 'currency'> & Partial<Instruction>,
): Instruction {
  return {
    acquirerReference: `GW${randomUUID().replaceAll('-', '').slice(0, 22).toUpperCase()}`,
    status: 'succeeded',
    code: null,
    card: null,
    captures: false,
    authorized: 0n,
    captured: 0n,
    refunded: 0n,
    closed: false,
    challenged: false,
    cvc: null,
    avs: null,
    page: null,
    returnUrl: null,
    ...given,
  };
}

export function networkCodeOf({ code }: Pick<Instruction, 'code'>): string {
  return code === null ? '00' : DECLINES[code].networkCode;
}
