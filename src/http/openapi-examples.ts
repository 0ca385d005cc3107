/**
 * Examples of the document, recorded from the wire by test/e2e/transcript.test.ts and test/e2e/refusals.test.ts: a file for the
 * operations of each group of the reference, one for errors that any operation may answer, and one for events.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { ErrorCode } from '../errors.ts';

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
  /** By code: of an operation that has none of its own. */
  readonly errors: Readonly<Partial<Record<ErrorCode, Example>>>;
  /** By type of event: the body of its webhook. */
  readonly events: Examples;
}

export const NO_EXAMPLES: RecordedExamples = { operations: {}, errors: {}, events: {} };

/** Where the files are, from the source and from the build (scripts/copy-assets.ts). */
export const EXAMPLES_FOLDER = new URL('examples/', import.meta.url);

export function readExamples(): RecordedExamples {
  const read = (file: string) => JSON.parse(readFileSync(new URL(file, EXAMPLES_FOLDER), 'utf8'));
  const groups = readdirSync(new URL('operations/', EXAMPLES_FOLDER));
  const operations: RecordedExamples['operations'] = Object.assign(
    {},
    ...groups.map((file) => read(`operations/${file}`)),
  );
  return {
    operations,
    errors: { ...firstOfEachCode(operations), ...read('errors.json') },
    events: read('events.json'),
  };
}

/** For operations that may answer a code, too, and were not heard to. */
function firstOfEachCode(operations: RecordedExamples['operations']): RecordedExamples['errors'] {
  const first: Record<string, Example> = {};
  for (const { responses } of Object.values(operations) as OperationExamples[])
    for (const [status, examples] of Object.entries(responses))
      if (Number(status) >= 400) for (const [code, example] of Object.entries(examples)) first[code] ??= example;
  return first;
}

/** The part of a media type with its examples: the recorded ones, or the declared one. */
export function examplesOf(recorded: Examples | undefined, declared?: unknown): object {
  if (recorded !== undefined) return { examples: recorded };
  return declared === undefined ? {} : { example: declared };
}

/** The part of a problem with an example for each of its codes: the operation's own, or the one that all operations share. */
export function examplesOfCodes(
  codes: readonly ErrorCode[],
  own: Examples | undefined,
  shared: RecordedExamples['errors'],
): object {
  const examples = codes.flatMap((code): [string, object][] => {
    if (own?.[code]) return [[code, own[code]]];
    return shared[code] ? [[code, { $ref: `#/components/examples/${code}` }]] : [];
  });
  return examples.length === 0 ? {} : { examples: Object.fromEntries(examples) };
}
