import type { Draft } from '../ledger/command/draft.ts';
import type { Resource, Versioned } from '../ledger/resources/resource.ts';
import { writeJson } from '../values/json.ts';
import type { Stored } from './idempotency-key.ts';

/** The answer that shows an object as it is in the draft. */
export function storedView<Row extends Versioned>(draft: Draft, resource: Resource<Row>, row: Row): Stored {
  return storedAs(resource, row, { status: 200, body: writeJson(resource.view(row, draft)) });
}

/** The answer to a dry run: the object as it would be. It names no object to wait for. */
export function previewOf<Row extends Versioned>(
  draft: Draft,
  resource: Resource<Row>,
  row: Row,
  beside: Readonly<Record<string, unknown>> = {},
): Stored {
  return { status: 200, body: writeJson({ ...(resource.view(row, draft) as object), dry_run: true, ...beside }) };
}

/** An answer about an object, with a body of its own. */
export function storedAs<Row extends Versioned>(
  resource: Resource<Row>,
  row: Row,
  { status, body }: Pick<Stored, 'status' | 'body'>,
): Stored {
  return { status, body, resource: resource.name, resourceId: resource.table.idOf(row) };
}
