import { z } from 'zod';
import { reference } from '../../../api/schemas/fields.ts';
import { cvc } from '../../payment/api/card-schema.ts';
import type { TokenSource } from '../token-source.ts';

export const tokenRequest = z
  .strictObject({
    type: z.literal('token'),
    token: reference('paymentToken', 'A token that pays: one-time and not used, or kept for a customer.'),
    cvc: cvc.optional().meta({
      description: 'The security code, asked of the payer again. Kept in no form.',
      example: '123',
    }),
  })
  .meta({ id: 'TokenSource', description: 'A card by its token.' });

export function tokenSourceOf({ type, token: tokenId, cvc: code }: z.output<typeof tokenRequest>): TokenSource {
  return { type, tokenId, cvc: code ?? null };
}
