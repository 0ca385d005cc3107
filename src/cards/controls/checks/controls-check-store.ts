import { plainArray } from '../../../db/columns.ts';
import type { Queryable } from '../../../db/pool.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../../../values/ids.ts';

/** What is in force of a subject, with its versions. One statement, so all is of one moment. */
export interface InForceHistory {
  readonly subjectId: Uuid;
  readonly versions: number;
  readonly active: string | null;
  readonly shadow: string | null;
  /** The same, by the versions themselves. */
  readonly ofVersions: { readonly versions: number; readonly active: string | null; readonly shadow: string | null };
}

interface HistoryRow {
  readonly subject_id: Uuid;
  readonly versions: number;
  readonly active: string | null;
  readonly shadow: string | null;
  readonly of_versions: number;
  readonly of_active: string | null;
  readonly of_shadow: string | null;
}

/** Reads a page of subjects. Indexes: card_controls_in_force_pkey, card_controls_by_subject_id. */
export function readInForceHistories(
  db: Queryable,
  bookId: BookId,
  { after = BEFORE_ALL_IDS, limit }: { after: Uuid | undefined; limit: number },
): Promise<InForceHistory[]> {
  const text = withVersions('book_id = $1 AND subject_id > $2::uuid ORDER BY subject_id LIMIT $3');
  return read(db, { name: 'verify.card_controls', text, values: [bookId, after, limit] });
}

/** The same of the subjects of these versions. Ids of other resources are skipped. Index: card_controls_pkey. */
export function readInForceHistoriesById(
  db: Queryable,
  bookId: BookId,
  ids: readonly Uuid[],
): Promise<InForceHistory[]> {
  const text = withVersions(
    'book_id = $1 AND subject_id IN (SELECT subject_id FROM card_controls WHERE book_id = $1 AND id = ANY ($2::uuid[]))',
  );
  return read(db, { name: 'verify.card_controls_by_id', text, values: [bookId, plainArray(ids)] });
}

/** JSON as Postgres orders its members: two texts of the same version are the same. */
function withVersions(which: string): string {
  const ofStatus = (
    status: string,
  ) => `(SELECT jsonb_agg(jsonb_build_object('id', c.id, 'ordinal', c.ordinal, 'content', c.content,
      'countedSince', (extract(epoch FROM c.counted_since) * 1000)::bigint) || ${behind(`f.${status}`)} ORDER BY c.ordinal)
    FROM card_controls c WHERE c.book_id = f.book_id AND c.subject_id = f.subject_id AND c.status = '${status}')`;
  return `SELECT f.subject_id, f.versions, f.active::text, f.shadow::text,
      (SELECT count(*)::integer FROM card_controls c WHERE c.book_id = f.book_id AND c.subject_id = f.subject_id) AS of_versions,
      ${ofStatus('active')}::text AS of_active, ${ofStatus('shadow')}::text AS of_shadow
    FROM (SELECT * FROM card_controls_in_force WHERE ${which}) f ORDER BY f.subject_id`;
}

/** The event with which it came into force. Rows of before that was kept are without it. Index: events_by_object. */
function behind(kept: string): string {
  return `CASE WHEN ${kept} ? 'countedBehind' THEN jsonb_build_object('countedBehind', (SELECT min(e.sequence)::text FROM events e
      WHERE e.book_id = c.book_id AND e.object_id = c.id AND e.type IN ('card_controls.shadowed', 'card_controls.activated')))
    ELSE '{}' END`;
}

async function read(
  db: Queryable,
  query: { name: string; text: string; values: unknown[] },
): Promise<InForceHistory[]> {
  const { rows } = await db.query<HistoryRow>(query);
  return rows.map((row) => ({
    subjectId: row.subject_id,
    versions: row.versions,
    active: listed(row.active),
    shadow: listed(row.shadow),
    ofVersions: { versions: row.of_versions, active: row.of_active, shadow: row.of_shadow },
  }));
}

/** As jsonb_agg writes the one that there may be. */
function listed(version: string | null): string | null {
  return version === null ? null : `[${version}]`;
}
