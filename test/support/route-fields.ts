/**
 * Every field of every body, from the routes' own schemas: a valid value, and values that the schema refuses. A new
 * route or field is covered without an edit here.
 */
import { z } from 'zod';
import type { Route } from '../../src/api/route.ts';
import { isNumberOrAll } from '../../src/api/schemas/amount.ts';

/** The part of JSON Schema that bodies use. */
interface JsonSchema {
  type?: string;
  description?: string;
  const?: unknown;
  enum?: readonly unknown[];
  example?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  properties?: Record<string, JsonSchema>;
  required?: readonly string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  anyOf?: readonly JsonSchema[];
  oneOf?: readonly JsonSchema[];
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  /** As orAll has it (src/api/schemas/amount.ts). */
  orAll?: boolean;
}

/** A body in which one field is not as its schema wants it. */
export interface RefusedBody {
  readonly what: string;
  readonly body: unknown;
  /** JSON pointer to the field. A problem names it, something in it, or what it decides about beside it. */
  readonly pointer: string;
}

/** A field of a body: where it stands, its schema, and the body with another value in its place. */
interface Field {
  readonly pointer: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
  /** A member of a schema, that is not required. What the caller names, as in metadata, is none. */
  readonly mayBeAbsent: boolean;
  with(value: unknown): unknown;
  without(): unknown;
}

/** Names that no schema has. */
const SURPLUS = 'surplus_member';

function schemaOf(route: Route): JsonSchema {
  return z.toJSONSchema(route.body!, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (isNumberOrAll(zodSchema)) jsonSchema.orAll = true;
    },
  }) as JsonSchema;
}

/** Valid bodies with every field: one for each choice that the schema has. */
export function samplesOf(route: Route): unknown[] {
  const root = schemaOf(route);
  return samples(root, root);
}

/** Each number that may be left out, at any depth: its pointer without indices, and the valid body with null in its place. */
export function optionalNumbersOf(route: Route): { readonly at: string; readonly pointer: string; body: unknown }[] {
  const root = schemaOf(route);
  return samples(root, root).flatMap((sample) =>
    [...fieldsIn(root, root, sample, '', (value) => value)].flatMap(({ pointer, schema, mayBeAbsent, with: put }) =>
      mayBeAbsent && typesOf(schema, root).includes('number')
        ? [{ at: pointer.replaceAll('/0/', '/'), pointer, body: put(null) }]
        : [],
    ),
  );
}

export function refusedBodiesOf(route: Route): RefusedBody[] {
  const root = schemaOf(route);
  return samples(root, root).flatMap((sample) =>
    [...fieldsIn(root, root, sample, '', (value) => value)].flatMap((field) => refusedOf(field, root, route)),
  );
}

function refusedOf(field: Field, root: JsonSchema, { method }: Route): RefusedBody[] {
  const { pointer, schema, isRequired } = field;
  const refused: RefusedBody[] = [];
  const add = (what: string, value: unknown, at = pointer) => {
    refused.push({ what, body: field.with(value), pointer: at });
  };
  // In a POST, null for a member that may be left out is its absence, unless all is meant by that, or no limit.
  const isAbsent = method === 'post' && field.mayBeAbsent && !schema.orAll;
  const types = [...typesOf(schema, root), ...(isAbsent ? ['null'] : [])];
  for (const [type, value] of Object.entries(VALUES)) if (!types.includes(type)) add(`a ${type}`, value);
  if (isRequired) refused.push({ what: 'nothing', body: field.without(), pointer });
  for (const choice of choicesOf(schema, root)) {
    const { minimum, maximum, minLength, maxLength, minItems, maxItems, maxProperties } = choice;
    if (minimum !== undefined) add('less than the minimum', minimum - 1);
    if (maximum !== undefined) add('more than the maximum', maximum + 1);
    // Near the ends of what a number holds exactly there are no fractions.
    if (choice.type === 'integer') add('a fraction', Math.max(minimum ?? 0, 0) + 1.5);
    if (minLength) add('a text that is too short', 'x'.repeat(minLength - 1));
    if (maxLength !== undefined) add('a text that is too long', 'x'.repeat(maxLength + 1));
    if (minItems) add('too few', []);
    if (maxItems !== undefined) add('too many', Array(maxItems + 1).fill(samples(choice.items ?? {}, root)[0]));
    if (maxProperties !== undefined) add('too many', Object.fromEntries(numbered(maxProperties + 1)));
    if (choice.type === 'string') {
      add('NUL', 'a\u0000b');
      add('half a surrogate', '\ud800');
      if (choice.const !== undefined || choice.enum) add('another word', 'another_word');
    }
    if (choice.additionalProperties === false) {
      const [sample] = samples(choice, root) as [object];
      add('a member that is not known', { ...sample, [SURPLUS]: 1 }, `${pointer}/${SURPLUS}`);
      add('__proto__', JSON.parse(`{"__proto__":1,${JSON.stringify(sample).slice(1)}`), pointer);
    }
  }
  return refused;
}

