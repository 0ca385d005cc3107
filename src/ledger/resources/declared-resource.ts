/**
 * What a resource declares for everybody: its name, where its rows are, what it announces. It is the part of a resource
 * (resource.ts) that does not depend on the type of its rows. A group lists its resources (group/group.ts); filters of
 * events and entries, erasure, verification, rights, models and tests read them there. Its routes refer to it from the
 * group's `api/` folder (api/api-resource.ts). docs/decisions/declared-resources.md.
 */
import type { OnlyRows } from '../../db/keyed-table.ts';
import { ID_KINDS, kindOf, type ResourceName } from '../../values/ids.ts';
import type { EventName } from '../events/event-names.ts';
import type { DeclaredLog, DeclaredTable } from '../rows/table-of.ts';
import type { LineTextColumns } from './line-text.ts';

/** The resource that a child belongs to, and the column of the child's table that has its id. */
export interface Parent {
  readonly name: ResourceName;
  readonly column: string;
}

export interface DeclaredResource {
  /** As entries, holds, keys, exceptions, events and stored answers name it: `payout`. */
  readonly name: ResourceName;
  /** A row with the resource's id as its key is there as long as the resource is. */
  readonly table: (DeclaredTable<unknown> | DeclaredLog<unknown>) & { readonly key: string };
  /** Of a table with rows of several resources: which are its own. */
  readonly only?: OnlyRows;
  readonly parent: Parent | null;
  /** The names of its events, each with its group. All of them are in the document. */
  readonly events: readonly EventName[];
  /** Whether entries are steps of it. */
  readonly books: boolean;
  /** What lines of accounts show of it. Of those that book: empty where it has no texts. */
  readonly lineText?: LineTextColumns;
  /** In a list of what something may be about, where its name does not state it: `action of a reader`. */
  readonly phrase?: string;
  /** Members of its views that show a personal column of the table under another name. */
  readonly alsoShown?: readonly string[];
  /** Its rows leave the personal columns of a shared table empty. */
  readonly textless?: true;
}

/** Whether a person may ask to have its text erased. */
export function hasPersonalText({ table, textless }: DeclaredResource): boolean {
  return !textless && table.columns.some(({ personal }) => personal);
}

/** `a payout, a return or an exception`: the resources as a sentence lists them. */
export function anyOf(resources: readonly DeclaredResource[]): string {
  const named = resources.map(({ name, phrase = name.replaceAll('_', ' ') }) =>
    /^[aeiou]/.test(phrase) ? `an ${phrase}` : `a ${phrase}`,
  );
  return [named.slice(0, -1).join(', '), named.at(-1)].filter(Boolean).join(' or ');
}

/** The resources in the order of the kinds of their ids (values/ids.ts), which is that of every list that shows them. */
export function inOrder(resources: readonly DeclaredResource[]): readonly DeclaredResource[] {
  return resources.toSorted((one, other) => ID_KINDS.indexOf(kindOf(one.name)) - ID_KINDS.indexOf(kindOf(other.name)));
}
