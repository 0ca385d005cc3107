/** A book with every kind of row: every status of a payout, every kind of account, events with receivers. */
import { hash } from 'node:crypto';

import { accountHolds } from '../../src/accounts/holds/account-hold-table.ts';
import { increaseHold, releaseHold } from '../../src/accounts/holds/change-hold.ts';
import { placeAccountHold } from '../../src/accounts/holds/place-hold.ts';
import { EARLIEST_FORMS, type LedgerForms } from '../../src/db/forms.ts';
import { createPool, type Pool, type Transaction } from '../../src/db/pool.ts';
import type { Finding } from '../../src/group/finding.ts';
import { GROUPS } from '../../src/groups.ts';
import { voidKey } from '../../src/idempotency/once.ts';
import { recordUnknown } from '../../src/payouts/outcomes/await-outcome.ts';
import { cancelPayout } from '../../src/payouts/payout/cancel-payout.ts';
import { rejectPayout } from '../../src/payouts/payout/judge-payout.ts';
import type { Payout, PayoutStatus } from '../../src/payouts/payout/payout.ts';
import { payouts as payoutTable } from '../../src/payouts/payout/payout-table.ts';
import { returnPayout } from '../../src/payouts/returns/return-payout.ts';
import { UNROUTED } from '../../src/payouts/routing/route-payout.ts';
import { createLogger } from '../../src/process/log.ts';
import { encodeActor } from '../../src/values/actor.ts';
import { newId, type Uuid } from '../../src/values/ids.ts';
import { verifyDatabase } from '../../src/verify/verify-database.ts';
import { webhookSink } from '../../src/webhooks/backlogs/event-sink.ts';
import { openBook, stored, type TestBook, transfer } from './book.ts';
import { RETURNS_APART } from './forms.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';

export interface Scene {
  bookId: string;
  endpointId: string;
  /** A small balance, from two lines only. */
  quietAccountId: string;
  /** Below its floor, because an entry took it there. */
  overdrawnAccountId: string;
  /** The sequence of a transfer without an event, in the middle of the journal. */
  transfer: bigint;
  inboundTransferId: string;
  payouts: Record<PayoutStatus | 'internal', Payout>;
  /** Came back in three parts: the first was booked before the contract, the others after it. */
  inParts: Payout;
  /** A hold that is no payout's, created, increased and released in part. */
  heldId: Uuid;
}

export async function fillBook(book: TestBook): Promise<Scene> {
  const endpointId = await addEndpoint(book);
  const source = await book.account({ amount: 50_000n });
  const target = await book.account();
  const quietAccountId = await book.account({ currency: 'JOD', amount: 7n, overdraftLimit: 100n });
  await book.fund(quietAccountId, 3n, 'JOD');
  const moved = await book.submit(transfer({ from: source, to: target, amount: 40n }));
  await book.submit(voidKey({ key: newId(), requestId: newId() }));
  await book.submit(stored(voidKey({ key: newId(), requestId: newId() })));

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

  await limitedPayouts(book, source);
  const heldId = await holdInSteps(book);
  const inParts = await giveBack(await paid(), 300n);
  const contracted = await openBook({ database: book.pool, bookId: book.id, sink: webhookSink, forms: RETURNS_APART });
  for (const amount of [500n, 200n])
    await contracted.submit(returnPayout(book.id, inParts, { id: newId(), amount, reason: 'AC04', raw: {} }));
  await contracted.close();

  const destination = { type: 'account', accountId: target } as const;
  const payouts = {
    pending: await accept(),
    processing: await processing(),
    paid: await paid(),
    failed: await failed(),
    canceled,
    returned: await giveBack(await giveBack(await paid(), 999n), 1n),
    ...(await waitingPayouts(book, source)),
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
    inParts,
    heldId,
  };
}

/** Under limits of a day and a month: one payout counts, one does not any more. */
async function limitedPayouts(book: TestBook, accountId: Uuid): Promise<void> {
  const limits = { payout: null, day: 10_000n, month: 10_000n };
  const routing = { ...UNROUTED, rail: 'sandbox', limits, configuration: hash('sha256', 'settings') };
  await book.reserve(await book.accept({ accountId, routing }));
  const canceled = await book.accept({ accountId, routing });
  await book.submit(cancelPayout(book.id, canceled, { requestId: newId(), actor: 'test' }));
}

