/** A book in which everything has happened that can: every status of a payout, every kind of account, events with receivers. */

import pg from 'pg';
import { createPool } from '../../src/db/pool.ts';
import { voidKey } from '../../src/idempotency/once.ts';
import { newId } from '../../src/ids.ts';
import { createLogger } from '../../src/log.ts';
import { recordUnknown } from '../../src/payouts/await-outcome.ts';
import { cancelPayout } from '../../src/payouts/cancel-payout.ts';
import type { Payout, PayoutStatus } from '../../src/payouts/payout.ts';
import { returnPayout } from '../../src/payouts/return-payout.ts';
import type { Finding } from '../../src/verify/finding.ts';
import { verifyDatabase } from '../../src/verify/verify-database.ts';
import { openBook, type TestBook, transfer, WEBHOOKS_SINK } from './book.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';

export interface Scene {
  bookId: string;
  endpointId: string;
  /** Holds a little, and has had nothing but two lines. */
  quietAccountId: string;
  /** Below its floor, because an entry took it there. */
  overdrawnAccountId: string;
  /** Of a transfer that nothing tells of: one entry in the middle. */
  transfer: bigint;
  inboundTransferId: string;
  payouts: Record<PayoutStatus | 'internal', Payout>;
}

export async function fillBook(book: TestBook): Promise<Scene> {
  const endpointId = await addEndpoint(book);
  const source = await book.account({ amount: 50_000n });
  const target = await book.account();
  const quietAccountId = await book.account({ currency: 'JOD', amount: 7n, overdraftLimit: 100n });
  await book.fund(quietAccountId, 3n, 'JOD');
  const moved = await book.submit(transfer({ from: source, to: target, amount: 40n }));
  await book.submit(voidKey({ key: newId(), requestId: newId() }));

  const accept = (change: { fee?: bigint; amount?: bigint } = {}) => book.accept({ accountId: source, ...change });
  const processing = async (change = {}) => book.reserve(await accept(change));
  const paid = async (change = {}) => book.settle(await processing(change), { status: 'paid' });
  const failed = async (change = {}) => book.settle(await processing(change), { status: 'rejected' });
  const giveBack = (payout: Payout, amount: bigint) =>
    book.submit(returnPayout(book.id, payout, { id: newId(), amount, reason: null, raw: {} }));

  const canceled = await accept();
  await book.submit(cancelPayout(book.id, canceled, { requestId: newId(), actor: 'test' }));
  const poor = await book.account({ amount: 2_000n });
  const neverSent = await book.accept({ accountId: poor, fee: 0n });
  await book.setStatus('freeze', poor);
  await book.reserve(neverSent);
  const unknown = await processing();
  await book.submit(recordUnknown(book.id, unknown, { call: 'submit', nextInquiryMs: 1_000, raw: {} }));
  await paid({ fee: 0n });
  await failed({ fee: 0n });
  await giveBack(await paid(), 300n);
  // A rail that contradicts itself takes an account below its floor.
  const late = await book.account({ amount: 1_005n });
  const rejected = await book.settle(await book.reserve(await book.accept({ accountId: late })), {
    status: 'rejected',
  });
  await book.submit(transfer({ from: late, to: target, amount: 1_005n }));
  await book.settle(rejected, { status: 'paid' });

  const destination = { type: 'account', accountId: target } as const;
  const payouts = {
    pending: await accept(),
    processing: await processing(),
    paid: await paid(),
    failed: await failed(),
    canceled,
    returned: await giveBack(await giveBack(await paid(), 999n), 1n),
    internal: await book.reserve(await book.accept({ accountId: source, destination, rail: 'book' })),
  };
  const inbound = await book.row<{ id: string }>(
    'SELECT id FROM inbound_transfers WHERE book_id = $1 ORDER BY id LIMIT 1',
  );
  return {
    bookId: book.id,
    endpointId,
    quietAccountId,
    overdrawnAccountId: late,
    transfer: moved,
    inboundTransferId: inbound.id,
    payouts,
  };
}

/** One that is as it was made and wants everything. */
async function addEndpoint(book: TestBook): Promise<string> {
  const id = newId();
  await book.pool.query(
    `INSERT INTO webhook_endpoints (book_id, id, url, events, status, secret_sealed, version, created_at, updated_at)
     VALUES ($1, $2, 'https://receiver.test', '{*}', 'enabled', '\\x00', 1, $3, $3)`,
    [book.id, id, new Date(0)],
  );
  return id;
}

export interface FilledDatabase {
  readonly scene: Scene;
  readonly database: TestDatabase;
  /** Verifies a copy of the database after these statements, with triggers, and so foreign keys too, switched off. */
  findingsAfter(...statements: string[]): Promise<Finding[]>;
  close(): Promise<void>;
}

/** A database with that book in it. What it is for is to be corrupted, one copy after the other. */
export async function openFilledDatabase(): Promise<FilledDatabase> {
  const database = await createTestDatabase();
  const book = await openBook({ database: database.applicationUrl, sink: WEBHOOKS_SINK });
  const scene = await fillBook(book);
  await book.close();
  const admin = new pg.Client(inDatabase(database.superuserUrl, 'postgres'));
  await admin.connect();
  return {
    scene,
    database,
    async findingsAfter(...statements) {
      const copy = `${database.name}_copy`;
      await admin.query(`CREATE DATABASE ${copy} TEMPLATE ${database.name}`);
      try {
        await corrupt(inDatabase(database.superuserUrl, copy), statements);
        return await findingsOf(inDatabase(database.applicationUrl, copy));
      } finally {
        await admin.query(`DROP DATABASE ${copy} WITH (FORCE)`);
      }
    },
    async close() {
      await admin.end();
      await database.drop();
    },
  };
}

function inDatabase(url: string, name: string): string {
  return url.replace(/\/[^/]*$/, `/${name}`);
}

/** Throws when a statement touches nothing: then it corrupts nothing either. */
export async function corrupt(superuserUrl: string, statements: readonly string[]): Promise<void> {
  const superuser = new pg.Client(superuserUrl);
  await superuser.connect();
  try {
    await superuser.query('SET session_replication_role = replica');
    for (const statement of statements) {
      const { rowCount, command } = await superuser.query(statement);
      if (command !== 'ALTER' && !rowCount) throw new Error(`Nothing was touched by: ${statement}`);
    }
  } finally {
    await superuser.end();
  }
}

export async function findingsOf(url: string): Promise<Finding[]> {
  const pool = createPool({ url, name: 'test', size: 6, log: createLogger('silent', 'test') });
  const findings: Finding[] = [];
  try {
    await verifyDatabase(pool, { onFinding: (finding) => findings.push(finding) });
    return findings;
  } finally {
    await pool.end();
  }
}

/** The rules that were broken, each once. */
export function rulesOf(findings: readonly Finding[]): string[] {
  return [...new Set(findings.map(({ check }) => check))].sort();
}
