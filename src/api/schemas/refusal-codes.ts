/**
 * Error codes by which the schema of a parameter refuses a value, beside `parameter_invalid`. They stand with the schema, so that
 * the reference lists them for each operation that has the parameter.
 */
import { z } from 'zod';
import type { ErrorCode } from '../../errors/errors.ts';

const REFUSALS = z.registry<{ codes: readonly ErrorCode[] }>();

/** The schema, with the codes that it refuses by. */
export function refusedBy<Schema extends z.ZodType>(schema: Schema, ...codes: ErrorCode[]): Schema {
  REFUSALS.add(schema, { codes });
  return schema;
}

/** Also of a schema that was made of it: optional, described, checked further. */
export function codesOfSchema(schema: z.core.$ZodType): readonly ErrorCode[] {
  const known = REFUSALS.get(schema)?.codes;
  if (known) return known;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'pipe') return codesOfSchema(def.in);
  return 'innerType' in def ? codesOfSchema(def.innerType) : [];
}
