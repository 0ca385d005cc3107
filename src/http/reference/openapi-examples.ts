/**
 * Examples of the document, recorded from the wire by test/e2e/transcript.test.ts and test/e2e/refusals.test.ts: a file for the
 * operations of each group of the reference, one for errors that any operation may answer, and one for events.
 */
import { readFileSync } from 'node:fs';
import { TAGS } from '../../api/route.ts';
import { ERRORS, type ErrorCode } from '../../errors/errors.ts';

export interface Example {
  /** What the example shows, in a few words. */
  readonly summary?: string;
  /** The body, as it was on the wire. */
  readonly value: unknown;
}

/** By name of the example, which is unique beside its body's schema: `a_payout`, `insufficient_funds`. */
export type Examples = Readonly<Record<string, Example>>;

export interface OperationExamples {
  readonly request?: Examples;
  /** By status; those of problems by code. */
  readonly responses: Readonly<Record<string, Examples>>;
}

export interface RecordedExamples {
  /** By `operationId`. */
  readonly operations: Readonly<Record<string, OperationExamples | undefined>>;
  /** Errors that several operations answer alike. */
  readonly errors: Readonly<Partial<Record<ErrorCode, Example>>>;
  /** By `operationId`: the codes of those that it answers so. */
  readonly shared: Readonly<Record<string, readonly ErrorCode[] | undefined>>;
  /** By type of event: the body of its webhook. */
  readonly events: Examples;
}

/** errors.json */
export interface ErrorExamples {
  readonly shared: RecordedExamples['errors'];
  readonly operations: Readonly<
    Record<
      string,
      { readonly shared: readonly ErrorCode[]; readonly own: Readonly<Partial<Record<ErrorCode, Example>>> }
    >
  >;
}

export const NO_EXAMPLES: RecordedExamples = { operations: {}, errors: {}, shared: {}, events: {} };

/** Where the files are, beside this one and in the build (scripts/copy-assets.ts). */
export const EXAMPLES_FOLDER = new URL('examples/', import.meta.url);
/** Where links in the files lead. `readExamples` puts the host of the installation in its place. */
export const EXAMPLE_HOST = 'https://api.example.com';

export const exampleFileOf = (tag: string) => `operations/${tag.toLowerCase()}.json`;

/** With links that lead to this installation. */
export function readExamples(publicUrl = EXAMPLE_HOST): RecordedExamples {
  const read = (file: string) =>
    JSON.parse(readFileSync(new URL(file, EXAMPLES_FOLDER), 'utf8').replaceAll(EXAMPLE_HOST, publicUrl));
  const errors: ErrorExamples = read('errors.json');
  const operations: Record<string, OperationExamples> = Object.assign(
    {},
    ...Object.keys(TAGS).map((tag) => read(exampleFileOf(tag))),
  );
  const refusals = Object.entries(errors.operations);
  return {
    operations: {
      ...operations,
      ...Object.fromEntries(refusals.map(([name, { own }]) => [name, withErrors(operations[name], own)])),
    },
    errors: errors.shared,
    shared: Object.fromEntries(refusals.map(([name, { shared }]) => [name, shared])),
    events: read('events.json'),
  };
}

/** What the operation answered in a scene comes before what it answered when asked for each refusal in turn. */
function withErrors({ request, responses }: OperationExamples = { responses: {} }, own: Examples): OperationExamples {
  const all: Record<string, Examples> = { ...responses };
  for (const [code, example] of Object.entries(own)) {
    const { status } = ERRORS[code as ErrorCode];
    all[status] = { [code]: example, ...all[status] };
  }
  return { ...(request && { request }), responses: all };
}

/** The part of a media type with its examples: the recorded ones, or the declared one. */
export function examplesOf(recorded: Examples | undefined, declared?: unknown): object {
  if (recorded !== undefined) return { examples: recorded };
  return declared === undefined ? {} : { example: declared };
}

/** The part of a problem with an example for each code that was recorded of the operation. */
export function examplesOfCodes(
  codes: readonly ErrorCode[],
  own: Examples = {},
  shared: readonly ErrorCode[] = [],
): object {
  const examples = codes.flatMap((code): [string, object][] => {
    if (own[code]) return [[code, own[code]]];
    return shared.includes(code) ? [[code, { $ref: `#/components/examples/${code}` }]] : [];
  });
  return examples.length === 0 ? {} : { examples: Object.fromEntries(examples) };
}
