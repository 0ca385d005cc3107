/**
 * `null` for an optional member of a POST is its absence: clients that are generated in several languages send it for what nobody
 * set. A member that takes null, a required one, and those of a PATCH, where null is a value, stay as they are given; so does a number
 * without which all is meant, or no limit, where null is refused.
 */
import type { z } from 'zod';
import { isNumberOrAll } from '../../api/schemas/amount.ts';
import type { JsonObject } from '../../values/json.ts';
import { elementOf, objectsIn } from './known-names.ts';

/** The body without such members, at any depth. The body itself is not changed: the Idempotency-Key stands for what was sent. */
export function withoutAbsentMembers(schema: z.core.$ZodType, body: JsonObject): JsonObject {
  const [object, ...others] = objectsIn(schema, body);
  // Alternatives of which the input chose none: it is refused in any case.
  if (object === undefined || others.length > 0) return body;
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(body)) {
    const member = Object.hasOwn(object.shape, name) ? object.shape[name] : undefined;
    if (member !== undefined && value === null && isAbsence(member)) continue;
    const inside = member === undefined ? value : within(member, value);
    Object.defineProperty(kept, name, { value: inside, enumerable: true, writable: true, configurable: true });
  }
  return kept;
}

/** Of an object, and of each in a list. A null among the elements of a list is one of them. */
function within(schema: z.core.$ZodType, value: unknown): unknown {
  if (isObject(value)) return withoutAbsentMembers(schema, value);
  const element = Array.isArray(value) ? elementOf(schema) : undefined;
  return element ? (value as unknown[]).map((one) => within(element, one)) : value;
}

function isAbsence(member: z.core.$ZodType): boolean {
  return member._zod.optin === 'optional' && !takesNull(member) && !isNumberOrAll(member);
}

function takesNull(schema: z.core.$ZodType): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'nullable':
      return true;
    case 'optional':
      return takesNull(def.innerType);
    case 'pipe':
      return takesNull(def.in);
    default:
      return false;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && isPlain(value);
}

/** A number that a double cannot represent is an object too: json.ts. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
