/**
 * Turns a schema's issues into field errors: all at once, each with its code, its exact place and what was expected. An
 * error code that zod has no issue for travels in `params` of a custom issue.
 */
import type { z } from 'zod';
import { nearestName } from '../../api/nearest.ts';
import { ApiError, ERRORS, type ErrorCode, type Facts, type FieldError } from '../../errors/errors.ts';
import { InexactNumber } from '../../values/json.ts';
import { MAX_FIELD_ERRORS } from './json-body.ts';
import { knownNames, takesAnyName } from './known-names.ts';

export interface FieldErrorWithFacts extends FieldError {
  facts?: Facts;
}

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];
/** Writes a place in the input: a JSON pointer for bodies, a parameter's name for queries. */
export type NamePlace = (path: Path) => string;

/**
 * `params` of a custom issue, as a schema's check sets them: `ctx.issues.push({ code: 'custom', params: { fieldError }
 * })`.
 */
export interface IssueParams {
  fieldError: ErrorCode;
  facts?: Facts;
}

/**
 * The refused input and its schema: the input distinguishes a missing value from a wrong one, the schema has the known
 * names.
 */
export interface Refused {
  readonly schema: z.core.$ZodType;
  readonly input: unknown;
  /** Of a query, where a list is a parameter that is given more than once. */
  readonly isQuery?: boolean;
}

/** Field errors of an input that a schema refused, at most MAX_FIELD_ERRORS. */
export function fieldErrorsOf(
  error: { issues: readonly Issue[] },
  refused: Refused,
  nameOf: NamePlace,
): FieldErrorWithFacts[] {
  const fieldErrors = new Map<string, FieldErrorWithFacts>();
  for (const issue of error.issues) {
    for (const fieldError of fieldErrorsOfIssue(issue, refused, nameOf)) {
      const identity = `${fieldError.code} ${fieldError.param}`;
      if (!fieldErrors.has(identity)) fieldErrors.set(identity, fieldError);
      if (fieldErrors.size === MAX_FIELD_ERRORS) return [...fieldErrors.values()];
    }
  }
  return [...fieldErrors.values()];
}

/**
 * Throws one ApiError for all field errors, if there are any. Malformed ones (400) come before those that cannot be
 * done (422), else in the order found.
 */
export function requireNoFieldErrors(fieldErrors: readonly FieldErrorWithFacts[]): void {
  if (fieldErrors.length === 0) return;
  // Two checks may refuse one place for the same reason, such as an unknown name.
  const different = new Map(fieldErrors.map((fieldError) => [`${fieldError.code} ${fieldError.param}`, fieldError]));
  const ordered = [...different.values()]
    .sort((a, b) => ERRORS[a.code].status - ERRORS[b.code].status)
    .slice(0, MAX_FIELD_ERRORS);
  const first = ordered[0]!;
  throw new ApiError(first.code, {
    facts: first.facts,
    fieldErrors: ordered.map(({ code, param, detail }) => ({ code, param, detail })),
  });
}

function fieldErrorsOfIssue(issue: Issue, refused: Refused, nameOf: NamePlace): FieldErrorWithFacts[] {
  const { schema, input, isQuery } = refused;
  const number = inexactOnTheWay(input, issue.path);
  if (number !== undefined && issue.code !== 'custom') {
    const wanted = issue.code === 'invalid_type' && (issue.expected === 'number' || issue.expected === 'int');
    const detail = wanted ? 'Expects a whole number.' : 'Expects something else than a number.';
    return [{ code: 'parameter_invalid', param: nameOf(number), detail }];
  }
  const param = nameOf(issue.path);
  const mayBeSpelling = isQuery && issue.path.length > 0 && issue.code !== 'unrecognized_keys';
  const spelling = mayBeSpelling ? spellingOf(param, valueAt(input, issue.path)) : undefined;
  if (spelling !== undefined) return [{ code: 'parameter_invalid', param, detail: spelling }];
  switch (issue.code) {
    case 'custom': {
      const params = issue.params as IssueParams | undefined;
      return [{ code: params?.fieldError ?? 'parameter_invalid', param, detail: issue.message, facts: params?.facts }];
    }
    case 'unrecognized_keys': {
      const known = knownNames(schema, issue.path, input);
      const written = (name: string) => (isQuery ? writtenInQuery([...issue.path, name], refused, nameOf) : [name]);
      return issue.keys.slice(0, MAX_FIELD_ERRORS).map((key) => ({
        code: 'parameter_unknown',
        param: nameOf([...issue.path, key]),
        detail: describeUnknown(key, { known, beside: valueAt(input, issue.path), written }),
      }));
    }
    default: {
      const value = valueAt(input, issue.path);
      if (value === undefined) return [{ code: 'parameter_missing', param, detail: 'Required, and missing.' }];
      const ofQuery = isQuery ? describeInQuery(issue, value, refused, nameOf) : undefined;
      return [{ code: 'parameter_invalid', param, detail: ofQuery ?? sentence(describe(issue, value)) }];
    }
  }
}

