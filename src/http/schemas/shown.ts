/**
 * Parts of objects as answers show them. Answers are not checked on their way out (the views are typed); these schemas
 * make the reference, and the tests hold real answers against them.
 */
import { z } from 'zod';
import { ID_PREFIXES, type IdKind } from '../../ids.ts';
import { exampleId } from './fields.ts';

export function id(kind: IdKind, description?: string) {
  return z
    .string()
    .regex(new RegExp(`^${ID_PREFIXES[kind]}_[0-9a-hjkmnp-tv-z]{26}$`))
    .meta({ description, example: exampleId(kind) });
}

/** Minor units, written with all their digits: beyond 2^53 read them with a parser that keeps them. */
export function money(description?: string) {
  return z.number().meta({ type: 'integer', format: 'int64', description });
}

/** The generator takes the type that is said for the whole of it: null has to be said too. */
export function moneyOrNull(description?: string) {
  return z
    .number()
    .nullable()
    .meta({ type: ['integer', 'null'], format: 'int64', description });
}

export function count(description?: string) {
  return z.number().meta({ type: 'integer', format: 'int64', description });
}

export function time(description?: string) {
  return z.iso.datetime({ precision: 3 }).meta({ description, example: '2026-03-01T09:30:00.000Z' });
}

export const livemode = z.boolean().meta({ description: 'False in a test book.' });
export const currencyShown = z.string().meta({ description: 'ISO 4217.', example: 'JOD' });
export const currencyExponent = z
  .number()
  .int()
  .meta({ description: 'Decimals of the minor unit: 5124 with 3 is 5.124.', example: 3 });
export const metadataShown = z.record(z.string(), z.string()).meta({ example: { order: '77' } });
export const version = z
  .number()
  .int()
  .meta({ description: 'Counts up with every change; send it as If-Match.', example: 1 });
export const allowedActions = z
  .array(z.string())
  .meta({ description: 'What may be done with the object as it is now.' });

/** `{ object: 'list', … }` of an object. */
export function listOf(item: z.ZodType, itemName: string) {
  return z
    .strictObject({
      object: z.literal('list'),
      data: z.array(item).meta({
        description:
          'A page may hold fewer than `limit`, even none, although `has_more` is true: it is bounded in bytes and in the rows that its filters look at (GET /v1/limits).',
      }),
      has_more: z.boolean().meta({
        description: 'Whether there may be more in the direction that was read. Only false ends a list.',
      }),
      next_cursor: z.string().nullable().meta({
        description:
          'The cursor that reads on in the same direction, also from a page without objects; null at the end.',
      }),
      url: z.string().meta({ description: 'The path of this list.' }),
    })
    .meta({ id: `${itemName}List` });
}
