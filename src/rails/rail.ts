/**
 * The rail contract: a party (outside/party/party.ts) that carries payouts. How a payout is submitted and how a rail reports back.
 * Next: sandbox-rail.ts (the rail of test books), rails.ts (the rails of a process), failure-codes.ts (rejections).
 */

import type { NoticeKinds } from '../outside/notices/notice.ts';
import {
  type Acknowledged,
  type Confirmation,
  type NotFound,
  type Party,
  type PartyAnswer,
  type PartyNotice,
  PartyUnreachable,
} from '../outside/party/party.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';
import type { PostalAddress } from '../values/postal-address.ts';

/** The destination in clear, in the fields of its type. A rail refuses a type that it does not carry. */
export type InstructedDestination = InstructedCliq | InstructedIban | InstructedWallet | InstructedCard;

export interface InstructedCliq {
  readonly type: 'cliq';
  readonly alias: string;
  readonly provider: string | null;
}

export interface InstructedIban {
  readonly type: 'iban';
  /** In electronic form: without spaces, in capitals. */
  readonly iban: string;
  readonly name: string;
  readonly bic: string | null;
  readonly address: PostalAddress | null;
}

/** One of `walletId` and `phone`, the other one null. */
export interface InstructedWallet {
  readonly type: 'wallet';
  readonly walletId: string | null;
  /** E.164. */
  readonly phone: string | null;
  readonly provider: string | null;
}

export interface InstructedCard {
  readonly type: 'card';
  /** The acquirer or processor that knows the card. */
  readonly issuedBy: string;
  /** That party's own token of the card, good with it alone. */
  readonly token: string;
}

/** What a rail finds behind a destination before anything is paid. */
export interface Found {
  readonly status: 'found';
  /** The payee's name, masked by the rail; null where it names none. */
  readonly nameMasked: string | null;
  /** Providers with which an alias or wallet is registered; empty where the rail names none. */
  readonly providers: readonly string[];
  /** The account found: text of the rail's own, given back to it with the payout. Null where it is not one account. */
  readonly account: string | null;
  /** Whether the name that was given is the payee's; null where none was given. */
  readonly verification: 'match' | 'close_match' | 'no_match' | 'unavailable' | null;
}

/** The alias, the wallet or the account is not registered. */
export interface Unregistered {
  readonly status: 'unregistered';
}

export interface Instruction {
  /** The owner of the end-to-end id: the book. */
  readonly originator: string;
  readonly endToEndId: string;
  readonly destination: InstructedDestination;
  /** The account that `resolve` found: the rail rejects the instruction (PAYEE_CHANGED) if it finds another one now. */
  readonly account: string | null;
  /** Minor units. */
  readonly amount: bigint;
  readonly currency: string;
  /** The text that travels with the money. */
  readonly remittance?: string | null;
  /** Travels where there is no remittance, if it fits whole. */
  readonly description?: string | null;
  /** 1 to 4 capitals or digits, by the list of the rail or of the authority (ISO 20022: ExternalPurpose1Code). */
  readonly purposeCode?: string | null;
  /** The payout batch that it is of. */
  readonly batch?: Uuid | null;
  /**
   * The rail rejects the instruction after this instant. That makes `not_found` final: an instruction that the rail
   * does not have by then will never be accepted.
   */
  readonly notAfter: Instant;
}

/** The facts that every `paid` report of a rail must contain. Other facts that it contains are compared too. */
export interface Confirms {
  readonly amount: boolean;
  readonly currency: boolean;
  readonly payee: boolean;
}

/** A payout before it is made. */
export type Offered = Pick<Instruction, 'amount' | 'currency' | 'destination' | 'remittance'>;

/** Why a rail cannot carry a payout, whatever is tried. */
export interface NotCarried {
  /** A JSON pointer into the request. */
  readonly param: string;
  readonly detail: string;
}

export interface RailAnswer extends PartyAnswer {
  readonly status: 'paid' | 'rejected' | 'pending';
  /** The rail's own reference of the payment. */
  readonly reference: string;
  /** The reason of a rejection: an ISO 20022 external status reason code, such as AC04. */
  readonly code?: string;
  readonly confirmed?: Confirmation;
  /** Of what is pending: what a person should see. */
  readonly warning?: RailWarning;
}

export type RailWarning =
  /** No report of it came for longer than the rail allows. */
  | 'rail_silent'
  /** Money of it came back, and no debit shows that it left. */
  | 'return_without_debit';

/** A report that the rail sends unasked: a late confirmation, a rejection, a return. */
export interface RailNotice extends PartyNotice {
  readonly kind: 'paid' | 'rejected' | 'returned';
}

export const RAIL_NOTICE_KINDS = {
  paid: 'whole',
  rejected: 'whole',
  returned: 'part',
} as const satisfies NoticeKinds & Record<RailNotice['kind'], string>;

/** An account of the operator's at a bank, to which money is sent. */
export interface ReceivingAccount {
  /** Its holder. */
  readonly name: string;
  /** Its IBAN, or its number. */
  readonly identifiers: readonly string[];
  readonly bic: string | null;
}

export interface Rail extends Party {
  /** A rail without idempotence would need the payout to record the submission first, and nothing writes that yet. */
  readonly idempotent: true;
  /** The types of destinations that it carries. */
  readonly destinations: readonly InstructedDestination['type'][];
  /** Acquirers and processors whose tokens of cards it pays out to. */
  readonly paysTokensOf: readonly string[];
  /** The facts that each `paid` contains. A `paid` that lacks one of them is an unknown outcome. */
  readonly confirms: Confirms;
  /** A return of less than what is left is no part, as on rails that return parts, but short of charges: an exception shows it. */
  readonly returnsWhole?: true;
  /** The accounts whose credits the rail reports, in this currency. Left out: it reports none. */
  receivesOn?(currency: string): readonly ReceivingAccount[];
  /** The digest that the rail reports as the payee of an instruction, made of what its destination names as payee. */
  payeeDigest(endToEndId: string, payee: string): string;
  /** Looks a destination up, and moves nothing. Throws RailUnreachable when no answer came. */
  resolve(originator: string, destination: InstructedDestination): Promise<Found | Unregistered>;
  /** Why it can certainly not carry a payout; undefined where it may. Without this, nothing is certain before it is submitted. */
  refuses?(payout: Offered): NotCarried | undefined;
  /** Throws RailUnreachable when no answer came. */
  submit(instruction: Instruction): Promise<RailAnswer>;
  /** Throws RailUnreachable when no answer came. */
  inquire(originator: string, endToEndId: string): Promise<RailAnswer | NotFound>;
  /** The oldest unacknowledged notices; with `behind`, the oldest after that notice. */
  notices(limit: number, behind?: Uuid): Promise<RailNotice[]>;
  acknowledge(ids: readonly Uuid[], how?: Acknowledged): Promise<void>;
}

/** The rail gave no answer. */
export class RailUnreachable extends PartyUnreachable {
  override name = 'RailUnreachable';
}
