/** The events of a resource as the OpenAPI document shows them. Each group's api/ folder declares its own. */
import type { z } from 'zod';
import type { RoutedResource } from './route.ts';

export interface EventDocument {
  /** The names that its resource declares. */
  readonly names: readonly string[];
  /** What `data.object` is. */
  readonly object: z.ZodType;
  readonly schemaName: string;
  /** By name of event: what happened, in a few words that no other event has. */
  readonly summary: Readonly<Record<string, string>>;
  /** By name of event: when it happens, in a sentence, and what is not plain from the schema. */
  readonly when: Readonly<Record<string, string>>;
}

/** The events that the resource declares. Their object is what its routes show. */
export function eventsOf(
  { declared, schema, type }: RoutedResource,
  texts: Pick<EventDocument, 'summary' | 'when'>,
): EventDocument {
  return { names: declared?.events ?? [], object: schema, schemaName: `${type}Event`, ...texts };
}