/** Payouts that wait for people and for their time, and one that a person has rejected. */
async function waitingPayouts(book: TestBook, accountId: Uuid) {
  const unapproved = () => book.accept({ accountId, approvalRequested: true, remittance: 'Invoice 17' });
  const scheduledFor = { at: Date.now() + 3_600_000 };
  const scheduled = await book.accept({ accountId, scheduledFor, purposeCode: 'SALA' });
  const refused = await unapproved();
  const person = encodeActor({ type: 'person', id: newId(), keyId: newId() });
  const judged = { requestId: newId(), actor: person, reason: 'Nobody knows this supplier.' };
  await book.submit(rejectPayout(book.id, refused, judged));
  const rejected = (await payoutTable.load(book.pool, book.id, [refused.id])).get(refused.id)!;
  const requiresApproval = await unapproved();
  return { requires_approval: requiresApproval, scheduled, rejected };
}

/** A hold of its own: 100, then 50 more, then 30 given back. */
async function holdInSteps(book: TestBook): Promise<Uuid> {
  const accountId = await book.account({ amount: 1_000n });
  const asked = { requestId: newId(), actor: 'system' };
  const text = { description: 'Deposit', externalId: 'order-1', metadata: { order: '1' } };
  const expiresAt = Date.UTC(2099, 0, 1);
  const placed = await book.submit(placeAccountHold({ ...asked, ...text, accountId, amount: 100n, expiresAt }));
  if (placed.refused) throw new Error(placed.refused);
  const holdId = placed.resourceId!;
  const hold = (await accountHolds.find(book.pool, book.id, holdId))!;
  await book.submit(increaseHold(hold, { ...asked, amount: 150n }));
  await book.submit(releaseHold(hold, { ...asked, amount: 30n }));
  return holdId;
}

/** A new endpoint that subscribes to every event. */
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
  /** Verifies the database after these statements, which run without triggers and foreign keys. */
  findingsAfter(...statements: string[]): Promise<Finding[]>;
  /** Calls `look` with a pool of one connection, after the statements. */
  lookAfter<T>(statements: readonly string[], look: (pool: Pool) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * A database with that book, to be corrupted in one way after another. Each change is rolled back. `finish` prepares
 * the book before the first look. `forms`: of all but the later returns of `inParts`, by default as before the contract.
 */
export async function openFilledDatabase(
  finish?: (book: TestBook, database: TestDatabase) => Promise<void>,
  forms: LedgerForms = EARLIEST_FORMS,
): Promise<FilledDatabase> {
  const database = await createTestDatabase();
  const book = await openBook({ database: database.applicationUrl, sink: webhookSink, forms });
  const scene = await fillBook(book);
  await finish?.(book, database);
  await book.close();
  const pool = createPool({ url: database.superuserUrl, name: 'test', size: 1, log: createLogger('silent', 'test') });
  const superuser = await pool.connect();
  await superuser.query('SET session_replication_role = replica');
  const lookAfter: FilledDatabase['lookAfter'] = async (statements, look) => {
    await superuser.query('BEGIN');
    try {
      await run(superuser, statements);
      return await look(poolOf(superuser));
    } finally {
      await superuser.query('ROLLBACK');
    }
  };
  return {
    scene,
    findingsAfter: (...statements) => lookAfter(statements, findingsOf),
    lookAfter,
    async close() {
      superuser.release();
      await pool.end();
      await database.drop();
    },
  };
}

/** A pool of this one connection, inside its open transaction: BEGIN, COMMIT and ROLLBACK are ignored. */
function poolOf(client: Transaction): Pool {
  const query = (statement: string | { text: string }, values?: unknown[]) => {
    const text = typeof statement === 'string' ? statement : statement.text;
    const [command] = /^(BEGIN|COMMIT|ROLLBACK)\b/.exec(text) ?? [];
    return command ? Promise.resolve({ command, rows: [] }) : client.query(statement as string, values);
  };
  return { query, connect: () => Promise.resolve({ query, release: () => undefined }) } as unknown as Pool;
}

/** Throws when a statement touches no row, since it then corrupts nothing. */
async function run(superuser: Pick<Transaction, 'query'>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) {
    const { rowCount, command } = await superuser.query(statement);
    if (!/^(ALTER|DROP)$/.test(command) && !rowCount) throw new Error(`Nothing was touched by: ${statement}`);
  }
}

/** Corrupts a database permanently, past every trigger. */
export async function corrupt(superuserUrl: string, statements: readonly string[]): Promise<void> {
  const pool = createPool({ url: superuserUrl, name: 'test', size: 1, log: createLogger('silent', 'test') });
  try {
    await pool.query('SET session_replication_role = replica');
    await run(pool as Pick<Transaction, 'query'>, statements);
  } finally {
    await pool.end();
  }
}

async function findingsOf(pool: Pool): Promise<Finding[]> {
  const findings: Finding[] = [];
  await verifyDatabase(pool, { groups: GROUPS, onFinding: (finding) => findings.push(finding) });
  return findings;
}

/** The rules with findings, each once. */
export function rulesOf(findings: readonly Finding[]): string[] {
  return [...new Set(findings.map(({ check }) => check))].sort();
}
