/** Parameters in the API reference. */
import { z } from 'zod';

/**
 * The query of a route as its parameters. What the product reads as an object of fixed members stands as a parameter for each:
 * `created_at[gte]` and `created_at[lt]`, which every generator can write. Names of metadata are the caller's, and stay an object.
 */
export function documentedQuery(query: z.ZodType | undefined): z.ZodObject | undefined {
  if (query === undefined) return undefined;
  const { shape } = query as z.ZodObject;
  const parameters = Object.entries(shape).flatMap(([name, schema]): [string, z.core.$ZodType][] => {
    const members = membersOf(schema);
    return members ? Object.entries(members).map(([member, inner]) => [`${name}[${member}]`, inner]) : [[name, schema]];
  });
  return z.object(Object.fromEntries(parameters));
}

function membersOf(schema: z.core.$ZodType): z.core.$ZodShape | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'object') return def.shape;
  return def.type === 'optional' ? membersOf(def.innerType) : undefined;
}

interface Parameter {
  readonly description?: string;
  readonly schema?: { description?: string };
}

/** The generator writes the description of a parameter twice, beside its schema and in it. */
export function withoutRepeatedTexts(document: Record<string, unknown>): Record<string, unknown> {
  const methods = Object.values((document.paths ?? {}) as Record<string, Record<string, { parameters?: Parameter[] }>>);
  for (const { parameters = [] } of methods.flatMap((operations) => Object.values(operations)))
    for (const { description, schema } of parameters)
      if (schema && schema.description === description) delete schema.description;
  return document;
}
