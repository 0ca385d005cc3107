/**
 * Objects whose personal text a person may ask to have erased: those of each resource whose table has personal columns.
 * Beside the columns stand the members of views that show one under another name.
 */
import type { BookId } from '../ledger/book/book.ts';
import { type DeclaredResource, hasPersonalText, inOrder } from '../ledger/resources/declared-resource.ts';
import { type IdKind, kindOf, parsePublicId, type Uuid } from '../values/ids.ts';

export interface ErasableKind {
  readonly resource: DeclaredResource;
  readonly kind: IdKind;
  /** Members of the object's views that show personal text. */
  readonly members: ReadonlySet<string>;
}

/** The kinds of objects with personal text among all resources. */
export function erasableKinds(resources: readonly DeclaredResource[]): ErasableKind[] {
  return inOrder(resources).filter(hasPersonalText).map(erasable);
}

/** An object, with the book that it is in. */
export interface ErasureSubject extends ErasableKind {
  readonly bookId: BookId;
  readonly id: Uuid;
}

/** Undefined if the text is not the id of such an object. */
export function parseErasable(
  resources: readonly DeclaredResource[],
  shownId: string,
): { kind: ErasableKind; id: Uuid } | undefined {
  for (const kind of erasableKinds(resources)) {
    const id = parsePublicId(kind.kind, shownId);
    if (id !== undefined) return { kind, id };
  }
  return undefined;
}

export function erasable(resource: DeclaredResource): ErasableKind {
  const { name, table, alsoShown = [] } = resource;
  const columns = table.columns.filter(({ personal }) => personal).map((column) => column.name);
  return { resource, kind: kindOf(name), members: new Set([...columns, ...alsoShown]) };
}
