/** A card in a request, and as it is shown. */
import { z } from 'zod';
import type { CardInput } from '../../../acquirers/card.ts';
import { ONE_LINE } from '../../../acquirers/party-texts.ts';
import { type CardScript, TEST_CARDS } from '../../../acquirers/test-cards.ts';
import { partyText } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { isLuhnValid } from '../../../values/luhn.ts';

/** Of the scripts that are no decline code: a decline is named by its code. */
const OUTCOMES: Partial<Record<CardScript, string>> = {
  approved: 'approved',
  unanswered: 'times out, and turns out paid',
  lost: 'times out, and was never received',
  challenge: 'asks for a challenge; without `return_url` declined with `authentication_required`',
  challenge_declined: 'declined with `generic_decline` once its challenge was passed',
  disputed: 'approved, and disputed as soon as it is captured',
  refund_fails: 'approved; each of its refunds fails after it succeeded',
};

/**
 * The sandbox's test numbers for the reference, at the field that takes one. A Markdown list: a line for each outcome.
 */
function listTestNumbers(): string {
  const numbers = new Map<CardScript, string[]>();
  for (const [number, { script }] of TEST_CARDS) numbers.set(script, [...(numbers.get(script) ?? []), `\`${number}\``]);
  return [...numbers]
    .map(([script, known]) => `- ${known.join(', ')}: ${OUTCOMES[script] ?? `declined with \`${script}\``}`)
    .join('\n');
}

const digits = (pattern: RegExp, expected: string) => z.string().regex(pattern, expected);

/** Refusals name no digit: an answer may be logged. */
export const number = digits(/^\d{13,19}$/, 'Expects 13 to 19 digits, without spaces.')
  .refine((text) => isLuhnValid(text), 'Its check digit is wrong.')
  .meta({
    description: `Exchanged for a token before anything is stored. In test mode one of these, and the number decides the outcome:\n\n${listTestNumbers()}`,
    example: '4242424242424242',
  });

export const cvc = digits(/^\d{3,4}$/, 'Expects 3 or 4 digits.');

export const cardMembers = {
  number,
  exp_month: z.number().int().min(1).max(12).meta({ description: '1 to 12.', example: 12 }),
  exp_year: z.number().int().min(2000).max(2100).meta({ description: 'Four digits.', example: 2034 }),
  cvc: cvc.optional().meta({
    description: 'The security code. Kept in no form, and no part of what an Idempotency-Key stands for.',
    example: '123',
  }),
  name: partyText(100, ONE_LINE, 'As it stands on the card.').optional(),
};

/** A card of a request, as acquirers take it. */
export function cardOf(given: z.output<z.ZodObject<typeof cardMembers>>): CardInput {
  const { number, exp_month: expMonth, exp_year: expYear, cvc: code, name } = given;
  return { number, expMonth, expYear, cvc: code ?? null, name: name ?? null };
}

/**
 * A card of a request, or a source, without what must be in no digest that can be guessed: the number stands in it by a keyed digest,
 * the code not at all.
 */
export function digestedCard(card: unknown, digestOf: (text: string) => string): unknown {
  if (typeof card !== 'object' || card === null) return card;
  const { cvc: _, number, ...others } = card as Record<string, unknown>;
  return number === undefined ? others : { ...others, number: digestOf(`number ${String(number)}`) };
}

export const cardShown = z
  .object({
    type: shown.oneOf(['card'], { description: 'What it is paid with.' }),
    brand: shown.oneOf(['visa', 'mastercard', 'american_express', 'discover', 'jcb', 'unionpay', 'diners', 'unknown'], {
      description: 'The network.',
    }),
    last_four: z.string().meta({ description: 'The last four digits.', example: '4242' }),
    exp_month: z.number().int().meta({ description: '1 to 12.', example: 12 }),
    exp_year: z.number().int().meta({ description: 'Four digits.', example: 2034 }),
    fingerprint: z.string().meta({
      description: 'A keyed digest of the number: the same card of a book has the same one.',
      example: '5f1c0a9e3b7d2c48',
    }),
    funding: shown.oneOf(['credit', 'debit', 'prepaid', 'unknown'], { description: 'How the card is funded.' }),
    country: z.string().nullable().meta({ description: 'Of the issuer: ISO 3166-1 alpha-2.', example: 'US' }),
  })
  .meta({ id: 'Card', description: 'What may be known of a card.' });
