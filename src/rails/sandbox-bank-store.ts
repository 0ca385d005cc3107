/** The records of the sandbox's bank: all SQL of its schema, on the connections of the sandbox rail. */
import { plainArray, textArray } from '../db/columns.ts';
import type { Pool, Queryable, Transaction } from '../db/pool.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';
import type { MovementKind } from './sandbox-bank-lines.ts';
import type { OfferedCredit } from './stated-by-sandbox.ts';

/** Repeated, nothing changes. Index: movements_pkey. */
export async function insertOffered(pool: Pool, credit: OfferedCredit): Promise<void> {
  const { id, originator, amount, currency, reference } = credit;
  await pool.query(
    `INSERT INTO sandbox_bank.movements (id, kind, originator, amount, currency, moved_at, reference, standing)
     VALUES ($1, 'credit', $2, $3, $4, clock_timestamp(), $5, 'offered') ON CONFLICT DO NOTHING`,
    [id, originator, amount, currency, reference],
  );
}

export interface Offered {
  readonly id: Uuid;
  readonly originator: string;
  /** No request that offered it is still under way. */
  readonly isOld: boolean;
}

/** A request ends within a minute. */
const OLD = "interval '1 hour'";

/** In the order of ids. Index: movements_offered. */
export async function listOffered(pool: Pool, { behind, limit }: { behind: Uuid; limit: number }): Promise<Offered[]> {
  const { rows } = await pool.query<{ id: Uuid; originator: string; is_old: boolean }>(
    `SELECT id, originator, moved_at < clock_timestamp() - ${OLD} AS is_old FROM sandbox_bank.movements
     WHERE standing = 'offered' AND id > $1 ORDER BY id LIMIT $2`,
    [behind, limit],
  );
  return rows.map(({ id, originator, is_old: isOld }) => ({ id, originator, isOld }));
}

/** Index: movements_pkey. */
export async function decideOffered(
  pool: Pool,
  { taken, refused }: { taken: readonly Uuid[]; refused: readonly Uuid[] },
): Promise<void> {
  await pool.query(
    `UPDATE sandbox_bank.movements SET standing = CASE WHEN id = ANY ($1::uuid[]) THEN 'moved' ELSE 'refused' END
     WHERE id = ANY ($1::uuid[] || $2::uuid[]) AND standing = 'offered'`,
    [plainArray(taken), plainArray(refused)],
  );
}

/** In one draw. What is left is drawn for the next statement. */
const DRAWN_MAX = 10_000;

/**
 * The money of paid instructions leaves the bank; that of instructions rejected afterwards comes back. An instruction that is being submitted again is left for the next
 * draw, so nothing waits here. Indexes: instructions_not_at_bank, instructions_pkey.
 */
export async function drawInstructions(trx: Transaction): Promise<void> {
  await trx.query(
    `WITH found AS MATERIALIZED (
       SELECT originator, end_to_end_id FROM sandbox_rail.instructions WHERE (status = 'paid') <> at_bank
       ORDER BY received_at LIMIT ${DRAWN_MAX} FOR UPDATE SKIP LOCKED
     ), changed AS (
       UPDATE sandbox_rail.instructions AS i SET at_bank = NOT i.at_bank FROM found AS f
       WHERE i.originator = f.originator AND i.end_to_end_id = f.end_to_end_id RETURNING i.*
     )
     INSERT INTO sandbox_bank.movements (id, kind, originator, amount, currency, moved_at, reference, end_to_end_id, standing)
     SELECT gen_random_uuid(), CASE WHEN at_bank THEN 'payout' ELSE 'return' END, originator,
            CASE WHEN at_bank THEN -amount ELSE amount - amount_returned END, currency, coalesce(moved_at, received_at), reference,
            end_to_end_id, 'moved'
     FROM changed WHERE at_bank OR amount > amount_returned`,
  );
}

/** Money that the rail sent back, of instructions whose money left the bank. Indexes: notices_not_at_bank, instructions_pkey. */
export async function drawReturns(trx: Transaction): Promise<void> {
  await trx.query(
    `WITH found AS MATERIALIZED (
       SELECT n.id, i.currency FROM sandbox_rail.notices AS n JOIN sandbox_rail.instructions AS i USING (originator, end_to_end_id)
       WHERE n.kind = 'returned' AND NOT n.at_bank AND i.at_bank
       ORDER BY n.created_at LIMIT ${DRAWN_MAX} FOR UPDATE OF n SKIP LOCKED
     ), changed AS (
       UPDATE sandbox_rail.notices AS n SET at_bank = true FROM found AS f WHERE n.id = f.id RETURNING n.*, f.currency
     )
     INSERT INTO sandbox_bank.movements (id, kind, originator, amount, currency, moved_at, reference, end_to_end_id, standing)
     SELECT id, 'return', originator, amount, currency, created_at, reference, end_to_end_id, 'moved' FROM changed`,
  );
}

