/** Schemas of the program of a book. */
import { z } from 'zod';
import { amountOrZero } from '../../../api/schemas/amount.ts';
import { currency } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { URL_LENGTH_MAX } from '../../../outside/connections/endpoint-url.ts';
import { DECISION_TIMEOUT_MS, type Program } from '../program.ts';
import { EXPIRY_DAYS_MAX, PERCENT_MAX } from '../program-errors.ts';
import { OVERLAP_DEFAULT_MS, OVERLAP_MAX_MS } from '../update-program.ts';

/** Beyond every program that means something. */
const LIST_MAX = 500;

const timeoutText = `How long it may take, in milliseconds: ${DECISION_TIMEOUT_MS.least} to ${DECISION_TIMEOUT_MS.most}. Without it, ${DECISION_TIMEOUT_MS.default}.`;
const timeZoneText =
  "As the IANA database names it. Windows of limits begin by it. The book's, until it is set; the first transaction fixes it.";
const fuelText =
  'Automated fuel dispensers (MCC 5542) ask before anybody knows how much is pumped: a request of at most `status_check_max` is decided on, and holds, `amount`.';
const feesText =
  "Charged to the account when a purchase clears, and held beside it before. Amounts are minor units of the account's currency; null is none.";

const decision = z
  .strictObject({
    url: z.string().max(URL_LENGTH_MAX).meta({ format: 'uri', description: 'A public https URL.' }),
    timeout_ms: z
      .int()
      .min(DECISION_TIMEOUT_MS.least)
      .max(DECISION_TIMEOUT_MS.most)
      .optional()
      .meta({ description: timeoutText }),
    default: z.enum(['approve', 'decline']).meta({
      // In place it would be named after the member, as Rust's trait is.
      id: 'CardDecisionDefault',
      description: 'What applies where it does not answer in time, or in another form.',
    }),
  })
  .meta({ id: 'CardDecisionEndpointRequest', description: 'Asked before an approval, which it may only narrow.' });

/** A type has to be given: the generator knows none of an amount that may be null. */
const boundOf = (description: string) =>
  amountOrZero
    .nullable()
    .optional()
    .meta({ type: ['integer', 'null'], format: 'int64', minimum: 0, description });

const feeRequest = z
  .strictObject({
    fixed: amountOrZero.optional(),
    basis_points: z.int().min(0).max(10_000).optional().meta({ description: 'Hundredths of a per cent.' }),
    minimum: boundOf('The least that both come to together; null for none.'),
    maximum: boundOf('The most that both come to together; null for none.'),
  })
  .meta({ id: 'CardFeeRequest' });

const days = (description: string) => z.int().min(1).max(EXPIRY_DAYS_MAX).meta({ description });

const expiryDays = z
  .strictObject({
    default: days('Of every other purchase.'),
    lodging: days('MCC 3501 to 3999 and 7011.'),
    car_rental: days('MCC 3351 to 3500 and 7512.'),
    cruise: days('MCC 4411.'),
    fuel: days('Of status checks at fuel dispensers.'),
  })
  .meta({ id: 'CardExpiryDays', description: 'For how many days an authorization holds.' });

const tolerance = z
  .strictObject({
    mccs: z.array(z.string().max(9)).max(LIST_MAX).meta({ description: 'Codes, and ranges such as `3501-3999`.' }),
    percent: z.int().min(0).max(PERCENT_MAX).meta({ description: 'Whole per cent of what was authorized.' }),
  })
  .meta({ id: 'CardTolerance', description: 'How much more than authorized may clear without an exception.' });

const fees = z
  .strictObject({
    cash: feeRequest.nullable().optional().meta({ description: 'Of cash.' }),
    quasi_cash: feeRequest.nullable().optional().meta({ description: 'Of what is as good as cash.' }),
    foreign_currency: feeRequest.nullable().optional().meta({
      description: "The markup: of purchases in another currency than the account's, beside any other fee.",
    }),
  })
  .meta({ id: 'CardProgramFeesRequest' });

export const updateProgram = z
  .strictObject({
    currencies: z.array(currency).max(LIST_MAX).nullable().optional().meta({
      description: 'Of accounts that may have cards: ISO 4217. Null: all.',
    }),
    time_zone: z.string().max(64).optional().meta({ description: timeZoneText, example: 'Asia/Amman' }),
    decision: decision.nullable().optional().meta({ description: 'Null: our rules alone decide.' }),
    tolerances: z.array(tolerance).max(LIST_MAX).optional(),
    expiry_days: expiryDays.optional(),
    fuel: z
      .array(
        z
          .strictObject({ currency, amount: amountOrZero, status_check_max: amountOrZero })
          .meta({ id: 'CardFuelRequest' }),
      )
      .max(LIST_MAX)
      .optional()
      .meta({ description: fuelText }),
    fees: fees.optional().meta({ description: feesText }),
  })
  .meta({ id: 'UpdateCardProgram', description: 'A member that is given takes the place of what was there, whole.' });

export const updateProgramExample = {
  time_zone: 'Asia/Amman',
  decision: { url: 'https://decisions.example/authorizations', default: 'decline' },
  fees: { cash: { fixed: 500, basis_points: 150 } },
};

