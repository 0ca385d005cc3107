/**
 * The processor contract: a party (outside/party/party.ts) that makes cards, keeps their numbers and connects to the
 * networks. Every change there is an instruction under a reference of its own, the same on every attempt. A processor
 * knows a card by its own `cardReference`. It asks for decisions and reports purchases over the API; none of that is
 * here.
 * Next: sandbox-processor.ts (the processor of test books), http/http-processor.ts (a partner's gateway), processors.ts
 * (those of a process).
 */
import type { NoticeKinds } from '../outside/notices/notice.ts';
import {
  type NotFound,
  type NoticeSender,
  type Party,
  type PartyAnswer,
  type PartyNotice,
  PartyUnreachable,
} from '../outside/party/party.ts';
import type { Instant } from '../values/clock.ts';
import type { PostalAddress } from '../values/postal-address.ts';

export interface Cardholder {
  readonly name: string;
  /** The integrator's own. In test books some of them are magic (sandbox-cardholders.ts). */
  readonly reference: string | null;
  /** Where bills are sent. Given to the processor alone. */
  readonly billingAddress: PostalAddress | null;
}

/** Closed is final. */
export type ProcessorCardState = 'pending_activation' | 'active' | 'frozen' | 'closed';

interface AnyInstruction {
  /** The owner of the reference: the book. */
  readonly originator: string;
  readonly reference: string;
}

interface TimedInstruction extends AnyInstruction {
  /** The processor refuses the instruction after this instant, which makes `not_found` final. */
  readonly notAfter: Instant;
}

interface Making extends TimedInstruction {
  readonly cardholder: Cardholder;
  /** Where the card is sent; null for a virtual one. */
  readonly shipping: { readonly name: string; readonly address: PostalAddress } | null;
  /** The state in which the card begins. */
  readonly state: Exclude<ProcessorCardState, 'closed'>;
  /** The book's own time, which a test book may have advanced: the sandbox counts the expiry from it. */
  readonly orderedAt: Instant;
}

/** Makes a card with a number of its own. */
export interface IssueInstruction extends Making {
  readonly kind: 'issue';
  /** Single-use and merchant-locked cards are virtual: those rules are ours. */
  readonly form: 'virtual' | 'physical';
  /** Of the account: ISO 4217. */
  readonly currency: string;
}

/**
 * Makes the card that follows another one, in its form and currency. The card before it stays as it is: its state
 * changes by an instruction of its own, before or after. So a closed card can be replaced.
 */
export interface ReplaceInstruction extends Making {
  readonly kind: 'replace';
  /** The reference of the card before it. */
  readonly of: string;
  /** Lost and stolen cards get a new number. Damaged and renewed ones keep theirs, with a later expiry and another security code. */
  readonly reason: 'lost' | 'stolen' | 'damaged' | 'renewal';
}

/**
 * Sets the state of a card. It may come at any time and in any order: the newest version counts, and an older one
 * changes nothing and succeeds. So `not_found` is never final here, and the instruction is sent again.
 */
export interface StateInstruction extends AnyInstruction {
  readonly kind: 'state';
  readonly of: string;
  readonly state: ProcessorCardState;
  /** Counts up with the states of one card, from 1. */
  readonly version: number;
  /** Of `closed`: why, as API.md names it. */
  readonly reason: string | null;
}

/** Sets the count of wrong PINs to 0. Declined for a closed card. */
export interface UnblockPinInstruction extends TimedInstruction {
  readonly kind: 'unblock_pin';
  readonly of: string;
}

export type ProcessorInstruction = IssueInstruction | ReplaceInstruction | StateInstruction | UnblockPinInstruction;

export type ProcessorInstructionKind = ProcessorInstruction['kind'];

/** Why a processor declines. Each is final for the reference. */
export const PROCESSOR_DECLINES = [
  /** It makes no card for this cardholder. */
  'cardholder_refused',
  /** It sends no card to this address. */
  'shipping_refused',
  /** Its program has no such currency or form. */
  'not_supported',
  /** The program has no such card. */
  'card_unknown',
  /** The card is closed for good. */
  'card_closed',
  /** It came after its `notAfter`. */
  'too_late',
  /** Any other reason. */
  'refused',
] as const;

export type ProcessorDecline = (typeof PROCESSOR_DECLINES)[number];

/** A card that was made. Its number and security code stay with the processor. */
export interface IssuedCard {
  /** The processor's own id of the card: one for each card, also where two in turn have one number. */
  readonly cardReference: string;
  readonly lastFour: string;
  /** 1 to 12. The card works to the end of the month, UTC. */
  readonly expMonth: number;
  /** Four digits. */
  readonly expYear: number;
  /** In lower case: `visa`. */
  readonly network: string;
}

export type ProcessorStatus =
  /** Carried out. */
  | 'succeeded'
  /** Not carried out, and never will be. */
  | 'declined'
  /** Accepted, and not decided. A notice reports the decision, or an inquiry. */
  | 'pending';

export interface ProcessorAnswer extends PartyAnswer {
  readonly status: ProcessorStatus;
  /** The processor's own id of the instruction; empty without one. */
  readonly reference: string;
  /** Of `declined`. */
  readonly code?: ProcessorDecline;
  /** Of `issue` and `replace` that succeeded. */
  readonly card?: IssuedCard;
}

/**
 * A processor's notice: a pending instruction is decided. It contains no card: an inquiry reads the card (`inquire`).
 * `reference` is the processor's own id of the instruction.
 */
export interface ProcessorNotice extends PartyNotice {
  readonly kind: keyof typeof PROCESSOR_NOTICE_KINDS;
}

export const PROCESSOR_NOTICE_KINDS = { succeeded: 'whole', declined: 'whole' } as const satisfies NoticeKinds;

/** What is asked to be shown. */
export interface RevealAsked {
  readonly originator: string;
  readonly cardReference: string;
  readonly what: 'details' | 'pin';
}

export type Revealed =
  /** In clear, by the sandbox alone: neither stored nor logged. */
  | {
      readonly shown: 'clear';
      readonly number: string;
      readonly cvc: string;
      readonly expMonth: number;
      readonly expYear: number;
    }
  /** A page of the processor, which shows it once. */
  | { readonly shown: 'url'; readonly url: string; readonly expiresAt: Instant };

/** The processor shows nothing. */
export class RevealRefused extends Error {
  override name = 'RevealRefused';
  constructor(
    /** `pin_not_kept`: the sandbox has no PINs, and whether one was right is a member of its messages. */
    readonly code: 'card_unknown' | 'card_closed' | 'pin_not_kept',
  ) {
    super(`The processor does not show the card: ${code}`);
  }
}

export interface Processor extends Party, NoticeSender {
  readonly name: string;
  readonly mode: Party['mode'];
  readonly idempotent: true;
  /** Throws ProcessorUnreachable when no answer came. */
  submit(instruction: ProcessorInstruction): Promise<ProcessorAnswer>;
  /** The outcome of an instruction, with the card that it made. Throws ProcessorUnreachable when no answer came. */
  inquire(originator: string, reference: string): Promise<ProcessorAnswer | NotFound>;
  /** Changes nothing. Throws RevealRefused, and ProcessorUnreachable when no answer came. */
  reveal(asked: RevealAsked): Promise<Revealed>;
}

/** A processor gave no answer. */
export class ProcessorUnreachable extends PartyUnreachable {
  override name = 'ProcessorUnreachable';
}
