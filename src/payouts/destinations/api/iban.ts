import { countrySpecs, electronicFormatIBAN, isValidBIC, isValidIBAN } from 'ibantools';
import { z } from 'zod';
import { aliasUpTo } from '../../../api/schemas/fields.ts';
import type { IbanInput } from '../iban.ts';

/** ISO 20022: Max140Text of a name. Rails carry fewer, and refuse what they cannot carry. */
const NAME_MAX = 140;
/** An IBAN has up to 34 characters; as it is printed, a space after each four. */
const IBAN_TEXT_MAX = 42;

const address = z
  .strictObject({
    line1: aliasUpTo(70, 'Street and number.'),
    city: aliasUpTo(70, 'The city.'),
    postal_code: aliasUpTo(16, 'As the country writes it.').optional(),
    country: z
      .string()
      .refine((code) => Object.hasOwn(countrySpecs, code), 'Expects a country of ISO 3166-1, such as JO.')
      .meta({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2.', example: 'JO' }),
  })
  .meta({ id: 'PayeeAddress', description: 'Where the payee lives, for rails that ask for it.' });

export const ibanRequest = z
  .strictObject({
    type: z.literal('iban'),
    iban: z
      .string()
      .max(IBAN_TEXT_MAX, { error: 'Expects an IBAN.', abort: true })
      .transform((text, context) => {
        const iban = electronicFormatIBAN(text);
        if (iban !== null && /^[A-Za-z0-9 ]+$/.test(text) && isValidIBAN(iban)) return iban;
        context.issues.push({
          code: 'custom',
          input: text,
          message: 'Expects an IBAN: its country, its length and its check digits do not go together.',
        });
        return z.NEVER;
      })
      .meta({
        type: 'string',
        maxLength: IBAN_TEXT_MAX,
        description:
          'ISO 13616, with or without spaces. Kept encrypted, shown masked. In test mode an IBAN of Jordan whose end is a magic alias, such as `…PENDING`, has its outcome.',
        example: 'JO94CBJO0010000000000131000302',
      }),
    name: aliasUpTo(
      NAME_MAX,
      "The account's owner. Kept encrypted, shown masked. In test mode `resolve` answers `close_match` to `CLOSE` and `no_match` to `OTHER`.",
    ),
    bic: z
      .string()
      .refine(isValidBIC, 'Expects a BIC of 8 or 11 characters.')
      .meta({ description: "ISO 9362, of the payee's bank.", example: 'CBJOJOAX' })
      .nullish(),
    address: address.nullish(),
  })
  .meta({ id: 'IbanDestinationInput', description: 'Bank transfer.' });

export const ibanShown = z
  .object({
    type: z.literal('iban'),
    iban_masked: z.string().meta({
      description: 'Country, check digits and the last four.',
      example: 'JO94**********************0302',
    }),
    name_masked: z.string().meta({ description: 'Of each word the first character.', example: 'S*** H***' }),
    bic: z.string().nullable().meta({ description: 'As it was given; null where it was not.' }),
  })
  .meta({ id: 'IbanDestination', description: 'A bank account, masked.' });

export const ibanClear = z
  .object({
    type: z.literal('iban'),
    iban: z.string().meta({ description: 'Without spaces.', example: 'JO94CBJO0010000000000131000302' }),
    name: z.string().meta({ description: "The account's owner.", example: 'Salma Haddad' }),
    bic: z.string().nullable().meta({ description: 'As it was given; null where it was not.' }),
    address: z
      .object({
        line1: z.string().meta({ description: 'Street and number.' }),
        city: z.string().meta({ description: 'The city.' }),
        postal_code: z.string().nullable().meta({ description: 'As the country writes it.' }),
        country: z.string().meta({ description: 'ISO 3166-1 alpha-2.', example: 'JO' }),
      })
      .nullable()
      .meta({ description: 'As it was given; null where it was not.' }),
  })
  .meta({ id: 'IbanDestinationInClear', description: 'A bank account.' });

export function ibanInputOf({ address: given, ...input }: z.output<typeof ibanRequest>): IbanInput {
  if (!given) return input;
  const { line1, city, country, postal_code: postalCode = null } = given;
  return { ...input, address: { line1, city, country, postalCode } };
}
