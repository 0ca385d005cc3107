/**
 * Erases the personal text of an object in every place. First the object's row, so that nothing new shows the text; then every
 * other place, in bounded steps; last the event. If a run is killed, the next one continues: every step finds what remains,
 * and the erasure that has begun is finished.
 */
import type { Clock } from '../clock.ts';
import type { Pool } from '../db/pool.ts';
import { inTransaction } from '../db/transaction.ts';
import { type Erasure, erasures } from '../erasures/erasure-table.ts';
import { newId } from '../ids.ts';
import type { Committer } from '../ledger/committer.ts';
import { type ErasureSubject, parseErasable } from './erasable.ts';
import { KEPT_PLACES } from './erase-kept-store.ts';
import { type ErasurePlace, findBookOf, findUnfinished, ownRow, PLACES, readVersion } from './erase-store.ts';
import { finishErasure } from './finish-erasure.ts';

/** How many rows of one place contain text, or did before they were erased. */
export interface PlaceCount {
  readonly place: string;
  readonly rows: number;
}

export function placesOf(subject: Pick<ErasureSubject, 'table' | 'object'>): ErasurePlace[] {
  return [ownRow(subject), ...PLACES[subject.object], ...KEPT_PLACES];
}

/** Undefined for an object that does not exist, or of a kind without personal text. */
export async function findErasable(pool: Pool, shownId: string): Promise<ErasureSubject | undefined> {
  const parsed = parseErasable(shownId);
  if (!parsed) return undefined;
  const bookId = await findBookOf(pool, { table: parsed.kind.table, id: parsed.id });
  return bookId === undefined ? undefined : { ...parsed.kind, bookId, id: parsed.id };
}

/** Lists every place. Only reads. */
export async function listPlaces(pool: Pool, subject: ErasureSubject): Promise<PlaceCount[]> {
  const counts: PlaceCount[] = [];
  for (const place of placesOf(subject)) {
    const rows = await place.count(pool, subject);
    if (rows !== undefined) counts.push({ place: place.name, rows });
  }
  return counts;
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
  const { pool, committer, onPlace } = options;
  const id = (await findUnfinished(pool, subject)) ?? (await begin(options, subject));
  if (id === undefined) return { places: [], erasure: undefined };
  const places: PlaceCount[] = [];
  for (const place of placesOf(subject)) {
    const count = { place: place.name, rows: await place.erase(pool, subject) };
    places.push(count);
    onPlace?.(count);
  }
  const erasure = (await erasures.find(pool, subject.bookId, id))!;
  const version = await readVersion(pool, subject);
  const finished = await committer.submit(subject.bookId, finishErasure({ erasure, kind: subject.kind, version }));
  return { places, erasure: finished };
}

/** Records who erases what, before anything is erased. */
async function begin({ pool, clock, actor }: EraseOptions, subject: ErasureSubject): Promise<string | undefined> {
  const places = await listPlaces(pool, subject);
  if (places.every(({ rows }) => rows === 0)) return undefined;
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
  return erasure.id;
}
