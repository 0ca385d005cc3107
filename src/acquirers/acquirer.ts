/**
 * The acquirer contract: a party (outside/party/party.ts) that takes payments. What moves money is an instruction under a
 * reference of its own, the same on every attempt. An instruction about an earlier one names it.
 * Next: sandbox-acquirer.ts (the acquirer of test books), http/http-acquirer.ts (a partner's gateway), acquirers.ts
 * (the acquirers of a process), decline-codes.ts.
 */

import type { NoticeKinds } from '../outside/notices/notice.ts';
import {
  type Confirmation,
  type NotFound,
  type NoticeSender,
  type Party,
  type PartyAnswer,
  type PartyNotice,
  PartyUnreachable,
} from '../outside/party/party.ts';
import type { Instant } from '../values/clock.ts';
import type { CardInput, CardShown } from './card.ts';
import type { DeclineCode } from './decline-codes.ts';

/** Facts about an authorization, as the network reports them. */
export interface AuthorizationFacts {
  /** The issuer's approval code: six characters (ISO 8583, field 38). */
  readonly code: string | null;
  readonly network: string | null;
  /** The network's own id of the purchase, which later merchant-initiated payments name. */
  readonly networkReference: string | null;
  /** `match | partial_match | no_match | unavailable`; null where no address was given. */
  readonly avs: string | null;
  /** `match | no_match | unavailable`; null where no code was given. */
  readonly cvc: string | null;
  /** Electronic commerce indicator of 3-D Secure. */
  readonly eci: string | null;
  /** `authenticated | attempted | not_performed`; null where the card does not support it. */
  readonly threeDSecure: string | null;
}

/** The payer's billing address. Only the acquirer gets it. */
export interface BillingAddress {
  readonly name: string | null;
  readonly email: string | null;
  readonly address: {
    readonly line1: string | null;
    readonly city: string | null;
    readonly postalCode: string | null;
    /** ISO 3166-1 alpha-2. */
    readonly country: string | null;
  } | null;
}

/** An issuer's answer to an account verification, which charges nothing. */
export interface Verified {
  readonly status: 'succeeded' | 'declined';
  readonly code?: DeclineCode;
  readonly networkCode: string;
  /** As in AuthorizationFacts. */
  readonly cvc: string | null;
  readonly networkReference: string | null;
}

/** The kinds of instructions. What follows an authorization names it; an answer to a dispute names the dispute. */
export type InstructionKind = 'authorize' | 'increment' | 'capture' | 'void' | 'refund' | DisputeInstruction['kind'];

interface AnyInstruction {
  /** The owner of the reference: the book. */
  readonly originator: string;
  readonly reference: string;
  /** Minor units. Of an increment: the new total. Of a void: the amount that is canceled. */
  readonly amount: bigint;
  readonly currency: string;
  /** The acquirer refuses the instruction after this instant, which makes `not_found` final. */
  readonly notAfter: Instant;
}

export interface AuthorizeInstruction extends AnyInstruction {
  readonly kind: 'authorize';
  /** From `tokenize`. Null for a request to pay, and where the payer gives the card on the acquirer's page. */
  readonly token: string | null;
  /** Of a request to pay, in place of a token: the payer's alias, and the expiry. It authorizes and captures at once. */
  readonly request: { readonly alias: string; readonly expiresAt: Instant } | null;
  /** For the address check; null where no address is known. */
  readonly billing: BillingAddress | null;
  /** Authorizes and captures in one call. */
  readonly capture: boolean;
  readonly initiator: 'customer' | 'merchant';
  /** Of the payment that the payer agreed to, for merchant-initiated payments. */
  readonly previousNetworkReference: string | null;
  /** Where the payer returns after a challenge; null where the payer cannot be challenged. */
  readonly returnUrl: string | null;
  readonly statementDescriptor: string | null;
}

export interface FollowingInstruction extends AnyInstruction {
  readonly kind: Exclude<InstructionKind, 'authorize' | DisputeInstruction['kind']>;
  /** The reference of the authorization. */
  readonly of: string;
  /** Of a capture: nothing more will be captured. */
  readonly final?: boolean;
}

/** A merchant's answer to a dispute: evidence, or acceptance. Moves no money. Declined once the dispute is decided. */
export interface DisputeInstruction extends AnyInstruction {
  readonly kind: 'evidence' | 'accept_dispute';
  /** The acquirer's own reference of the dispute, as its notice named it. */
  readonly of: string;
  /** Texts by field (payments/disputes/dispute.ts). Empty for an acceptance. */
  readonly evidence: Readonly<Record<string, string>>;
}

