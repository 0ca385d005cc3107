/**
 * Cards as acquirers accept them and as the product shows them. A number exists only between a request and an acquirer.
 */

import type { Instant } from '../values/clock.ts';

/** A card in clear: never stored, logged or put into a job, an event or an answer. */
export interface CardInput {
  readonly number: string;
  /** 1 to 12. */
  readonly expMonth: number;
  /** Four digits. */
  readonly expYear: number;
  /** Stored by the acquirer until one authorization, and by nobody afterwards (PCI DSS 3.3.1). */
  readonly cvc: string | null;
  readonly name: string | null;
}

/** A card is valid until its month has ended everywhere: UTC−12. */
export function isExpired({ expMonth, expYear }: Pick<CardInput, 'expMonth' | 'expYear'>, now: Instant): boolean {
  return Date.UTC(expYear, expMonth, 1, 12) <= now;
}

export type CardBrand =
  | 'visa'
  | 'mastercard'
  | 'american_express'
  | 'discover'
  | 'jcb'
  | 'unionpay'
  | 'diners'
  | 'unknown';

export type CardFunding = 'credit' | 'debit' | 'prepaid' | 'unknown';

/** What may be stored of a card. */
export interface CardShown {
  readonly brand: CardBrand;
  readonly lastFour: string;
  readonly expMonth: number;
  readonly expYear: number;
  /** A keyed digest of the number: the same card has the same one, and guessing numbers does not find it. */
  readonly fingerprint: string;
  readonly funding: CardFunding;
  /** Of the issuer: ISO 3166-1 alpha-2; null where unknown. */
  readonly country: string | null;
}
