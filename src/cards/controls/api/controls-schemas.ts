/** Schemas of controls: their content in a request, and a version of them. */
import { z } from 'zod';
import { amountOrZero, orAll } from '../../../api/schemas/amount.ts';
import { reference } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { DEBIT_KINDS, ENTRY_MODES } from '../../purchase/purchase-facts.ts';
import { LIMITS_MAX, LIST_MAX } from '../content-errors.ts';
import { CONTROLS_TRANSITIONS, type ControlsAction, type ControlsStatus, SCOPES } from '../controls.ts';
import type { ControlsContent, Limit, LimitWindow } from '../controls-content.ts';

export const CONTROLS_STATUSES = Object.keys(CONTROLS_TRANSITIONS) as [ControlsStatus, ...ControlsStatus[]];

const WINDOWS = ['authorization', 'day', 'week', 'month', 'year', 'all_time'] as const satisfies readonly LimitWindow[];

/** Beyond what can be kept the list is not looked at. */
const entries = (description: string) =>
  z.array(z.string().min(1).max(64)).max(LIST_MAX, `At most ${LIST_MAX} entries.`).meta({ description });

const mccs = entries('Merchant category codes of ISO 18245, and ranges such as `3501-3999`.');
const countries = entries('Countries of ISO 3166-1, alpha-2.');
const merchants = entries("The acquirers' ids of merchants.");
const entryModes = z.array(z.enum(ENTRY_MODES)).max(ENTRY_MODES.length).meta({
  description: 'How the card is presented.',
});

const filter = z
  .strictObject({
    kinds: z.array(z.enum(DEBIT_KINDS)).max(DEBIT_KINDS.length).optional(),
    mccs: mccs.optional(),
    countries: countries.optional(),
    merchants: merchants.optional(),
    entry_modes: entryModes.optional(),
  })
  .meta({ id: 'CardLimitFilter', description: 'What the limit is for: of each member that is given, one has to fit.' });

const limit = z
  .strictObject({
    window: z.enum(WINDOWS).meta({
      description:
        "What is counted together: one purchase with its increments, a calendar window of the program's time zone (weeks begin on Monday), or everything.",
    }),
    amount: orAll(
      amountOrZero,
      "At most so much, in minor units of the account's currency. Without it, only purchases are counted.",
    ),
    count: orAll(z.int().min(0).max(1_000_000_000), 'At most so many purchases. Without it, only amounts are counted.'),
    for: filter.optional(),
    net_of_refunds: z.boolean().optional().meta({
      description: 'Refunds give back what purchases used up. Of `all_time` alone.',
    }),
  })
  .meta({ id: 'CardLimitRequest', description: 'An amount, a count, or both.' });

const allowOrBlock = (list: z.ZodType<string[]>, id: string) =>
  z
    .strictObject({ allow: list.optional(), block: list.optional() })
    .meta({ id, description: 'What alone is allowed, or what is blocked: one of them.' });

const content = {
  limits: z.array(limit).max(LIMITS_MAX, `At most ${LIMITS_MAX} limits.`).optional(),
  mcc: allowOrBlock(mccs, 'CardMccRequest').optional(),
  countries: allowOrBlock(countries, 'CardCountriesRequest').optional(),
  merchants: allowOrBlock(merchants, 'CardMerchantsRequest').optional(),
  entry_modes: z.strictObject({ allow: entryModes }).meta({ id: 'CardEntryModesRequest' }).optional(),
  cash: z.enum(['allow', 'block']).optional().meta({ description: 'Cash, quasi-cash and cashback.' }),
  require_three_d_secure_above: orAll(
    amountOrZero,
    'E-commerce above the amount needs an authenticated cardholder. Without it, none does.',
  ),
};

type ContentGiven = z.output<z.ZodObject<typeof content>>;

export function contentOf(given: ContentGiven): ControlsContent {
  return {
    limits: (given.limits ?? []).map(limitOf),
    mcc: given.mcc ?? null,
    countries: given.countries ?? null,
    merchants: given.merchants ?? null,
    entryModes: given.entry_modes ?? null,
    cash: given.cash ?? null,
    requireThreeDSecureAbove: given.require_three_d_secure_above ?? null,
  };
}

function limitOf({ window, amount, count, for: filtered, net_of_refunds }: z.output<typeof limit>): Limit {
  return {
    window,
    amount: amount ?? null,
    count: count === undefined ? null : BigInt(count),
    for: filtered
      ? {
          kinds: filtered.kinds,
          mccs: filtered.mccs,
          countries: filtered.countries,
          merchants: filtered.merchants,
          entryModes: filtered.entry_modes,
        }
      : null,
    netOfRefunds: net_of_refunds ?? false,
  };
}

export const controlsRequest = z
  .strictObject(content)
  .meta({ id: 'CardControlsRequest', description: 'What is allowed, blocked and limited.' });

const status = z.enum(['draft', 'shadow', 'active']);