interface KnownHere {
  readonly known: readonly string[];
  readonly beside: unknown;
  /** How a client writes a known name. */
  written(name: string): readonly string[];
}

/** A known name that stands beside the unknown one is not what that was meant to be: it is never suggested. */
function describeUnknown(name: string, { known, beside, written }: KnownHere): string {
  if (known.length === 0) return 'Not known here. Nothing is expected here.';
  const absent = known.filter((candidate) => !Object.hasOwn(beside as object, candidate));
  const nearest = nearestName(name, absent);
  const suggestion = nearest === undefined ? '' : ` Did you mean ${written(nearest).join(' or ')}?`;
  return `Not known here.${suggestion} Known: ${known.flatMap(written).join(', ')}.`;
}

/** The parameters by which a query gives what is at a path: an object has one for each member, and none of its own. */
function writtenInQuery(path: Path, { schema, input }: Refused, nameOf: NamePlace): string[] {
  const members = takesAnyName(schema, path, input) ? ['key'] : knownNames(schema, path, input);
  return members.length === 0 ? [nameOf(path)] : members.map((member) => nameOf([...path, member]));
}

/** `status[0]=a`, as some languages write lists. */
const ONLY_INDEXES = /^\d{1,4}$/;
/** A time whose `+` was read as the space that it stands for in a query. */
const TIME_WITH_SPACE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)? \d\d:\d\d$/;

/** How to write a value that was refused because of its spelling in a query alone. */
function spellingOf(param: string, value: unknown): string | undefined {
  if (typeof value === 'string' && TIME_WITH_SPACE.test(value))
    return `In a query, + is a space. Write it as %2B: ${value.replace(' ', '%2B')}.`;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const names = Object.keys(value);
  if (names.length === 0 || !names.every((name) => ONLY_INDEXES.test(name))) return undefined;
  return `Takes no numbers in brackets: write ${param}=…, and where several may be given, ${param}=…&${param}=….`;
}

/** A query has no lists and no objects: it has parameters that are given more than once, and parameters with brackets. */
function describeInQuery(issue: Issue, value: unknown, refused: Refused, nameOf: NamePlace): string | undefined {
  if (issue.code === 'invalid_type' && (issue.expected === 'object' || issue.expected === 'record'))
    return `Expects ${writtenInQuery(issue.path, refused, nameOf).join(' or ')}.`;
  if (!Array.isArray(value)) return undefined;
  // A list of one is written `limit[]=5`.
  return value.length === 1
    ? 'Takes one value: write it without [].'
    : `Given ${value.length} times. It must be given once.`;
}

/** zod's own messages have no full stop. */
function sentence(text: string): string {
  return /[.?]$/.test(text) ? text : `${text}.`;
}

function describe(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return `Expects ${TYPE_NAMES[issue.expected] ?? issue.expected}, not ${kindOf(value)}.`;
    case 'too_small':
      if (issue.origin === 'number' || issue.origin === 'int') return `Expects at least ${issue.minimum}.`;
      if (issue.origin === 'string') return `Expects at least ${counted(issue.minimum, 'character')}.`;
      return issue.origin === 'array' && issue.message.startsWith('Too small')
        ? `Expects at least ${counted(issue.minimum, 'element')}.`
        : issue.message;
    case 'too_big':
      if (issue.origin === 'number' || issue.origin === 'int') return `Expects at most ${issue.maximum}.`;
      if (issue.origin === 'string') return `Expects at most ${counted(issue.maximum, 'character')}.`;
      return issue.origin === 'array' && issue.message.startsWith('Too big')
        ? `Expects at most ${counted(issue.maximum, 'element')}.`
        : issue.message;
    case 'invalid_value':
      return `Expects one of: ${issue.values.map(String).join(', ')}.`;
    case 'invalid_union':
      return 'options' in issue && Array.isArray(issue.options)
        ? `Expects one of: ${issue.options.map(String).join(', ')}.`
        : issue.message;
    case 'invalid_key':
      return `The name: ${issue.issues[0] ? describe(issue.issues[0], '') : issue.message}`;
    default:
      return issue.message;
  }
}

const TYPE_NAMES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
};

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof InexactNumber) return 'a number';
  return TYPE_NAMES[typeof value] ?? typeof value;
}

function counted(count: number | bigint, noun: string): string {
  return `${count} ${noun}${count === 1 || count === 1n ? '' : 's'}`;
}

function valueAt(input: unknown, path: Path): unknown {
  let value = input;
  for (const segment of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[segment];
  }
  return value;
}

/**
 * The place of a number that a double cannot represent, when an issue lies at or in it. To a schema such a number is an
 * object.
 */
function inexactOnTheWay(input: unknown, path: Path): Path | undefined {
  let value = input;
  for (let length = 0; length <= path.length; length++) {
    if (value instanceof InexactNumber) return path.slice(0, length);
    if (typeof value !== 'object' || value === null || length === path.length) return undefined;
    value = (value as Record<PropertyKey, unknown>)[path[length]!];
  }
  return undefined;
}
