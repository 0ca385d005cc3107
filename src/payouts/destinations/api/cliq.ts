import { z } from 'zod';
import { aliasUpTo, TEXT_LIMITS } from '../../../api/schemas/fields.ts';
import { MAGIC_ALIASES_LISTED } from './magic-aliases.ts';

export const cliqRequest = z
  .strictObject({
    type: z.literal('cliq'),
    alias: aliasUpTo(
      TEXT_LIMITS.alias,
      `The alias or the mobile number that the payee has registered. Kept encrypted, shown masked. In test mode the alias decides the outcome, and any other one is paid at once:\n\n${MAGIC_ALIASES_LISTED}`,
    ),
    provider: aliasUpTo(
      TEXT_LIMITS.provider,
      'Which of several providers, where the alias is registered with more than one.',
    ).nullish(),
  })
  .meta({ id: 'CliqDestinationInput', description: 'Short-alias instant payment.' });

export const cliqShown = z
  .object({
    type: z.literal('cliq'),
    alias_masked: z.string().meta({
      description: 'The alias: its first character, and its last two if it is long enough.',
      example: 'S**P1',
    }),
    provider: z.string().nullable().meta({ description: 'As it was asked for; null where it was not.' }),
  })
  .meta({ id: 'CliqDestination', description: 'An alias of a payee, masked.' });
