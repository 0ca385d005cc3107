/** Schemas of bank accounts. */
import { z } from 'zod';
import { signedAmount } from '../../../api/schemas/amount.ts';
import { currency, freeText, TEXT_LIMITS, unlessGiven } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { CALENDARS } from '../../../calendar/business-days.ts';
import { plainIdentifier } from '../../../outside/credits/credited-account-store.ts';
import {
  ALLOCATE_ON,
  BANK_ACCOUNT_TRANSITIONS,
  type BankAccountAction,
  type BankAccountStatus,
  BOOKS_FROM,
  HOLDS,
  REVERSAL_INDICATORS,
  SETTLES,
} from '../bank-account.ts';

export const BANK_ACCOUNT_STATUSES = Object.keys(BANK_ACCOUNT_TRANSITIONS) as readonly BankAccountStatus[];

const IDENTIFIERS_MAX = 10;

const identifier = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9 ./-]{0,63}$/, 'Expects an IBAN or the number of an account, of up to 64 characters.')
  .transform(plainIdentifier)
  .meta({ type: 'string', minLength: 1, maxLength: 64, example: 'JO94CBJO0010000000000131000302' });

const identifiers = z
  .array(identifier)
  .min(1, 'Expects at least one identifier.')
  .max(IDENTIFIERS_MAX, `Expects at most ${IDENTIFIERS_MAX} identifiers.`)
  .transform((given) => [...new Set(given)])
  .meta({
    type: 'array',
    items: { type: 'string' },
    minItems: 1,
    maxItems: IDENTIFIERS_MAX,
    description: 'What files name the account by: its IBAN, its number. White space and case make no difference.',
  });

const bic = z
  .string()
  .regex(/^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/, 'Expects a BIC (ISO 9362), such as CBJOJOAX.')
  .meta({ description: 'Of the bank, as ISO 9362 writes it.', example: 'CBJOJOAX' });

const day = z.iso.date({ error: 'Expects a day, such as 2026-11-01.' }).meta({
  type: 'string',
  format: 'date',
  description: 'The first day whose lines are posted.',
  example: '2026-11-01',
});

const booksFrom =
  'Which messages post: `statement` (camt.053, MT940, BAI2, CSV), or `report` (camt.052, MT942) where a bank has no other.';
const reversal =
  'Whether an entry that the bank calls a reversal states its own direction (`entry`), or that of the entry that it reverses (`original`).';

const allocateOn =
  'What credits customers whose reference a credit names: the line of a statement alone (`statement`), or a notification too, where one comes before (`notification`).';

const calendarIs = 'Whose business days count in `window`.';
const settlesIs =
  'How its movements stand on statements: `single` each under our end-to-end id, `reference` each under its own, `day` a day as one, `sequence` consecutive reports as one.';

const PARTIES_MAX = 50;
const PARTY_FACTS_MAX = 20;
const WINDOW_MAX = 60;

const businessDays = (description: string) => z.int().min(0).max(WINDOW_MAX).meta({ description });

const windowIs = 'When a line may stand that names nothing.';
const matchingWindow = z
  .strictObject({
    before: businessDays('Business days before the day on which a movement is expected.'),
    after: businessDays('Business days after it.'),
  })
  .meta({ description: windowIs, example: { before: 1, after: 5 } });

const partyAtBank = z.strictObject({
  party: z
    .string()
    .min(1)
    .max(64)
    .meta({ description: 'The rail or the acquirer, by its name here.', example: 'sandbox' }),
  accounts: unlessGiven(
    z
      .array(identifier)
      .max(PARTY_FACTS_MAX)
      .meta({ type: 'array', items: { type: 'string' } }),
    [],
    'What lines name its accounts by. Without it, none is known.',
  ),
  names: unlessGiven(
    z.array(z.string().min(1).max(TEXT_LIMITS.name)).max(PARTY_FACTS_MAX),
    [],
    'What lines call it. Without it, no name is known.',
  ),
  settles: unlessGiven(z.enum(SETTLES), 'single', `${settlesIs} Without it, \`single\`.`),
});
const partiesAre = 'Who pays and takes at it. Without it, nobody is known.';
const parties = z
  .array(partyAtBank)
  .max(PARTIES_MAX, `Expects at most ${PARTIES_MAX} parties.`)
  .meta({ description: partiesAre });

const OUTSTANDING_MAX = 1_000;
const outstandingIs =
  'What was on its way and is awaited on its statements: ids of payouts, returns, transfers and reports, or end-to-end ids. Whatever else was expected before that day is closed against own funds.';

const opening = z
  .strictObject({
    on: day,
    amount: signedAmount.meta({ description: 'What stood on the account when that day began.' }),
    outstanding: z
      .array(z.string().min(1).max(TEXT_LIMITS.name))
      .max(OUTSTANDING_MAX, `Expects at most ${OUTSTANDING_MAX} movements.`)
      .optional()
      .meta({ description: outstandingIs, example: ['po_01kec2v7qwf15vsgqhawh0d2r1'] }),
  })
  .meta({ description: 'Where the account begins.' });

