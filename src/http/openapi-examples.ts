/**
 * Examples of the document that were recorded from the wire. Whoever records them hands them to `buildOpenApi`; where
 * there is none, the document shows the example that the route itself declares, if any.
 */

export interface Example {
  /** What the example shows, in a few words. */
  readonly summary?: string;
  /** The body, as it was on the wire. */
  readonly value: unknown;
}

/** By name of the example, which is unique beside its body's schema: `created`, `insufficient_funds`. */
export type Examples = Readonly<Record<string, Example>>;

export interface RecordedExamples {
  /** By `operationId`. */
  readonly operations: Readonly<
    Record<string, { readonly request?: Examples; readonly responses?: Readonly<Record<string, Examples>> } | undefined>
  >;
  /** By type of event: the body of its webhook. */
  readonly events: Readonly<Record<string, Examples | undefined>>;
}

export const NO_EXAMPLES: RecordedExamples = { operations: {}, events: {} };

/** The part of a media type with its examples: the recorded ones, or the declared one. */
export function examplesOf(recorded: Examples | undefined, declared?: unknown): object {
  if (recorded !== undefined) return { examples: recorded };
  return declared === undefined ? {} : { example: declared };
}