export type AcquirerInstruction = AuthorizeInstruction | FollowingInstruction | DisputeInstruction;

export type AcquirerStatus =
  | 'succeeded'
  | 'declined'
  /** The payer has to pass a challenge of the issuer first. */
  | 'requires_action'
  | 'pending'
  /** Final, no money moves: canceled by reference before the acquirer received it. */
  | 'canceled';

export interface AcquirerAnswer extends PartyAnswer {
  readonly status: AcquirerStatus;
  /** The acquirer's own id. */
  readonly reference: string;
  readonly code?: DeclineCode;
  /** The network's code: ISO 8583, field 39. */
  readonly networkCode?: string;
  readonly confirmed?: Confirmation;
  readonly authorization?: AuthorizationFacts;
  /** Of `requires_action`: where the payer goes. */
  readonly challenge?: { readonly url: string; readonly expiresAt: Instant };
}

export interface AcquirerNotice extends PartyNotice {
  readonly kind: keyof typeof ACQUIRER_NOTICE_KINDS;
}

export const ACQUIRER_NOTICE_KINDS = {
  succeeded: 'whole',
  declined: 'whole',
  /** Of a refund that had succeeded. */
  refund_failed: 'whole',
  /** Of a dispute, `reference` is the acquirer's id of it, which later messages name; `code` is the reason. */
  dispute_inquiry: 'part',
  dispute_chargeback: 'part',
  dispute_won: 'part',
  dispute_lost: 'part',
} as const satisfies NoticeKinds;

/** A card of the acquirer's vault. */
export interface Tokenized {
  /** Stands for the card at this acquirer alone. */
  readonly token: string;
  readonly card: Omit<CardShown, 'fingerprint'>;
}

/** The acquirer does not accept the card: its number is unknown to it. */
export class CardRefused extends Error {
  override name = 'CardRefused';
}

export interface Acquirer extends Party, NoticeSender {
  readonly name: string;
  readonly mode: Party['mode'];
  readonly idempotent: true;
  /** Whether card numbers given to the API may be sent to it. */
  readonly takesCards: boolean;
  /** Whether pages of integrators get tokens from it directly, which the API imports. */
  readonly givesTokens: boolean;
  /**
   * What is known of a card without a call: for dry runs. Throws CardRefused for a number that the acquirer is known
   * not to accept.
   */
  showing(card: CardInput): Tokenized['card'];
  /**
   * Exchanges a card for a token. Moves no money. A token with a security code authorizes once with it; `reusable` ones
   * remain. Throws CardRefused, and AcquirerUnreachable when no answer came.
   */
  tokenize(card: CardInput, options: { originator: string; reusable: boolean }): Promise<Tokenized>;
  /**
   * Exchanges a security code for a token of the same card, which authorizes once with the code. Throws CardRefused for an unknown
   * token, and AcquirerUnreachable.
   */
  withCode(token: string, cvc: string, options: { originator: string }): Promise<string>;
  /** Asks the issuer about a card, and charges nothing. Throws CardRefused for an unknown token, and AcquirerUnreachable. */
  verify(token: string, options: { originator: string }): Promise<Verified>;
  /** The card of a reusable token that was made elsewhere. Throws CardRefused for an unknown token, and AcquirerUnreachable. */
  cardOf(token: string, options: { originator: string }): Promise<Tokenized['card']>;
  /** Throws AcquirerUnreachable when no answer came. */
  submit(instruction: AcquirerInstruction): Promise<AcquirerAnswer>;
  /**
   * An authorization without a token: the payer gives the card on the acquirer's own page, which is the challenge of
   * the answer. The outcome comes in a notice, or by an inquiry about its reference. Absent: the card is given on our
   * page. Throws AcquirerUnreachable when no answer came.
   */
  hostedSession?(instruction: AuthorizeInstruction): Promise<AcquirerAnswer>;
  inquire(originator: string, reference: string): Promise<AcquirerAnswer | NotFound>;
  /**
   * Ends an authorization, whatever its state: an approved one is voided; an unknown one is recorded as canceled, so
   * that a paused process cannot charge afterwards. Answers with the state of the reference after that.
   */
  cancel(originator: string, reference: string): Promise<AcquirerAnswer>;
}

/** The acquirer gave no answer. */
export class AcquirerUnreachable extends PartyUnreachable {
  override name = 'AcquirerUnreachable';
}
