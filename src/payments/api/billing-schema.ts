/** A billing address in a request. No answer shows it. */
import { z } from 'zod';
import type { BillingAddress } from '../../acquirers/acquirer.ts';
import { freeText } from '../../api/schemas/fields.ts';
import { EMAIL_LENGTH_MAX, isEmailAddress } from '../email-address.ts';

const address = z
  .strictObject({
    line1: freeText(200, 'Street and number.').optional(),
    city: freeText(100, 'The city.').optional(),
    postal_code: freeText(
      20,
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
    name: freeText(200, 'The payer.').optional(),
    email: z.string().max(EMAIL_LENGTH_MAX).refine(isEmailAddress, 'Expects an email address.').optional().meta({
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
