/** Examples for the OpenAPI document, chosen from recorded HTTP traffic. */
import type { Route } from '../../../src/api/route.ts';
import type { ErrorCode } from '../../../src/errors/errors.ts';
import type { Example, Examples, OperationExamples } from '../../../src/http/reference/openapi-examples.ts';
import { ROUTES } from '../../../src/http/routes.ts';
import type { Happening } from './moments.ts';

/** A request with its answer. */
export interface Exchange {
  readonly title: string;
  readonly operation: string;
  readonly request: unknown;
  readonly status: number;
  readonly answer: unknown;
}

/** An event, as webhooks and lists show it. */
export interface RecordedEvent extends Happening {
  readonly type: string;
}

/** Most request examples of one operation. Their bodies differ. */
const REQUEST_EXAMPLES_MAX = 3;

type Mutable = { request?: Record<string, Example>; responses: Record<string, Record<string, Example>> };

export class ExampleCollection {
  readonly #operations = new Map<string, Mutable>();
  readonly #events = new Map<string, Example>();

  add({ title, operation, request, status, answer }: Exchange): void {
    const known = this.#operations.get(operation) ?? { responses: {} };
    this.#operations.set(operation, known);
    known.responses[status] ??= {};
    const shown = known.responses[status];
    if (status >= 400) {
      const { code, detail } = answer as { code: ErrorCode; detail: string };
      shown[code] ??= { summary: detail, value: answer };
      return;
    }
    const name = title.toLowerCase().replace(/[^a-z0-9]+/g, '_');
    const body = JSON.stringify(request);
    const bodies = Object.values(known.request ?? {}).map(({ value }) => JSON.stringify(value));
    // Code samples are generated from the request only, without its query: a dry run's body would read as a real request.
    const isDryRun = ROUTES.find((route) => route.operation === operation)?.responses[status]?.isDryRun;
    const isNew =
      !isDryRun &&
      body !== undefined &&
      body !== '{}' &&
      !bodies.includes(body) &&
      bodies.length < REQUEST_EXAMPLES_MAX;
    const isFirst = Object.keys(shown).length === 0;
    if (shown[name] || known.request?.[name] || !(isNew || isFirst)) return;
    shown[name] = { summary: title, value: answer };
    if (isNew) known.request = { ...known.request, [name]: { summary: title, value: request } };
  }

  addEvent(event: RecordedEvent): void {
    if (!this.#events.has(event.type)) this.#events.set(event.type, { value: event });
  }

  /** Of the operations of a group, in the order of its routes. */
  of(routes: readonly Route[]): Record<string, OperationExamples> {
    return Object.fromEntries(
      routes.flatMap(({ operation }) => {
        const found = this.#operations.get(operation);
        return found ? [[operation, found] as const] : [];
      }),
    );
  }

  /** The first of each type. */
  events(): Examples {
    return Object.fromEntries([...this.#events].sort(([one], [other]) => (one < other ? -1 : 1)));
  }
}
