/** A billing address in a request. No answer shows it. */
import { z } from 'zod';
import type { BillingAddress } from '../../../acquirers/acquirer.ts';
import { ONE_LINE } from '../../../acquirers/party-texts.ts';
import { partyText, refuseCardNumber } from '../../../api/schemas/fields.ts';
import { EMAIL_LENGTH_MAX, isEmailAddress } from '../email-address.ts';

const address = z
  .strictObject({
    line1: partyText(200, ONE_LINE, 'Street and number.').optional(),
    city: partyText(100, ONE_LINE, 'The city.').optional(),
    postal_code: partyText(
      20,
      ONE_LINE,
      'As the country writes it. In test mode `00000` is one that the issuer does not know.',
    ).optional(),
    country: z
      .string()
      .regex(/^[A-Z]{2}$/, 'Expects two capital letters, such as JO.')
      .optional()
      .meta({ description: 'ISO 3166-1 alpha-2.', example: 'JO' }),
  })
  .meta({ id: 'PaymentBillingAddress', description: 'Where the payer gets their bills.' });

export const billing = z
  .strictObject({
    name: partyText(200, ONE_LINE, 'The payer.').optional(),
    email: z
      .string()
      .max(EMAIL_LENGTH_MAX, { abort: true })
      .refine(isEmailAddress, { error: 'Expects an email address.', abort: true })
      .check(refuseCardNumber)
      .optional()
      .meta({
        format: 'idn-email',
        description: 'Of the payer: a local part of RFC 5321 without quotes, and a public host in Unicode or punycode.',
        example: 'payer@example.com',
      }),
    address: address.optional(),
  })
  .meta({
    id: 'PaymentBilling',
    description:
      'For the check of the address (`authorization.avs`). Kept encrypted until it is erased, and shown in no answer or event.',
  });

export function billingOf({ name, email, address: given }: z.output<typeof billing>): BillingAddress {
  return {
    name: name ?? null,
    email: email ?? null,
    address: given
      ? {
          line1: given.line1 ?? null,
          city: given.city ?? null,
          postalCode: given.postal_code ?? null,
          country: given.country ?? null,
        }
      : null,
  };
}
