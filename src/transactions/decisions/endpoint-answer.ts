/**
 * The answer of a program's endpoint about one message, before its command. The command decides every rule anew, with
 * the answer as one more.
 * Next: ask-endpoint.ts (how it is asked), ../../cards/decision/decide.ts (the rule).
 */
import type { EndpointAnswer } from '../../cards/decision/decision-input.ts';
import type { DecisionEndpoint } from '../../cards/program/program.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';

export type Metadata = Readonly<Record<string, string>>;

/** An answer in its form. */
export interface DecisionAnswer {
  /** As the rules take it. */
  readonly answer: Exclude<EndpointAnswer, { readonly source: 'default' }>;
  /** Merged into the transaction's. */
  readonly metadata: Metadata;
}

/** Reads the text of a response; undefined for a wrong form. */
export type ReadAnswer = (response: string) => DecisionAnswer | undefined;

/** An endpoint that was asked, or would have been. */
export interface Consulted {
  readonly url: string;
  /** Null: none came in time and in its form, or nobody was asked. The program's default applies. */
  readonly answer: DecisionAnswer | null;
}

/** Keys of a transaction's metadata (METADATA_LIMITS of the API). */
const METADATA_KEYS_MAX = 50;

export interface AnswerInForce {
  readonly answer: EndpointAnswer;
  readonly metadata: Metadata;
}

/**
 * What the rules take of it, by the program as it is when the command decides. An answer whose metadata do not fit beside what the
 * transaction has is in a wrong form. Throws StaleRead for the answer of an endpoint that is no longer the program's.
 */
export function answerInForce({ url, answer }: Consulted, endpoint: DecisionEndpoint, known: Metadata): AnswerInForce {
  if (url !== endpoint.url)
    throw new StaleRead('The decision endpoint of the program has changed meanwhile. Send the message again.');
  if (answer !== null && Object.keys({ ...known, ...answer.metadata }).length <= METADATA_KEYS_MAX) return answer;
  const decision = endpoint.default === 'approve' ? 'approved' : 'declined';
  return { answer: { source: 'default', decision }, metadata: {} };
}
