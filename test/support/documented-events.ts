/**
 * Every type of event that was emitted stands in the OpenAPI document. Looked at wherever a test drives the product: at
 * the end of each product (product.ts), of each fault test and of both models.
 */
import { expect } from 'vitest';
import { lookInto } from '../../scripts/harness/database-store.ts';
import { buildOpenApi } from '../../src/http/reference/openapi.ts';
import { EVENT_DOCUMENTS } from '../../src/http/routes.ts';

let inDocument: readonly string[] | undefined;

/** The types of events in the document, which is made once. */
function documentedEvents(): readonly string[] {
  inDocument ??= typesInDocument();
  return inDocument;
}

function typesInDocument(): string[] {
  const { webhooks } = buildOpenApi({ routes: [], events: EVENT_DOCUMENTS, publicUrl: 'https://api.test' });
  return Object.keys(webhooks as object);
}

/**
 * Fails with the types of events in this database that the document does not have. `ofTheTest` are types that
 * only commands of the test itself emit.
 */
export async function expectDocumentedEvents(
  database: { superuserUrl: string },
  { ofTheTest = [] }: { ofTheTest?: readonly string[] } = {},
): Promise<void> {
  const behind = lookInto(database);
  try {
    const { rows } = await behind.query<{ type: string }>('SELECT DISTINCT type FROM events ORDER BY type');
    const known = [...documentedEvents(), ...ofTheTest];
    expect(
      rows.map(({ type }) => type).filter((type) => !known.includes(type)),
      'emitted, and not in the document',
    ).toEqual([]);
  } finally {
    await behind.end();
  }
}
