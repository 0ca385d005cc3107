import { z } from 'zod';
import { instant } from '../../../api/pages.ts';
import { aliasUpTo, TEXT_LIMITS } from '../../../api/schemas/fields.ts';
import type { CliqRequestSource } from '../cliq-request.ts';

export const cliqRequest = z
  .strictObject({
    type: z.literal('cliq_request'),
    alias: aliasUpTo(
      TEXT_LIMITS.alias,
      'The alias or the mobile number that the payer has registered. Kept encrypted, shown masked. In test mode any alias waits for `POST /v1/simulations/payments/{id}/approve`, `/decline` or `/expire`.',
    ),
    expires_at: instant.optional().meta({
      description: 'Until when the payer may approve, by the clock of the book: within 30 days, by default a day.',
      example: '2099-01-01T00:00:00Z',
    }),
  })
  .meta({ id: 'CliqRequestSource', description: 'A request to pay, which the payer approves at their own bank.' });

export function cliqRequestOf({ type, alias, expires_at }: z.output<typeof cliqRequest>): CliqRequestSource {
  return { type, alias, expiresAt: expires_at ?? null };
}
