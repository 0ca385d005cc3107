/** The names that a schema knows in a place, for the answer to a name that it does not know. */
import type { z } from 'zod';

type Schema = z.core.$ZodType;

/**
 * Members of the objects that a schema has at a path. Of a discriminated union, those of the alternative that the input
 * chose.
 */
export function knownNames(schema: Schema, path: readonly PropertyKey[], input: unknown): readonly string[] {
  const objects = objectsIn(schema, input);
  const [name, ...rest] = path;
  if (name === undefined) return [...new Set(objects.flatMap(({ shape }) => Object.keys(shape)))];
  const value = (input as Record<PropertyKey, unknown> | null | undefined)?.[name];
  const inside = typeof name === 'number' ? elementOf(schema) : undefined;
  if (inside) return knownNames(inside, rest, value);
  const members = objects.flatMap(({ shape }) => shape[String(name)] ?? []);
  return [...new Set(members.flatMap((member) => knownNames(member, rest, value)))];
}

/** Whether what a schema has at a path is an object that takes any name, such as metadata. */
export function takesAnyName(schema: Schema, path: readonly PropertyKey[], input: unknown): boolean {
  const [name, ...rest] = path;
  if (name === undefined) return typeOf(schema) === 'record';
  const members = objectsIn(schema, input).flatMap(({ shape }) => shape[String(name)] ?? []);
  const value = (input as Record<PropertyKey, unknown> | null | undefined)?.[name];
  return members.some((member) => takesAnyName(member, rest, value));
}

export interface ObjectShape {
  readonly shape: Readonly<Record<string, Schema>>;
}

/** The objects that a schema may be; of a discriminated union, the alternative that the input chose. */
export function objectsIn(schema: Schema, input: unknown): readonly ObjectShape[] {
  const { def } = schema._zod as unknown as { def: Definition };
  switch (def.type) {
    case 'object':
      return [{ shape: def.shape! }];
    case 'union': {
      const options = def.options!.flatMap((option) => objectsIn(option, input));
      const chosen = options.filter((option) => chooses(option, def.discriminator, input));
      return chosen.length > 0 ? chosen : options;
    }
    default: {
      const inner = def.innerType ?? def.in;
      return inner ? objectsIn(inner, input) : [];
    }
  }
}

/** What is read of a schema's definition: zod gives each type its own. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly options?: readonly Schema[];
  readonly discriminator?: string;
  readonly element?: Schema;
  /** Of what may be left out, null or preset. */
  readonly innerType?: Schema;
  /** Of what is transformed. */
  readonly in?: Schema;
}

function chooses({ shape }: ObjectShape, discriminator: string | undefined, input: unknown): boolean {
  if (discriminator === undefined) return false;
  const values = shape[discriminator]?._zod.values;
  const given = (input as Record<string, unknown> | null | undefined)?.[discriminator];
  return values?.has(given as string) ?? false;
}

/** The type within what may be left out, null, preset or transformed. */
function typeOf(schema: Schema): string {
  const { def } = schema._zod as unknown as { def: Definition };
  const inner = def.innerType ?? def.in;
  return inner ? typeOf(inner) : def.type;
}

/** What a list is of; undefined for what is no list. */
export function elementOf(schema: Schema): Schema | undefined {
  const { def } = schema._zod as unknown as { def: Definition };
  if (def.type === 'array') return def.element;
  const inner = def.innerType ?? def.in;
  return inner && elementOf(inner);
}
