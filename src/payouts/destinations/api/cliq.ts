import { z } from 'zod';
import { aliasUpTo, TEXT_LIMITS } from '../../../api/schemas/fields.ts';
import { RESOLUTION_MAX } from '../resolution-token.ts';

/**
 * The sandbox's aliases as the API reference lists them, at the field that takes one. A test compares them with the
 * sandbox.
 */
const OUTCOMES: readonly (readonly [aliases: readonly string[], outcome: string])[] = [
  [['PENDING'], 'stays `processing` until `POST /v1/simulations/payouts/{id}/complete` or `/fail`'],
  [['NOALIAS'], 'fails with `alias_unregistered`'],
  [['CLOSED'], 'fails with `payee_account_closed`'],
  [['BLOCKED'], 'fails with `payee_account_blocked`'],
  [['LIMIT'], 'fails with `amount_exceeds_rail_limit`'],
  [['MISMATCH'], 'fails with `payee_name_mismatch`'],
  [['BANKDOWN'], 'fails with `payee_bank_unavailable`'],
  [['TIMEOUT'], 'unknown at first; an inquiry finds it paid'],
  [['TIMEOUTFAIL'], 'unknown at first; an inquiry finds it rejected with `payee_bank_unavailable`'],
  [['RETURN'], 'paid, then returned in full'],
  [['RETURNHALF'], 'paid, then half of it returned'],
  [
    ['WRONGAMOUNT', 'WRONGCURRENCY', 'WRONGPAYEE'],
    'confirmed with another amount, currency or payee: unknown, with an exception',
  ],
  [['REPOINTED'], 'paid; with a `resolution` it fails with `payee_changed`'],
  [['PROVIDERS'], 'paid; registered with two providers, `BANKA` and `BANKB`'],
];

/** A Markdown list: a line for each outcome. */
export const MAGIC_ALIASES_LISTED = OUTCOMES.map(
  ([aliases, outcome]) => `- ${aliases.map((alias) => `\`${alias}\``).join(', ')}: ${outcome}`,
).join('\n');

const fields = {
  type: z.literal('cliq'),
  alias: aliasUpTo(
    TEXT_LIMITS.alias,
    `The alias or the mobile number that the payee has registered. Kept encrypted, shown masked. In test mode the alias decides the outcome, and any other one is paid at once:\n\n${MAGIC_ALIASES_LISTED}`,
  ),
  provider: aliasUpTo(
    TEXT_LIMITS.provider,
    'Which of several providers, where the alias is registered with more than one.',
  ).nullish(),
};

export const cliqRequest = z
  .strictObject({
    ...fields,
    resolution: z
      .string()
      .regex(
        new RegExp(`^[A-Za-z0-9_-]{1,${RESOLUTION_MAX}}$`),
        'Expects a resolution, as `POST /v1/payouts/resolve` answers it.',
      )
      .meta({
        description:
          'Of `POST /v1/payouts/resolve`: the payout goes to the account that was found then. Where the alias leads to another one by now, it fails with `payee_changed`.',
      })
      .nullish(),
  })
  .meta({ id: 'CliqDestinationInput', description: 'Short-alias instant payment.' });

/** Without a resolution: what is looked up, or saved. */
export const cliqSaved = z
  .strictObject(fields)
  .meta({ id: 'CliqAliasInput', description: 'An alias for short-alias instant payments.' });

export const cliqClear = z
  .object({
    type: z.literal('cliq'),
    alias: z.string().meta({ description: 'The alias in clear.', example: 'SHOP1' }),
    provider: z.string().nullable().meta({ description: 'As it was asked for; null where it was not.' }),
  })
  .meta({ id: 'CliqDestinationInClear', description: 'An alias of a payee.' });

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