export interface AccountAtBank {
  readonly number: number;
  readonly balance: bigint;
  /** The last day that is stated. Null before the first statement. */
  readonly through: string | null;
}

/** Locks the account: statements of it are made one at a time. Index: accounts_pkey. */
export async function lockAccount(trx: Transaction, id: Uuid, balance: bigint): Promise<AccountAtBank> {
  await trx.query(
    `INSERT INTO sandbox_bank.accounts (bank_account, number, balance) VALUES ($1, 0, $2) ON CONFLICT DO NOTHING`,
    [id, balance],
  );
  const { rows } = await trx.query<AccountAtBank>(
    'SELECT number, balance, through FROM sandbox_bank.accounts WHERE bank_account = $1 FOR UPDATE',
    [id],
  );
  return rows[0]!;
}

interface KnownStatement {
  readonly number: number;
  readonly file: string;
}

/** Index: statements_key_key. */
export async function findByKey(db: Queryable, key: string): Promise<KnownStatement | undefined> {
  const { rows } = await db.query<KnownStatement>('SELECT number, file FROM sandbox_bank.statements WHERE key = $1', [
    key,
  ]);
  return rows[0];
}

export interface MovementAtBank {
  readonly id: Uuid;
  readonly kind: MovementKind;
  readonly amount: bigint;
  readonly movedAt: Instant;
  readonly reference: string;
  readonly endToEndId: string | null;
}

interface MovementRow {
  id: Uuid;
  kind: MovementKind;
  amount: bigint;
  moved_at: Instant;
  reference: string;
  end_to_end_id: string | null;
}

export interface MovedWithin {
  readonly currency: string;
  readonly from: Instant;
  readonly until: Instant;
  /** References of what is stated though it moved before. */
  readonly outstanding: readonly string[];
  readonly limit: number;
}

/**
 * What moved and is on no statement, oldest first, locked. What another statement is taking is left to it. Indexes: movements_moved,
 * movements_moved_by_id, movements_moved_by_reference.
 */
export async function lockMoved(
  trx: Transaction,
  { currency, from, until, outstanding, limit }: MovedWithin,
): Promise<MovementAtBank[]> {
  const columns = 'id, kind, amount, moved_at, reference, end_to_end_id';
  const of = "FROM sandbox_bank.movements WHERE standing = 'moved' AND currency = $1";
  const named =
    outstanding.length === 0 ? [] : await lockNamed(trx, { columns, of, currency, from, outstanding, limit });
  const { rows } = await trx.query<MovementRow>(
    `SELECT ${columns} ${of} AND moved_at >= $2 AND moved_at < $3 ORDER BY moved_at, id LIMIT $4 FOR UPDATE SKIP LOCKED`,
    [currency, new Date(from), new Date(until), limit - named.length],
  );
  return [...named, ...rows].map(({ moved_at: movedAt, end_to_end_id: endToEndId, ...row }) => ({
    ...{ ...row, movedAt, endToEndId },
  }));
}

interface Named extends Pick<MovedWithin, 'currency' | 'from' | 'outstanding' | 'limit'> {
  readonly columns: string;
  readonly of: string;
}

async function lockNamed(trx: Transaction, { columns, of, currency, from, outstanding, limit }: Named) {
  const { rows } = await trx.query<MovementRow>(
    `SELECT ${columns} ${of} AND moved_at < $2 AND (end_to_end_id = ANY ($3::text[]) OR reference = ANY ($3::text[]))
     ORDER BY moved_at, id LIMIT $4 FOR UPDATE SKIP LOCKED`,
    [currency, new Date(from), textArray(outstanding), limit],
  );
  return rows;
}

export interface NewStatement {
  readonly bankAccount: Uuid;
  readonly number: number;
  readonly key: string;
  readonly file: string;
  readonly madeAt: Instant;
  readonly closing: bigint;
  readonly through: string;
  readonly movements: readonly Uuid[];
}

/** Indexes: statements_pkey, accounts_pkey, movements_pkey. */
export async function insertStatement(trx: Transaction, statement: NewStatement): Promise<void> {
  const { bankAccount, number, key, file, madeAt, closing, through, movements } = statement;
  await trx.query(
    `INSERT INTO sandbox_bank.statements (bank_account, number, key, file, made_at) VALUES ($1, $2, $3, $4, $5)`,
    [bankAccount, number, key, file, new Date(madeAt)],
  );
  await trx.query('UPDATE sandbox_bank.accounts SET number = $2, balance = $3, through = $4 WHERE bank_account = $1', [
    bankAccount,
    number,
    closing,
    through,
  ]);
  await trx.query(
    `UPDATE sandbox_bank.movements SET standing = 'stated', bank_account = $1, statement = $2 WHERE id = ANY ($3::uuid[])`,
    [bankAccount, number, plainArray(movements)],
  );
}