export const createBankAccount = z
  .strictObject({
    name: freeText(TEXT_LIMITS.name, 'For people.'),
    currency,
    identifiers,
    bic: bic.nullable().optional(),
    holds: z.enum(HOLDS).meta({ description: 'Whose money stands there.' }),
    opening,
    books_from: unlessGiven(z.enum(BOOKS_FROM), 'statement', `${booksFrom} Without it, \`statement\`.`),
    reversal_indicator: unlessGiven(z.enum(REVERSAL_INDICATORS), 'entry', `${reversal} Without it, \`entry\`.`),
    allocate_on: z
      .enum(ALLOCATE_ON)
      .optional()
      .meta({
        description: `${allocateOn} Without it, \`notification\` where a rail by files reads the notifications of the account, else \`statement\`.`,
      }),
    calendar: unlessGiven(z.enum(CALENDARS), 'fri_sat', `${calendarIs} Without it, \`fri_sat\`.`),
    window: unlessGiven(matchingWindow, { before: 1, after: 5 }, `${windowIs} Without it, 1 before and 5 after.`),
    parties: unlessGiven(parties, [], partiesAre),
  })
  .meta({ id: 'CreateBankAccount' });

export const createBankAccountExample = {
  name: 'Current account',
  currency: 'JOD',
  identifiers: ['JO94CBJO0010000000000131000302'],
  holds: 'customer_money',
  opening: { on: '2026-11-01', amount: 1_250_000 },
};

export const updateBankAccount = z
  .strictObject({
    name: freeText(TEXT_LIMITS.name, 'For people.').optional(),
    bic: bic.nullable().optional(),
    books_from: z.enum(BOOKS_FROM).optional().meta({ description: booksFrom }),
    reversal_indicator: z.enum(REVERSAL_INDICATORS).optional().meta({ description: reversal }),
    allocate_on: z.enum(ALLOCATE_ON).optional().meta({ description: allocateOn }),
    calendar: z.enum(CALENDARS).optional().meta({ description: calendarIs }),
    window: matchingWindow.optional(),
    parties: parties.optional(),
  })
  .meta({ id: 'UpdateBankAccount' });

export const bankAccount = z
  .object({
    id: shown.id('bankAccount'),
    object: z.literal('bank_account'),
    livemode: shown.livemode,
    status: shown.oneOf(BANK_ACCOUNT_STATUSES, { description: '`closed` once nothing more is posted.' }),
    name: z.string().meta({ description: 'For people.' }),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    identifiers: z
      .array(z.string())
      .meta({ description: 'What files name the account by, in capitals and without white space.' }),
    bic: z.string().nullable().meta({ description: 'Of the bank. Null where it was not given.' }),
    holds: shown.oneOf(HOLDS, { description: 'Whose money stands there.' }),
    opening: z
      .object({
        on: z.iso.date().meta({ description: 'Statements that end before it are not posted.' }),
        amount: shown.money('What stood on the account when that day began; negative for an overdraft.'),
        outstanding: z.array(z.string()).meta({ description: outstandingIs }),
      })
      .meta({ id: 'BankAccountOpening', description: 'Where the account begins.' }),
    books_from: shown.oneOf(BOOKS_FROM, { description: booksFrom }),
    reversal_indicator: shown.oneOf(REVERSAL_INDICATORS, { description: reversal }),
    allocate_on: shown.oneOf(ALLOCATE_ON, { description: allocateOn }),
    calendar: shown.oneOf(CALENDARS, { description: calendarIs }),
    window: z
      .object({
        before: shown.count('Business days before the day on which a movement is expected.'),
        after: shown.count('Business days after it.'),
      })
      .meta({ id: 'MatchingWindow', description: 'When a line may stand that names nothing.' }),
    parties: z
      .array(
        z
          .object({
            party: z.string().meta({ description: 'The rail or the acquirer.' }),
            accounts: z.array(z.string()).meta({ description: 'What lines name its accounts by.' }),
            names: z.array(z.string()).meta({ description: 'What lines call it.' }),
            settles: shown.oneOf(SETTLES, { description: settlesIs }),
          })
          .meta({ id: 'PartyAtBank', description: 'Who pays and takes at a bank account.' }),
      )
      .meta({ description: 'Who pays and takes at it.' }),
    ledger_account: shown.id('account', 'The account of the ledger that equals it.'),
    balance: shown.money('What the opening and all posted lines come to; negative for an overdraft.'),
    last_statement: shown.id('bankStatement', 'The one that was posted last. Null before the first.').nullable(),
    rules_version: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'The number of the active version of its matching rules. Null where there is none.' }),
    journal_entries: shown.entries('The entry of its opening. Statements have entries of their own.'),
    allowed_actions: shown.allowedActions<BankAccountAction>('close'),
    request_id: shown.id('request', 'The request that made it.'),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
  })
  .meta({ id: 'BankAccount', description: "An account of the operator's at a bank." });
