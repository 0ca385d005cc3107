/**
 * Parts of objects in answers. Answers are not validated at run time (the views are typed). These schemas generate the
 * reference, and tests validate real answers with them.
 */
import { z } from 'zod';
import { type IdKind, idPattern } from '../../values/ids.ts';
import { snakeCase } from '../../values/snake-case.ts';
import { exampleId } from './fields.ts';

export function id(kind: IdKind, description = `The id of the ${snakeCase(kind).replaceAll('_', ' ')}.`) {
  const form = new RegExp(idPattern(kind));
  return z
    .string()
    .refine((text) => form.test(text), `Expects an id such as ${exampleId(kind)}.`)
    .meta({ description, example: exampleId(kind) });
}

interface Described {
  readonly description: string;
  readonly example?: string;
}

/**
 * One of these values, to which later versions add. Tests compare answers with the list; the document has it for
 * people, and an open text for clients: a closed enumeration makes them refuse the next version
 * (docs/compatibility.md).
 */
export function oneOf<const Value extends string>(values: readonly Value[], described: Described) {
  return z.enum(values).meta({ type: 'string', 'x-extensible-enum': [...values], ...described });
}

/** A given type replaces the generator's own, so null has to be named too. */
export function oneOfOrNull<const Value extends string>(values: readonly Value[], described: Described) {
  return z
    .enum(values)
    .nullable()
    .meta({ type: ['string', 'null'], 'x-extensible-enum': [...values], ...described });
}

/** Of a call to an outside party. */
export function unknownOutcome(description: string) {
  return oneOfOrNull(['unknown'], { description });
}

/** Minor units with all digits. Beyond 2^53, clients need a parser that keeps them. */
export function money(description: string) {
  return z.number().meta({ type: 'integer', format: 'int64', description });
}

/** A given type replaces the generator's own, so null has to be named too. */
export function moneyOrNull(description: string) {
  return z
    .number()
    .nullable()
    .meta({ type: ['integer', 'null'], format: 'int64', description });
}

export function count(description: string) {
  return z.number().meta({ type: 'integer', format: 'int64', description });
}

export function time(description: string) {
  return z.iso.datetime({ precision: 3 }).meta({ description, example: '2026-03-01T09:30:00.000Z' });
}

export function day(description: string) {
  return z.iso.date().meta({ description, example: '2026-03-01' });
}

/** An object with a name of its own, or null: a reference, so that generators make one type of it wherever it stands. */
export function orNull<Schema extends z.ZodType>(schema: Schema) {
  return z.union([schema, z.null()]);
}

/** Where a test book's clock was advanced, its own time is ahead of the world's. */
export const createdAt = time("When it was made, in the book's own time.");
export const updatedAt = time("When it last changed, in the book's own time.");

/** A member that is `true` wherever it stands: a plain boolean in the document, since generators make no usable type of a constant one. */
export function onlyTrue(description: string) {
  return z.literal(true).meta({ type: 'boolean', description });
}

export const livemode = z.boolean().meta({ description: 'False in a test book.' });
export const currencyShown = z.string().meta({ description: 'ISO 4217.', example: 'JOD' });
export const currencyExponent = z
  .number()
  .int()
  .meta({ description: 'Decimals of the minor unit: 5124 with 3 is 5.124.', example: 3 });
export const nameShown = z.string().nullable().meta({ description: 'For people. Null once it was erased.' });
export const descriptionShown = z
  .string()
  .nullable()
  .meta({ description: 'For people. Null where there is none, and once erased.' });
export const externalIdShown = z
  .string()
  .nullable()
  .meta({ description: 'Your own reference; null where there is none.', example: 'order-1041' });
export const metadataShown = z
  .record(z.string(), z.string())
  .nullable()
  .meta({ description: 'Null once it was erased.', example: { order: '77' } });
export const version = z
  .number()
  .int()
  .meta({ description: 'Counts up with every change; send it as If-Match.', example: 1 });

export function entries(description: string) {
  return z.array(id('entry')).meta({ description });
}

/** Of all the actions that the object knows, those that its state allows. */
export function allowedActions<Action extends string>(...actions: [Action, ...Action[]]) {
  const action = oneOf(actions, { description: 'Something that may be done.' });
  return z.array(action).meta({ description: 'What may be done with the object as it is now.' });
}

/** Of an object that has states and is never asked for anything itself. */
export const noActions = z.array(z.string()).meta({ description: 'What may be done with the object itself: nothing.' });

/** The members of a page beside its objects. */
export const pageMembers = {
  has_more: z.boolean().meta({
    description: 'Whether there may be more in the direction that was read. Only false ends a list.',
  }),
  next_cursor: z.string().nullable().meta({
    description: 'The cursor that reads on in the same direction, also from a page without objects; null at the end.',
  }),
  url: z.string().meta({ description: 'The path of this list.' }),
};

/** The schema of `{ object: 'list', … }` with items of one kind. */
export function listOf(item: z.ZodType, itemName: string) {
  return z
    .object({
      object: z.literal('list'),
      data: z.array(item).meta({
        description:
          'A page may hold fewer than `limit`, even none, although `has_more` is true: it is bounded in bytes and in the rows that its filters look at (GET /v1/limits).',
      }),
      ...pageMembers,
    })
    .meta({ id: `${itemName}List` });
}
