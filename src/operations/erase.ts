/**
 * Erases the personal text of an object, and of its children, in every place. First each object's row, so that nothing
 * new shows the text; then every other place, in bounded steps; last an event of each. If a run is killed, the next one
 * continues: every step finds the remaining rows, and an erasure that has begun is finished.
 */

import type { Pool } from '../db/pool.ts';
import { inTransaction } from '../db/transaction.ts';
import { type Erasure, erasures } from '../erasures/erasure-table.ts';
import type { Committer } from '../ledger/commit/committer.ts';
import type { DeclaredResource } from '../ledger/resources/declared-resource.ts';
import type { Clock } from '../values/clock.ts';
import { newId } from '../values/ids.ts';
import { type ErasureSubject, erasable, parseErasable } from './erasable.ts';
import { ANSWERS, dropStatementFiles, eachAnswer, KEPT_EVENTS, STATEMENT_FILES } from './erase-kept-store.ts';
import {
  type ErasurePlace,
  findBookOf,
  findChildren,
  findUnfinished,
  ownRow,
  placesBeside,
  readVersion,
} from './erase-store.ts';
import { finishErasure } from './finish-erasure.ts';

/** How many rows of one place contain text, or did before they were erased. */
export interface PlaceCount {
  readonly place: string;
  readonly rows: number;
}

/** Places that may store text of one object. Stored answers are read once for all objects of an erasure. */
export function placesOf(resource: DeclaredResource): ErasurePlace[] {
  return [ownRow(resource), ...placesBeside(resource), KEPT_EVENTS];
}

/** What an erasure is about: one of these resources. Undefined for an object that does not exist, or that has no personal text. */
export async function findErasable(
  pool: Pool,
  resources: readonly DeclaredResource[],
  shownId: string,
): Promise<ErasureSubject | undefined> {
  const parsed = parseErasable(resources, shownId);
  if (!parsed) return undefined;
  const { kind, id } = parsed;
  const bookId = await findBookOf(pool, kind.resource, id);
  return bookId === undefined ? undefined : { ...kind, bookId, id };
}

/** The object last, behind the children whose text is erased with its own. */
async function familyOf(
  pool: Pool,
  resources: readonly DeclaredResource[],
  subject: ErasureSubject,
): Promise<ErasureSubject[]> {
  const children = await findChildren(pool, resources, subject);
  return [...children.map(({ resource, id }) => ({ ...erasable(resource), bookId: subject.bookId, id })), subject];
}

/** Lists every place, of the object and of its children. Only reads. */
export async function listPlaces(
  pool: Pool,
  resources: readonly DeclaredResource[],
  subject: ErasureSubject,
): Promise<PlaceCount[]> {
  const family = await familyOf(pool, resources, subject);
  const sums = new Sums();
  for (const member of family)
    for (const place of placesOf(member.resource)) {
      const rows = await place.count(pool, member);
      if (rows !== undefined) sums.add({ place: place.name, rows });
    }
  sums.add({ place: ANSWERS, rows: await eachAnswer(pool, family, { change: false }) });
  return sums.all();
}

class Sums {
  readonly #rows = new Map<string, number>();

  add({ place, rows }: PlaceCount): void {
    this.#rows.set(place, (this.#rows.get(place) ?? 0) + rows);
  }

  all(): PlaceCount[] {
    return [...this.#rows].map(([place, rows]) => ({ place, rows }));
  }
}

export interface EraseOptions {
  /** Of the owner's role. */
  pool: Pool;
  /** Of all groups: what is erased with an object may be any of them. */
  resources: readonly DeclaredResource[];
  committer: Pick<Committer, 'submit'>;
  clock: Clock;
  /** `operator:NAME`. */
  actor: string;
  onPlace?: (count: PlaceCount) => void;
}

export interface EraseResult {
  readonly places: readonly PlaceCount[];
  /** Undefined if there was nothing to erase, and no erasure to finish. */
  readonly erasure: Erasure | undefined;
}

export async function erase(options: EraseOptions, subject: ErasureSubject): Promise<EraseResult> {
  const { pool, resources, onPlace } = options;
  const isUnfinished = (await findUnfinished(pool, subject)) !== undefined;
  if (!isUnfinished && (await listPlaces(pool, resources, subject)).every(({ rows }) => rows === 0))
    return { places: [], erasure: undefined };
  // The object's first: as long as it is not finished, the next run finds the children again.
  await begin(options, subject);
  const family = await familyOf(pool, resources, subject);
  const sums = new Sums();
  const erased = (count: PlaceCount) => {
    sums.add(count);
    onPlace?.(count);
  };
  for (const member of family) {
    await begin(options, member);
    for (const place of placesOf(member.resource)) erased({ place: place.name, rows: await place.erase(pool, member) });
  }
  erased({ place: ANSWERS, rows: await eachAnswer(pool, family, { change: true }) });
  const files = await dropStatementFiles(pool, subject.bookId);
  if (files > 0) erased({ place: STATEMENT_FILES, rows: files });
  let erasure: Erasure | undefined;
  for (const member of family) erasure = await finish(options, member);
  return { places: sums.all(), erasure };
}

/** Records who erases what, before anything is erased. An erasure that was interrupted is there already. */
async function begin({ pool, clock, actor }: EraseOptions, subject: ErasureSubject): Promise<void> {
  if ((await findUnfinished(pool, subject)) !== undefined) return;
  const erasure: Erasure = {
    id: newId(),
    object: subject.resource.name,
    objectId: subject.id,
    actor,
    fields: [...subject.members],
    begunAt: clock.now(),
    finishedAt: null,
  };
  await inTransaction(pool, (trx) => erasures.insert(trx, subject.bookId, [erasure]));
}

async function finish({ pool, committer }: EraseOptions, subject: ErasureSubject): Promise<Erasure> {
  const id = (await findUnfinished(pool, subject))!;
  const erasure = (await erasures.find(pool, subject.bookId, id))!;
  const version = await readVersion(pool, subject);
  return committer.submit(subject.bookId, finishErasure({ erasure, kind: subject.kind, version }));
}
