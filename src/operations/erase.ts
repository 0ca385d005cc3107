/**
 * Erases the personal text of an object, and of its children, in every place. First each object's row, so that nothing new shows the
 * text; then every other place, in bounded steps; last an event of each. If a run is killed, the next one continues: every step finds
 * what remains, and what has begun is finished.
 */

import type { Pool } from '../db/pool.ts';
import { inTransaction } from '../db/transaction.ts';
import { type Erasure, erasures } from '../erasures/erasure-table.ts';
import type { Committer } from '../ledger/commit/committer.ts';
import type { Clock } from '../values/clock.ts';
import { newId } from '../values/ids.ts';
import { type ErasureSubject, erasableOf, parseErasable } from './erasable.ts';
import { ANSWERS, eachAnswer, KEPT_EVENTS } from './erase-kept-store.ts';
import {
  type ErasurePlace,
  findBookOf,
  findChildren,
  findUnfinished,
  ownRow,
  PLACES,
  readVersion,
} from './erase-store.ts';
import { finishErasure } from './finish-erasure.ts';

/** How many rows of one place contain text, or did before they were erased. */
export interface PlaceCount {
  readonly place: string;
  readonly rows: number;
}

/** Where text of one object may stand. Stored answers are looked through once for all objects of an erasure. */
export function placesOf(subject: Pick<ErasureSubject, 'table' | 'object'>): ErasurePlace[] {
  return [ownRow(subject), ...PLACES[subject.object], KEPT_EVENTS];
}

/** Undefined for an object that does not exist, or of a kind without personal text. */
export async function findErasable(pool: Pool, shownId: string): Promise<ErasureSubject | undefined> {
  const parsed = parseErasable(shownId);
  if (!parsed) return undefined;
  const bookId = await findBookOf(pool, { table: parsed.kind.table, id: parsed.id });
  return bookId === undefined ? undefined : { ...parsed.kind, bookId, id: parsed.id };
}

/** The object last, behind the children whose text is erased with its own. */
async function familyOf(pool: Pool, subject: ErasureSubject): Promise<ErasureSubject[]> {
  const children = await findChildren(pool, subject);
  return [...children.map(({ object, id }) => ({ ...erasableOf(object), bookId: subject.bookId, id })), subject];
}

/** Lists every place, of the object and of its children. Only reads. */
export async function listPlaces(pool: Pool, subject: ErasureSubject): Promise<PlaceCount[]> {
  const family = await familyOf(pool, subject);
  const sums = new Sums();
  for (const member of family)
    for (const place of placesOf(member)) {
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
  const { pool, onPlace } = options;
  const isUnfinished = (await findUnfinished(pool, subject)) !== undefined;
  if (!isUnfinished && (await listPlaces(pool, subject)).every(({ rows }) => rows === 0))
    return { places: [], erasure: undefined };
  // The object's first: as long as it is not finished, the next run finds the children again.
  await begin(options, subject);
  const family = await familyOf(pool, subject);
  const sums = new Sums();
  const erased = (count: PlaceCount) => {
    sums.add(count);
    onPlace?.(count);
  };
  for (const member of family) {
    await begin(options, member);
    for (const place of placesOf(member)) erased({ place: place.name, rows: await place.erase(pool, member) });
  }
  erased({ place: ANSWERS, rows: await eachAnswer(pool, family, { change: true }) });
  let erasure: Erasure | undefined;
  for (const member of family) erasure = await finish(options, member);
  return { places: sums.all(), erasure };
}

/** Records who erases what, before anything is erased. An erasure that was interrupted is there already. */
async function begin({ pool, clock, actor }: EraseOptions, subject: ErasureSubject): Promise<void> {
  if ((await findUnfinished(pool, subject)) !== undefined) return;
  const erasure: Erasure = {
    id: newId(),
    object: subject.object,
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
