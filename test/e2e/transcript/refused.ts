/** What each operation was heard to refuse, as examples: those that several answer alike are shared. */

import type { Problem } from '../../../scripts/harness/client.ts';
import type { Route } from '../../../src/api/route.ts';
import type { ErrorCode } from '../../../src/errors/errors.ts';
import type { ErrorExamples, Example } from '../../../src/http/reference/openapi-examples.ts';
import { asExamples } from './plausible.ts';

/** Decided before it is known which operation is asked for: what one was answered holds of all. */
const OF_ANY_OPERATION: readonly ErrorCode[] = ['api_key_invalid', 'api_key_expired', 'ip_not_allowed'];

export class Refusals {
  readonly #byOperation = new Map<string, Map<ErrorCode, Example>>();

  /** `began` is when the request was sent. The first answer of each code counts. */
  add({ operation }: Route, problem: Problem, began: number): void {
    const known = this.#byOperation.get(operation) ?? new Map<ErrorCode, Example>();
    this.#byOperation.set(operation, known);
    if (known.has(problem.code)) return;
    const value = asExamples(problem, { began, baseUrl: new URL(problem.type).origin });
    known.set(problem.code, { summary: value.detail, value });
  }

  codesOf({ operation }: Route): ErrorCode[] {
    return [...(this.#byOperation.get(operation)?.keys() ?? [])];
  }

  examples(routes: readonly Route[]): ErrorExamples {
    const shared = this.#mostCommon();
    const operations = routes.map(({ operation }) => {
      const known = [...(this.#byOperation.get(operation) ?? [])].sort(byName);
      const alike = known.filter(([code, example]) => isSame(example, shared.get(code))).map(([code]) => code);
      const own = known.filter(([code]) => !alike.includes(code));
      return [operation, { shared: [...new Set([...alike, ...OF_ANY_OPERATION])], own: Object.fromEntries(own) }];
    });
    return { shared: Object.fromEntries([...shared].sort(byName)), operations: Object.fromEntries(operations) };
  }

  /** For each code the example that most operations gave. */
  #mostCommon(): Map<ErrorCode, Example> {
    const votes = new Map<ErrorCode, Map<string, { example: Example; count: number }>>();
    for (const known of this.#byOperation.values())
      for (const [code, example] of known) {
        const ballot = votes.get(code) ?? new Map();
        votes.set(code, ballot);
        const text = JSON.stringify(example);
        ballot.set(text, { example, count: (ballot.get(text)?.count ?? 0) + 1 });
      }
    const winner = (ballot: Map<string, { example: Example; count: number }>) =>
      [...ballot.values()].reduce((best, one) => (one.count > best.count ? one : best)).example;
    return new Map([...votes].map(([code, ballot]) => [code, winner(ballot)]));
  }
}

function isSame(one: Example, other: Example | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
