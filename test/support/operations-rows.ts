/**
 * Rows for tests of the sweeper and of operations. They are inserted without foreign keys, since their references do
 * not matter here.
 */
import type pg from 'pg';
import type { Instant } from '../../src/values/clock.ts';
import { newId, type Uuid } from '../../src/values/ids.ts';

export interface PayoutRow {
  bookId: Uuid;
  id?: Uuid;
  status?: string;
  dueAt: Instant | null;
  outcome?: string;
}

/** Lets the superuser's connection insert rows that constraints would refuse. */
export async function withoutForeignKeys(superuser: pg.Client): Promise<void> {
  await superuser.query('SET session_replication_role = replica');
}

export async function insertPayouts(superuser: pg.Client, rows: readonly PayoutRow[]): Promise<Uuid[]> {
  const ids = rows.map((row) => row.id ?? newId());
  await superuser.query(
    `INSERT INTO payouts (book_id, id, status, account_id, hold_id, amount, fee, currency, rail, destination_type,
                          end_to_end_id, outcome, request_id, due_at, created_at, updated_at)
     SELECT book_id, id, status, id, id, 900, 0, 'JOD', 'sandbox', 'cliq', id::text, outcome, id, due_at, now(), now()
     FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::text[]) AS given (book_id, id, status, due_at, outcome)`,
    [
      rows.map((row) => row.bookId),
      ids,
      rows.map((row) => row.status ?? 'pending'),
      rows.map((row) => (row.dueAt === null ? null : new Date(row.dueAt))),
      rows.map((row) => row.outcome ?? null),
    ],
  );
  return ids;
}

export async function insertDeliveries(
  superuser: pg.Client,
  rows: readonly { bookId: Uuid; eventSequence: bigint; endpointId: Uuid; dueAt: Instant | null; status?: string }[],
): Promise<void> {
  await superuser.query(
    `INSERT INTO webhook_deliveries (book_id, event_sequence, endpoint_id, status, due_at, created_at)
     SELECT book_id, event_sequence, endpoint_id, status, due_at, now()
     FROM unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::text[], $5::timestamptz[])
       AS given (book_id, event_sequence, endpoint_id, status, due_at)`,
    [
      rows.map((row) => row.bookId),
      rows.map((row) => row.eventSequence),
      rows.map((row) => row.endpointId),
      rows.map((row) => row.status ?? 'pending'),
      rows.map((row) => (row.dueAt === null ? null : new Date(row.dueAt))),
    ],
  );
}

export async function insertIdempotencyKeys(
  superuser: pg.Client,
  rows: readonly { bookId: Uuid; key: string; createdAt: Instant }[],
): Promise<void> {
  await superuser.query(
    `INSERT INTO idempotency_keys (book_id, key, fingerprint, status, body, request_id, created_at)
     SELECT book_id, key, '', 202, '{}', gen_random_uuid(), created_at
     FROM unnest($1::uuid[], $2::text[], $3::timestamptz[]) AS given (book_id, key, created_at)`,
    [rows.map((row) => row.bookId), rows.map((row) => row.key), rows.map((row) => new Date(row.createdAt))],
  );
}
