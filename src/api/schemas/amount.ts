/**
 * Amounts in requests: JSON integers of minor units. A number that a double cannot represent arrives as its own text
 * (json.ts), so that 100.0000000000000000001 differs from 100, and 9007199254740993 from the number it would round to.
 */
import { z } from 'zod';
import type { ErrorCode, Facts } from '../../errors/errors.ts';
import { MAX_REQUEST_AMOUNT } from '../../money/amount.ts';
import { InexactNumber } from '../../values/json.ts';

interface AmountFault {
  code: ErrorCode;
  detail: string;
  facts?: Facts;
}

/** The amount in a JSON value, or its field error. */
export function readAmount(value: unknown, minimum: bigint): bigint | AmountFault {
  if (value === undefined) return { code: 'parameter_missing', detail: 'Required, and missing.' };
  if (value instanceof InexactNumber) {
    if (!isWhole(value.text)) return { code: 'amount_not_integer', detail: 'Expects a whole number of minor units.' };
    return value.text.startsWith('-') ? below(minimum) : above();
  }
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    return { code: 'amount_not_integer', detail: 'Expects a JSON integer, the amount in minor units.' };
  }
  const amount = BigInt(value);
  if (amount < minimum) return below(minimum);
  return amount;
}

function below(minimum: bigint): AmountFault {
  return { code: 'amount_below_minimum', detail: `Expects at least ${minimum}.`, facts: { limit: minimum } };
}

function above(): AmountFault {
  return {
    code: 'amount_above_maximum',
    detail: `Expects at most ${MAX_REQUEST_AMOUNT}.`,
    facts: { limit: MAX_REQUEST_AMOUNT },
  };
}

/** Whether a JSON number is whole: every digit after the point is 0, once the exponent is applied. */
function isWhole(text: string): boolean {
  const match = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!match) return false;
  const [, whole = '', fraction = '', exponent = '0'] = match;
  const digits = whole + fraction;
  // Counted in a loop: a pattern for trailing zeros takes quadratic time over a megabyte of zeros in the middle.
  let significant = digits.length;
  while (significant > 0 && digits[significant - 1] === '0') significant--;
  return significant === 0 || significant <= whole.length + Number(exponent);
}

function amountFrom(minimum: bigint, description: string) {
  return z
    .unknown()
    .check((context) => {
      const result = readAmount(context.value, minimum);
      if (typeof result === 'bigint') return;
      const { code, detail, facts } = result;
      context.issues.push({
        code: 'custom',
        input: context.value,
        message: detail,
        params: { fieldError: code, facts },
      });
    })
    .transform((value) => BigInt(value as number))
    .meta({
      type: 'integer',
      format: 'int64',
      minimum: Number(minimum),
      maximum: Number(MAX_REQUEST_AMOUNT),
      description,
    });
}

/** An amount of money that moves. */
export const positiveAmount = amountFrom(1n, "In the currency's smallest unit: 5.124 JOD is 5124.");

/** The least that an account may have available: below zero, how far it may go. */
export const signedAmount = amountFrom(-MAX_REQUEST_AMOUNT, "In the currency's smallest unit; may be below zero.");

/** A limit, which may be zero. */
export const amountOrZero = amountFrom(0n, "In the currency's smallest unit.");

/** The number of an account's line, or of a book's entry. */
export const sequence = z.int().min(0).transform(BigInt).meta({ type: 'integer', format: 'int64', minimum: 0 });

const NUMBERS_OR_ALL = new WeakSet<z.core.$ZodType>();

/**
 * A number without which all is meant that there is, or no limit. `null` is not its absence: JavaScript writes it for NaN, and whoever
 * has miscalculated means neither.
 */
export function orAll<Of extends z.ZodType>(number: Of, description: string) {
  const member = number.optional().meta({ ...number.meta(), description });
  NUMBERS_OR_ALL.add(member);
  return member;
}

export function isNumberOrAll(schema: z.core.$ZodType): boolean {
  return NUMBERS_OR_ALL.has(schema);
}
