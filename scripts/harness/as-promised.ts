/**
 * What an answer has beyond its schema. The schemas of answers allow more members, since later releases add some and
 * clients must accept them; a test accepts none.
 */
import type { z } from 'zod';
import { jsonPointer, type PathSegment } from '../../src/http/json-pointer.ts';

/**
 * JSON pointers of members that the schema does not know, and of optional ones that are not in `shows`: an optional
 * member stands only in the answers that name it. The value has passed the schema.
 */
export function unpromised(schema: z.ZodType, value: unknown, shows: readonly string[] = []): string[] {
  return [...beyond(schema as z.core.$ZodType, value, [], shows)];
}

function* beyond(
  schema: z.core.$ZodType,
  value: unknown,
  path: readonly PathSegment[],
  shows: readonly string[],
): Generator<string> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
      if (value !== null && value !== undefined) yield* beyond(def.innerType, value, path, shows);
      return;
    case 'array':
      for (const [at, item] of (value as unknown[]).entries()) yield* beyond(def.element, item, [...path, at], shows);
      return;
    case 'union': {
      const fitting = def.options.find((option) => (option as z.ZodType).safeParse(value).success);
      if (fitting) yield* beyond(fitting, value, path, shows);
      return;
    }
    case 'object':
      for (const [name, member] of Object.entries(value as object)) {
        const inner = def.shape[name];
        const at = [...path, name];
        if (inner === undefined ? !def.catchall : isOptional(inner) && !shows.includes(name)) yield jsonPointer(at);
        if (inner) yield* beyond(inner, member, at, shows);
      }
  }
}

function isOptional(schema: z.core.$ZodType): boolean {
  return (schema as z.core.$ZodTypes)._zod.def.type === 'optional';
}