const numbered = (count: number) => Array.from({ length: count }, (_, at) => [`key${at}`, 'value'] as const);

/** A value of each JSON type. None is valid where only another type is. */
const VALUES = { null: null, boolean: true, number: 7, string: 'text', array: [7], object: { [SURPLUS]: 7 } };

function* fieldsIn(
  schema: JsonSchema,
  root: JsonSchema,
  sample: unknown,
  pointer: string,
  into: (value: unknown) => unknown,
  { isRequired = false, mayBeAbsent = false, without = () => undefined }: Partial<Field> = {},
): Generator<Field> {
  const fitting = choicesOf(schema, root).filter((choice) => fits(choice, sample));
  yield { pointer, schema, isRequired, mayBeAbsent, with: into, without };
  for (const { properties = {}, required = [], items, additionalProperties } of fitting) {
    if (typeof sample !== 'object' || sample === null) continue;
    const own = sample as Record<string, unknown>;
    for (const [name, member] of Object.entries(properties)) {
      const drop = () => into(Object.fromEntries(Object.entries(own).filter(([key]) => key !== name)));
      const put = (value: unknown) => into({ ...own, [name]: value });
      const isRequired = required.includes(name);
      const at = { isRequired, mayBeAbsent: !isRequired, without: drop };
      yield* fieldsIn(member, root, own[name], `${pointer}/${name}`, put, at);
    }
    if (typeof additionalProperties === 'object') {
      for (const name of Object.keys(own))
        yield* fieldsIn(additionalProperties, root, own[name], `${pointer}/${name}`, (value) =>
          into({ ...own, [name]: value }),
        );
    }
    if (items && Array.isArray(sample))
      yield* fieldsIn(items, root, sample[0], `${pointer}/0`, (value) => into([value, ...sample.slice(1)]));
  }
}

/** Whether the sample was made for this choice of a union. */
function fits({ properties }: JsonSchema, sample: unknown): boolean {
  if (!properties || typeof sample !== 'object' || sample === null) return true;
  return Object.entries(properties).every(
    ([name, { const: only }]) => only === undefined || (sample as Record<string, unknown>)[name] === only,
  );
}

/** The schema itself, or each of those that it lets choose from. */
function choicesOf(schema: JsonSchema, root: JsonSchema): JsonSchema[] {
  if (schema.$ref !== undefined) {
    const { $ref, ...rest } = schema;
    return choicesOf({ ...root.$defs![$ref.replace('#/$defs/', '')]!, ...omit(rest, '$defs', '$schema') }, root);
  }
  const among = schema.anyOf ?? schema.oneOf;
  return among ? among.flatMap((one) => choicesOf(one, root)) : [schema];
}

function omit<Value extends object>(value: Value, ...names: string[]): Partial<Value> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name))) as Partial<Value>;
}

/** JSON types that the schema may take. Without a type, any. */
function typesOf(schema: JsonSchema, root: JsonSchema): string[] {
  return choicesOf(schema, root).flatMap(({ type }) => {
    if (type === undefined) return Object.keys(VALUES);
    return [type === 'integer' ? 'number' : type];
  });
}

function samples(schema: JsonSchema, root: JsonSchema): unknown[] {
  const choices = choicesOf(schema, root).filter(({ type }, _, all) => type !== 'null' || all.length === 1);
  // Of something or null, the example stands beside the two.
  if (choices.length === 1 && schema.example !== undefined) return [schema.example];
  return choices.flatMap((choice) => samplesOfOne(choice, root));
}

function samplesOfOne(schema: JsonSchema, root: JsonSchema): unknown[] {
  const { type, properties = {}, items, additionalProperties } = schema;
  if (schema.const !== undefined) return [schema.const];
  if (schema.example !== undefined) return [schema.example];
  if (schema.enum) return [schema.enum[0]];
  switch (type) {
    case 'integer':
    case 'number':
      return [schema.minimum ?? 1];
    case 'boolean':
      return [true];
    case 'array':
      return samples(items ?? {}, root).map((one) => [one]);
    case 'object': {
      if (typeof additionalProperties === 'object')
        return [Object.fromEntries([['key', samples(additionalProperties, root)[0]]])];
      // One body for each choice of each member; where a member has no choice, its only value.
      const members = Object.entries(properties).map(([name, member]) => [name, samples(member, root)] as const);
      const most = Math.max(1, ...members.map(([, values]) => values.length));
      return Array.from({ length: most }, (_, at) =>
        Object.fromEntries(members.map(([name, values]) => [name, values[at % values.length]])),
      );
    }
    default:
      return ['text'.padEnd(schema.minLength ?? 0, 'x')];
  }
}
