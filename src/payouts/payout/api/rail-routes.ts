/** The rails of a book. */
import { z } from 'zod';
import { route, routesSince } from '../../../api/route.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { isPaused } from '../../pauses/pause.ts';
import { readPauses } from '../../pauses/pause-store.ts';
import { railsShown } from '../rails-shown.ts';

const currencyOrNull = z
  .string()
  .nullable()
  .meta({ description: 'ISO 4217; null for every currency.', example: 'JOD' });
const textOrNull = (description: string, example: string) => z.string().nullable().meta({ description, example });

const fee = z
  .object({
    currency: currencyOrNull,
    minimum: shown.moneyOrNull('Of amounts from this one on; null for any.'),
    maximum: shown.moneyOrNull('Up to this amount; null for any.'),
    fixed: shown.money('For every payout, in minor units.'),
    basis_points: z
      .number()
      .int()
      .meta({ description: 'Beside it: hundredths of a per cent of the amount.', example: 50 }),
    fee_minimum: shown.moneyOrNull('The least that the fee is; null for none.'),
    fee_maximum: shown.moneyOrNull('The most that the fee is; null for none.'),
  })
  .meta({ id: 'RailFee', description: 'What a payout over the rail costs.' });

const destination = z
  .object({
    type: z.string().meta({ description: 'A type of destination, as payouts take it.', example: 'iban' }),
    required: z.array(z.string()).meta({
      description: 'What a payout there must name; of a wallet `phone` may take the place.',
      example: ['iban', 'name'],
    }),
    fees: z.array(fee).meta({ description: 'By currency and amount.' }),
  })
  .meta({ id: 'RailDestination', description: 'What a rail carries payouts to.' });

const rail = z
  .object({
    object: z.literal('rail'),
    name: z
      .string()
      .meta({ description: 'As payouts show it; `book` is a transfer within the book.', example: 'sandbox' }),
    mode: shown.oneOf(['test', 'live'], { description: 'The books that it serves: those of the key.' }),
    settles: shown.oneOf(['instant', 'file'], {
      description: '`instant`: the rail answers within seconds. `file`: it is sent files, and answers by files.',
    }),
    destinations: z.array(destination).meta({ description: 'What it carries payouts to.' }),
    currencies: z
      .array(
        z
          .object({
            currency: shown.currencyShown,
            minimum: shown.money('The least amount of a payout.'),
            maximum: shown.money('The largest amount of a payout.'),
          })
          .meta({ id: 'RailCurrency', description: 'A currency that a rail carries.' }),
      )
      .nullable()
      .meta({ description: 'Null where settings bound none: every currency, any amount.' }),
    time_zone: textOrNull('Of cut-off and calendar; null for a rail that pays at any moment.', 'Asia/Amman'),
    cut_off: textOrNull('From then on, payouts count as those of the next day; null for midnight.', '16:00'),
    calendar: textOrNull('Its business days; null for a rail that pays at any moment.', 'target2'),
    days_to_arrive: z.number().int().nullable().meta({
      description: 'Business days from the day of execution to the arrival; null for a rail that pays at any moment.',
    }),
    available: z.boolean().meta({ description: 'Whether payouts over it are sent now.' }),
    unavailable_reason: shown.oneOfOrNull(['paused', 'not_configured'], {
      description:
        '`paused`: the operator keeps payouts back; they are accepted, and wait. `not_configured`: settings name it, and nothing serves it.',
    }),
  })
  .meta({ id: 'Rail', description: 'What carries payouts.' });

const list = route({
  method: 'get',
  path: '/v1/rails',
  operation: 'listRails',
  tag: 'Payouts',
  summary: 'List the rails',
  description: 'All of them: the list has one page.',
  scope: 'payouts:read',
  responses: { 200: { description: 'Those that serve the book of the key.', schema: shown.listOf(rail, 'Rail') } },
  async handle({ runtime, principal: { bookId, mode } }) {
    const pauses = await readPauses(runtime.pool);
    const { rails, railSettings, config } = runtime;
    const data = railsShown({
      ...{ mode, config, rails: rails.all() },
      settings: railSettings,
      isPaused: (name) => isPaused(pauses, { bookId, rail: name }),
    });
    return { status: 200, json: { object: 'list', data, has_more: false, next_cursor: null, url: '/v1/rails' } };
  },
});

export const railRoutes = routesSince('0.4.0', [list]);