export const rollSecret = z
  .strictObject({
    overlap_seconds: z
      .int()
      .min(0)
      .max(OVERLAP_MAX_MS / 1_000)
      .optional()
      .meta({
        description: `How long the current secret signs beside the new one; ${OVERLAP_DEFAULT_MS / 1_000} without it.`,
      }),
  })
  .meta({ id: 'RollDecisionSecret' });

const feeShown = shown.orNull(
  z
    .object({
      fixed: shown.money('Charged for every purchase.'),
      basis_points: shown.count('Hundredths of a per cent of what it comes to.'),
      minimum: shown.moneyOrNull('The least; null for none.'),
      maximum: shown.moneyOrNull('The most; null for none.'),
    })
    .meta({ id: 'CardFee' }),
);

export const program = z
  .object({
    id: shown.id('book', 'The book: it has one program.'),
    object: z.literal('card_program'),
    livemode: shown.livemode,
    currencies: z.array(z.string()).nullable().meta({ description: 'Of accounts that may have cards; null: all.' }),
    time_zone: z.string().meta({ description: timeZoneText, example: 'Asia/Amman' }),
    time_zone_fixed: z.boolean().meta({ description: 'The first transaction has fixed it.' }),
    decision: shown
      .orNull(
        z
          .object({
            url: z.string().meta({ description: 'Where it is asked.' }),
            timeout_ms: shown.count(timeoutText),
            default: shown.oneOf(['approve', 'decline'], { description: 'Where it gives no answer.' }),
          })
          .meta({ id: 'CardDecisionEndpoint' }),
      )
      .meta({ description: 'Asked before an approval; null: our rules alone decide.' }),
    decision_secret: z.string().optional().meta({
      description: 'Only in the answer that makes it. Requests to the endpoint are signed with it (/docs/webhooks).',
      example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    }),
    previous_secret_until: shown.time('Until when the secret before signs beside it; null: none does.').nullable(),
    tolerances: z
      .array(
        z
          .object({
            mccs: z.array(z.string()).meta({ description: 'Codes, and ranges.' }),
            percent: shown.count('Whole per cent of what was authorized.'),
          })
          .meta({ id: 'CardToleranceShown' }),
      )
      .meta({ description: 'How much more than authorized may clear without an exception.' }),
    expiry_days: z
      .object({
        default: shown.count('Of every other purchase.'),
        lodging: shown.count('MCC 3501 to 3999 and 7011.'),
        car_rental: shown.count('MCC 3351 to 3500 and 7512.'),
        cruise: shown.count('MCC 4411.'),
        fuel: shown.count('Of status checks at fuel dispensers.'),
      })
      .meta({ id: 'CardExpiryDaysShown', description: 'For how many days an authorization holds.' }),
    fuel: z
      .array(
        z
          .object({
            currency: shown.currencyShown,
            amount: shown.money('What a status check holds.'),
            status_check_max: shown.money('A request of at most this amount is a status check.'),
          })
          .meta({ id: 'CardFuel' }),
      )
      .meta({ description: fuelText }),
    fees: z
      .object({
        cash: feeShown.meta({ description: 'Of cash.' }),
        quasi_cash: feeShown.meta({ description: 'Of what is as good as cash.' }),
        foreign_currency: feeShown.meta({ description: 'The markup, beside any other fee.' }),
      })
      .meta({ id: 'CardProgramFees', description: feesText }),
    version: shown.version,
    updated_at: shown.updatedAt.nullable().meta({ description: 'Null until somebody has changed it.' }),
  })
  .meta({ id: 'CardProgram', description: "How a book's cards work." });

type Given = z.output<typeof updateProgram>;

/** What the request would change. */
export function changeOf(given: Given): { readonly [Member in keyof Program]?: Program[Member] | undefined } {
  const {
    currencies,
    time_zone: timeZone,
    decision: asked,
    tolerances,
    expiry_days: expiry,
    fuel,
    fees: charged,
  } = given;
  return {
    currencies,
    timeZone,
    decision: asked && {
      url: asked.url,
      timeoutMs: asked.timeout_ms ?? DECISION_TIMEOUT_MS.default,
      default: asked.default,
    },
    tolerances,
    expiryDays: expiry && {
      default: expiry.default,
      lodging: expiry.lodging,
      carRental: expiry.car_rental,
      cruise: expiry.cruise,
      fuel: expiry.fuel,
    },
    fuel: fuel?.map(({ currency: of, amount, status_check_max }) => ({
      currency: of,
      amount,
      statusCheckMax: status_check_max,
    })),
    fees: charged && {
      cash: scheduleOf(charged.cash),
      quasiCash: scheduleOf(charged.quasi_cash),
      foreignCurrency: scheduleOf(charged.foreign_currency),
    },
  };
}

/** Halves go to the even neighbor, as of every proportional fee. */
function scheduleOf(fee: z.output<typeof feeRequest> | null | undefined): Program['fees']['cash'] {
  if (!fee) return null;
  const { fixed = 0n, basis_points: basisPoints = 0, minimum = null, maximum = null } = fee;
  return { fixed, basisPoints: BigInt(basisPoints), minimum, maximum, rounding: 'half_even' };
}