/** For one card, one account, or the program. */
export const createControls = z
  .strictObject({
    card: reference('card', 'Of this card: they belong to the line of cards that replace it.').optional(),
    account: reference('account', 'Of all cards of this account.').optional(),
    program: z.literal(true).optional().meta({ type: 'boolean', description: 'Of all cards of the book.' }),
    status: status.optional().meta({ description: 'In which the version begins. Without it, `draft`.' }),
    ...content,
  })
  .meta({ id: 'CreateCardControls' });

export const createControlsExample = {
  account: 'acct_01k5c2r3v8e9m0x6y7z4a1b2cd',
  limits: [
    { window: 'authorization', amount: 100_000 },
    { window: 'month', amount: 1_000_000, count: 200 },
  ],
  mcc: { block: ['7995'] },
  countries: { allow: ['JO', 'AE', 'SA'] },
};

export const createCardControls = z
  .strictObject({
    status: status.optional().meta({ description: 'In which the version begins. Without it, `active`.' }),
    ...content,
  })
  .meta({ id: 'CreateControlsOfCard' });

export const createCardControlsExample = { limits: [{ window: 'day', amount: 50_000 }], cash: 'block' };

const textsOrNull = (description: string) => z.array(z.string()).nullable().meta({ description });

const lists = z
  .object({
    allow: textsOrNull('What alone is allowed; null where something is blocked.'),
    block: textsOrNull('What is blocked; null where something alone is allowed.'),
  })
  .meta({ id: 'CardControlLists', description: 'One of them is null.' });

const listsShown = (description: string) => shown.orNull(lists).meta({ description });

const measureShown = shown.orNull(
  z
    .object({
      used: shown.money('May be above the limit: what no issuer can refuse counts as well.'),
      remaining: shown.money('Never below 0.'),
    })
    .meta({ id: 'CardLimitMeasure' }),
);

const limitShown = z
  .object({
    window: shown.oneOf(WINDOWS, { description: 'What is counted together.' }),
    amount: shown.moneyOrNull('At most so much; null where only purchases are counted.'),
    count: shown.moneyOrNull('At most so many purchases; null where only amounts are.'),
    for: shown
      .orNull(
        z
          .object({
            kinds: textsOrNull('Kinds of purchases; null for any.'),
            mccs: textsOrNull('Merchant categories; null for any.'),
            countries: textsOrNull('Countries of merchants; null for any.'),
            merchants: textsOrNull('Merchants; null for any.'),
            entry_modes: textsOrNull('How the card is presented; null for any way.'),
          })
          .meta({ id: 'CardLimitFilterShown' }),
      )
      .meta({ description: 'What it is for; null for every purchase.' }),
    net_of_refunds: z.boolean().meta({ description: 'Refunds give back what purchases used up.' }),
    usage: z
      .array(
        z
          .object({
            currency: shown.currencyShown,
            amount: measureShown.meta({ description: 'Null for a limit without an amount.' }),
            count: measureShown.meta({ description: 'Null for a limit without a count.' }),
            resets_at: shown.time('When the window ends. Null where none does.').nullable(),
            counted_since: shown
              .time('Since when purchases count: of a limit with `for`. Null where every purchase counts.')
              .nullable(),
          })
          .meta({ id: 'CardLimitUsage' }),
      )
      .nullable()
      .meta({
        description:
          "What is used up now: in the account's currency, or of the program in each that the book has accounts in. Null in events and in answers to writes.",
      }),
  })
  .meta({ id: 'CardLimit' });

export const controls = z
  .object({
    id: shown.id('cardControls'),
    object: z.literal('card_controls'),
    livemode: shown.livemode,
    status: shown.oneOf(CONTROLS_STATUSES, {
      description:
        'draft → shadow → active → retired. One version of each card, account and program is active, and one is shadow: evaluated and shown, without deciding.',
    }),
    scope: shown.oneOf(SCOPES, { description: 'Whose they are.' }),
    card: shown.id('card', 'With the scope `card`: they belong to its line of replacements.').nullable(),
    account: shown.id('account', 'With the scope `account`.').nullable(),
    number: z.number().int().meta({ description: 'Which version of its card, account or program: from 1.' }),
    limits: z.array(limitShown).meta({ description: 'What may be used up.' }),
    mcc: listsShown('By merchant category; null for any.'),
    countries: listsShown('By country of the merchant; null for any.'),
    merchants: listsShown('By merchant; null for any.'),
    entry_modes: shown
      .orNull(
        z
          .object({ allow: z.array(z.string()).meta({ description: 'What alone is allowed.' }) })
          .meta({ id: 'CardEntryModeControl' }),
      )
      .meta({ description: 'How the card may be presented; null for any way.' }),
    cash: shown.oneOfOrNull(['allow', 'block'], {
      description: 'Cash, quasi-cash and cashback; null: not decided here.',
    }),
    require_three_d_secure_above: shown.moneyOrNull(
      'E-commerce above the amount needs an authenticated cardholder; null: never.',
    ),
    counted_since: shown
      .time('When it first became shadow or active: its limits with `for` count from then on. Null before.')
      .nullable(),
    allowed_actions: shown.allowedActions<ControlsAction>('shadow', 'activate', 'retire'),
    request_id: shown.id('request', 'The request that made it.'),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
  })
  .meta({ id: 'CardControls', description: 'A version of what cards may do. It never changes but in its status.' });
