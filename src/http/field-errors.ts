/**
 * From what a schema finds to what an integrator reads: every field error at once, each with its code, its exact place and
 * what was expected. Codes of our catalogue that a schema's own vocabulary lacks travel in `params` of a custom issue.
 */
import type { z } from 'zod';
import { ApiError, ERRORS, type ErrorCode, type Facts, type FieldError } from '../errors.ts';
import { InexactNumber } from '../json.ts';
import { MAX_FIELD_ERRORS } from './json-body.ts';

export interface FieldErrorWithFacts extends FieldError {
  facts?: Facts;
}

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];
/** How a place is written: a JSON pointer for bodies, a parameter's name for queries. */
export type NamePlace = (path: Path) => string;

/** What a schema's own check says with `ctx.issues.push({ code: 'custom', params: { fieldError } })`. */
export interface IssueParams {
  fieldError: ErrorCode;
  facts?: Facts;
}

/** At most MAX_FIELD_ERRORS of the fieldErrors in what a schema refused. `input` is what it was given, to tell what is missing from what is wrong. */
export function fieldErrorsOf(
  error: { issues: readonly Issue[] },
  input: unknown,
  nameOf: NamePlace,
): FieldErrorWithFacts[] {
  const fieldErrors = new Map<string, FieldErrorWithFacts>();
  for (const issue of error.issues) {
    for (const fieldError of fieldErrorsOfIssue(issue, input, nameOf)) {
      const identity = `${fieldError.code} ${fieldError.param}`;
      if (!fieldErrors.has(identity)) fieldErrors.set(identity, fieldError);
      if (fieldErrors.size === MAX_FIELD_ERRORS) return [...fieldErrors.values()];
    }
  }
  return [...fieldErrors.values()];
}

/** One error for all fieldErrors, or none. What is malformed (400) goes before what cannot be done (422), else as they came. */
export function requireNoFieldErrors(fieldErrors: readonly FieldErrorWithFacts[]): void {
  if (fieldErrors.length === 0) return;
  // One place may be refused by two for the same reason: a name that nobody knows, say.
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

function fieldErrorsOfIssue(issue: Issue, input: unknown, nameOf: NamePlace): FieldErrorWithFacts[] {
  const number = inexactOnTheWay(input, issue.path);
  if (number !== undefined && issue.code !== 'custom') {
    return [{ code: 'parameter_invalid', param: nameOf(number), detail: 'Expects something else than a number.' }];
  }
  const param = nameOf(issue.path);
  switch (issue.code) {
    case 'custom': {
      const params = issue.params as IssueParams | undefined;
      return [{ code: params?.fieldError ?? 'parameter_invalid', param, detail: issue.message, facts: params?.facts }];
    }
    case 'unrecognized_keys':
      return issue.keys.slice(0, MAX_FIELD_ERRORS).map((key) => ({
        code: 'parameter_unknown',
        param: nameOf([...issue.path, key]),
        detail: 'Not known here.',
      }));
    default: {
      const value = valueAt(input, issue.path);
      if (value === undefined) return [{ code: 'parameter_missing', param, detail: 'Required, and missing.' }];
      return [{ code: 'parameter_invalid', param, detail: describe(issue, value) }];
    }
  }
}

function describe(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return `Expects ${TYPE_NAMES[issue.expected] ?? issue.expected}, not ${kindOf(value)}.`;
    case 'too_small':
      return issue.origin === 'string' ? `Expects at least ${counted(issue.minimum, 'character')}.` : issue.message;
    case 'too_big':
      return issue.origin === 'string' ? `Expects at most ${counted(issue.maximum, 'character')}.` : issue.message;
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

/** The place of a number that a double cannot hold, when an issue lies in or at it: to a schema it looks like an object. */
function inexactOnTheWay(input: unknown, path: Path): Path | undefined {
  let value = input;
  for (let length = 0; length <= path.length; length++) {
    if (value instanceof InexactNumber) return path.slice(0, length);
    if (typeof value !== 'object' || value === null || length === path.length) return undefined;
    value = (value as Record<PropertyKey, unknown>)[path[length]!];
  }
  return undefined;
}
