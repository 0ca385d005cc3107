/** Schemas of versions of matching rules. */
import { z } from 'zod';
import { positiveAmount } from '../../../api/schemas/amount.ts';
import { freeText, TEXT_LIMITS } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { actor } from '../../../api/schemas/timeline.ts';
import {
  type BankAccountRules,
  type BankAccountRulesAction,
  type BankAccountRulesStatus,
  RULE_TO,
  RULES_VERSION_TRANSITIONS,
} from '../bank-account-rules.ts';

export const RULES_STATUSES = Object.keys(RULES_VERSION_TRANSITIONS) as readonly BankAccountRulesStatus[];

const DIRECTIONS = ['in', 'out'] as const;
const TOLERANCES_MAX = 50;
const BOOKINGS_MAX = 100;
/** A shorter text stands in lines by chance. */
const PART_MIN = 3;

const toIs = "The account of the operator's chart that takes it.";
const to = z.enum(RULE_TO).meta({ description: toIs });
const partyIs = 'The rail or the acquirer, by its name here.';

const tolerance = z.strictObject({
  party: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'Expects the name of a rail or an acquirer.')
    .meta({ description: partyIs, example: 'sandbox' }),
  amount: positiveAmount.meta({
    description: 'By how much a line may differ from the item that it names. Without a tolerance: by nothing.',
  }),
  to,
});

const part = (description: string) =>
  freeText(TEXT_LIMITS.name, description).check((context) => {
    if (context.value.replace(/\s+/g, '').length >= PART_MIN) return;
    context.issues.push({
      code: 'custom',
      input: context.value,
      message: `Expects at least ${PART_MIN} characters: a shorter text stands in lines by chance.`,
    });
  });

const directionIs = '`in` for credits, `out` for debits.';
const codeIs = "The bank's code of the movement, or one of its parts between hyphens.";
const textIs = "A part of the line's text. White space and case make no difference.";
const counterpartyIs = 'The account of the other side, or a part of its name.';

const when = z
  .strictObject({
    direction: z.enum(DIRECTIONS).meta({ description: directionIs }),
    code: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9+._/-]{0,63}$/, 'Expects a code of the bank, such as CHRG.')
      .optional()
      .meta({ description: codeIs, example: 'CHRG' }),
    text: part(textIs).optional(),
    counterparty: part(counterpartyIs).optional(),
  })
  .refine(({ code, text, counterparty }) => code !== undefined || text !== undefined || counterparty !== undefined, {
    path: ['code'],
    error: 'Expects a code, a text or a counterparty: no line is booked for its direction alone.',
  })
  .meta({ description: 'Which lines it books: those for which all that is given holds.' });

const booking = z.strictObject({
  name: freeText(TEXT_LIMITS.name, 'For people: matches name it.'),
  when,
  amount_lte: positiveAmount.meta({ description: 'A line of more is left to people.' }),
  to,
});

const noneTwice = (members: readonly string[]) => new Set(members).size === members.length;

export const draftRules = z
  .strictObject({
    tolerances: z
      .array(tolerance)
      .max(TOLERANCES_MAX, `Expects at most ${TOLERANCES_MAX} tolerances.`)
      .refine((all) => noneTwice(all.map(({ party }) => party)), 'Expects one tolerance a party.')
      .optional()
      .meta({ description: 'At most one a party. Without it, none.' }),
    bookings: z
      .array(booking)
      .max(BOOKINGS_MAX, `Expects at most ${BOOKINGS_MAX} booking rules.`)
      .refine((all) => noneTwice(all.map(({ name }) => name)), 'Expects each name once.')
      .optional()
      .meta({ description: 'The first one that fits a line decides. Without it, none.' }),
  })
  .meta({ id: 'DraftBankAccountRules' });

export const draftRulesExample = {
  tolerances: [{ party: 'sandbox', amount: 50, to: 'differences' }],
  bookings: [
    { name: 'Charges', when: { direction: 'out', code: 'CHRG' }, amount_lte: 5_000, to: 'bank_charges' },
  ] as const,
};

export function contentOf({
  tolerances = [],
  bookings = [],
}: z.output<typeof draftRules>): Pick<BankAccountRules, 'tolerances' | 'bookings'> {
  return {
    tolerances: tolerances.map((one) => ({ party: one.party, amount: String(one.amount), to: one.to })),
    bookings: bookings.map(({ name, when: { direction, code, text, counterparty }, amount_lte, to }) => ({
      ...{ name, direction, code: code ?? null, text: text ?? null, counterparty: counterparty ?? null },
      ...{ amountMax: String(amount_lte), to },
    })),
  };
}

const orNone = (description: string) =>
  z
    .string()
    .nullable()
    .meta({ description: `${description} Null for any.` });

export const bankAccountRules = z
  .object({
    id: shown.id('bankAccountRules', 'The id of the version.'),
    object: z.literal('bank_account_rules'),
    livemode: shown.livemode,
    status: shown.oneOf(RULES_STATUSES, { description: '`active` while lines are matched by it.' }),
    bank_account: shown.id('bankAccount', 'Whose rules they are.'),
    number: shown.count('Counts from 1 in its bank account. Matches name it as `rules_version`.'),
    tolerances: z
      .array(
        z
          .object({
            party: z.string().meta({ description: partyIs }),
            amount: shown.money('By how much a line may differ from the item that it names.'),
            to: shown.oneOf(RULE_TO, { description: toIs }),
          })
          .meta({ id: 'MatchingTolerance', description: 'By how much lines of a party may differ.' }),
      )
      .meta({ description: 'At most one a party.' }),
    bookings: z
      .array(
        z
          .object({
            name: z.string().meta({ description: 'For people.' }),
            when: z
              .object({
                direction: shown.oneOf(DIRECTIONS, { description: directionIs }),
                code: orNone(codeIs),
                text: orNone(textIs),
                counterparty: orNone(counterpartyIs),
              })
              .meta({ id: 'BookingRuleLines', description: 'Which lines a rule books.' }),
            amount_lte: shown.money('A line of more is left to people.'),
            to: shown.oneOf(RULE_TO, { description: toIs }),
          })
          .meta({ id: 'BookingRule', description: 'Lines that no item is expected of, such as charges and interest.' }),
      )
      .meta({ description: 'The first one that fits a line decides.' }),
    drafted_by: actor,
    activated_by: shown.orNull(actor).meta({ description: 'Another person. Null before.' }),
    activated_at: shown.time('When it began to count. Null before.').nullable(),
    retired_at: shown.time('When a newer version took its place. Null before.').nullable(),
    allowed_actions: shown.allowedActions<BankAccountRulesAction>('activate'),
    request_id: shown.id('request', 'The request that drafted it.'),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
  })
  .meta({ id: 'BankAccountRules', description: 'A version of how lines of a bank account are matched.' });
