/** The adapter `iso20022` in RAILS_FILE. */
import { isAbsolute } from 'node:path';
import { z } from 'zod';

/** A file of 10,000 is made within seconds, and its rows are one commit. */
const PAYMENTS_MAX = 10_000;
/** An account has an IBAN and a number, each with and without its currency. */
const NAMES_MAX = 20;
const DAY_SECONDS = 86_400;

const folder = z
  .string()
  .max(1_000)
  .refine(isAbsolute, 'Expects the absolute path of a folder: every process has to find the same one.');

/** ISO 13616: the check digits by modulus 97 of ISO 7064. */
function hasCheckDigits(iban: string): boolean {
  const digits = [...(iban.slice(4) + iban.slice(0, 4))].map((character) => Number.parseInt(character, 36)).join('');
  return BigInt(digits) % 97n === 1n;
}

export const iso20022Settings = z.strictObject({
  type: z.literal('iso20022'),
  /** `epc` is pain.001.001.09 by the EPC's profile, euro alone; `iso` is pain.001.001.10. */
  profile: z.enum(['epc', 'iso']),
  characters: z.enum(['epc', 'utf8']).default('epc'),
  debtor: z.strictObject({
    name: z.string().min(1).max(70),
    iban: z
      .string()
      .regex(/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/, 'Expects an IBAN without spaces, in capitals.')
      .refine(hasCheckDigits, 'Expects an IBAN whose check digits are right.'),
    bic: z.string().regex(/^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/, 'Expects a BIC of 8 or 11 characters.'),
    /** Other names under which the bank reports the account. ISO 20022 has 34 characters in `Othr/Id`. */
    reported_as: z.array(z.string().min(1).max(34)).max(NAMES_MAX).default([]),
  }),
  /** Whether the bank carries a payment without the payee's address. */
  payee_address: z.enum(['optional', 'required']).default('optional'),
  batch_booking: z.boolean().optional(),
  paid_by: z.enum(['entry', 'status']).default('entry'),
  folders: z.strictObject({ outbox: folder, inbox: folder, work: folder }),
  payments_per_file: z.number().int().min(1).max(PAYMENTS_MAX).default(PAYMENTS_MAX),
  file_after_seconds: z.number().int().min(0).max(DAY_SECONDS).default(900),
  inbox_rests_seconds: z.number().int().min(0).max(DAY_SECONDS).default(10),
  silent_after_days: z.number().int().min(1).max(30).default(2),
});

export type Iso20022Settings = z.output<typeof iso20022Settings>;
