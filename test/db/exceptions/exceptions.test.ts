/** Exceptions on a real database: what release 0.2.0 leaves and reads, what verification finds, erasure, and races of committers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import type { Exception } from '../../../src/exceptions/exception.ts';
import { exceptions } from '../../../src/exceptions/exception-table.ts';
import { approveException, assignException, explainException } from '../../../src/exceptions/handle-exception.ts';
import { moveException } from '../../../src/exceptions/move-exception.ts';
import { findExceptionOfAnyBook, listOpenExceptions } from '../../../src/exceptions/open-exceptions-store.ts';
import { RESOURCES } from '../../../src/groups.ts';
import { erase, findErasable } from '../../../src/operations/erase.ts';
import { recordUnknown } from '../../../src/payouts/outcomes/await-outcome.ts';
import type { Payout } from '../../../src/payouts/payout/payout.ts';
import { nameOperatorsOfExceptions } from '../../../src/payouts/resolution/resolution-store.ts';
import { resolvePayout } from '../../../src/payouts/resolution/resolve-payout.ts';
import { returnPayout } from '../../../src/payouts/returns/return-payout.ts';
import { createLogger } from '../../../src/process/log.ts';
import { encodeActor } from '../../../src/values/actor.ts';
import { systemClock } from '../../../src/values/clock.ts';
import { newId, publicId, type Uuid } from '../../../src/values/ids.ts';
import { openBook, stored, type TestBook } from '../../support/book.ts';
import { findingsOf } from '../../support/findings.ts';
import { LATEST_FORMS } from '../../support/forms.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { openFilledDatabase, rulesOf } from '../../support/verify-scene.ts';

const log = createLogger('silent', 'test');
const person = () => encodeActor({ type: 'person', id: newId(), keyId: newId() });
const [ADA, BEN] = [person(), person()];

let database: TestDatabase;
let book: TestBook;
let superuser: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  book = await openBook({ database: database.applicationUrl, forms: LATEST_FORMS });
  superuser = createPool({ url: database.superuserUrl, name: 'test', size: 1, log });
});

afterAll(async () => {
  await book?.close();
  await superuser?.end();
  await database?.drop();
});

async function only(payout: Payout, of = book): Promise<Exception> {
  const rows = await of.rows<{ id: Uuid }>(
    'SELECT id FROM exceptions WHERE book_id = $1 AND resource_id = $2',
    payout.id,
  );
  expect(rows).toHaveLength(1);
  return (await exceptions.find(of.pool, of.id, rows[0]!.id))!;
}

/** A rail that says failed, and then paid. */
async function contradicted(of = book): Promise<Exception> {
  const sent = await of.reserve(await of.accept({ accountId: await of.account({ amount: 5_000n }) }));
  const failed = await of.settle(sent, { status: 'rejected' });
  return only(await of.settle(failed, { status: 'paid' }), of);
}

/** What comes back to an account that has been closed. */
async function backToClosed(of = book): Promise<Exception> {
  const accountId = await of.account({ amount: 1_005n });
  const paid = await of.settle(await of.reserve(await of.accept({ accountId })), { status: 'paid' });
  await of.setStatus('close', accountId);
  return only(await of.submit(returnPayout(of.id, paid, { id: newId(), amount: 700n, reason: null, raw: {} })), of);
}

const by = (actor: string, { id }: Exception) => ({ exceptionId: id, actor, requestId: newId() });
const approving = (actor: string, exception: Exception) => ({ ...by(actor, exception), waiting: exception.waiting });
const answered = async (command: Parameters<typeof stored>[0], of = book) => {
  const { body } = await of.submit(stored(command));
  return JSON.parse(body) as { status: string | number; code?: string };
};
const reasonOf = ({ id }: Exception) => `Meant so ${id}`;
const handed = (exception: Exception, of = book) =>
  answered(assignException({ ...by(ADA, exception), personId: newId() }), of);
async function explained(exception: Exception, of = book): Promise<void> {
  await handed(exception, of);
  await answered(explainException({ ...by(ADA, exception), reason: reasonOf(exception) }), of);
}
const again = async ({ id }: Exception) => (await exceptions.find(book.pool, book.id, id))!;

describe('beside release 0.2.0', () => {
  test('a row of it is open, and one that it resolves is approved, by its operator once migrated', async () => {
    const sent = await book.reserve(await book.accept({ accountId: await book.account({ amount: 5_000n }) }));
    const id = newId();
    await book.pool.query(
      `INSERT INTO exceptions (book_id, id, kind, resource, resource_id, detail, status, created_at, resolved_at)
       VALUES ($1, $2, 'rail_amount_mismatch', 'payout', $3, 'said of old', 'open', now(), NULL)`,
      [book.id, id, sent.id],
    );
    const old = (await exceptions.find(book.pool, book.id, id))!;
    expect(old).toMatchObject({ status: 'open', version: 1, announced: false, evidence: [], waiting: null });
    expect(old.updatedAt).toBe(old.createdAt);
    await handed(old);
    expect(await book.row('SELECT status FROM exceptions WHERE book_id = $1 AND id = $2', id)).toEqual({
      status: 'open',
    });

    await book.pool.query(
      `UPDATE exceptions SET status = 'resolved', resolved_at = now() WHERE book_id = $1 AND id = $2`,
      [book.id, id],
    );
    expect(await again(old)).toMatchObject({ status: 'approved', approvedBy: null });
    expect((await answered(explainException({ ...by(ADA, old), reason: 'Late' }))).code).toBe('state_conflict');
    await book.pool.query(
      `INSERT INTO payout_resolutions (book_id, payout_id, outcome, actor, evidence_name, evidence_sha256, created_at)
       VALUES ($1, $2, 'paid', 'operator:alice', 'a', $3, now())`,
      [book.id, sent.id, Buffer.alloc(32)],
    );
    await nameOperatorsOfExceptions(superuser);
    expect(await again(old)).toMatchObject({ status: 'approved', approvedBy: 'operator:alice', handledBy: null });
    expect(await book.row('SELECT stage FROM exceptions WHERE book_id = $1 AND id = $2', id)).toEqual({
      stage: 'approved',
    });
  });

  test('it reads what is not approved as open, and what is as resolved', async () => {
    const exception = await contradicted();
    await explained(exception);
    const status = () => book.row('SELECT status FROM exceptions WHERE book_id = $1 AND id = $2', exception.id);
    expect(await status()).toEqual({ status: 'open' });
    await answered(approveException(approving(BEN, exception)));
    expect(await status()).toEqual({ status: 'resolved' });
  });
});

test('an operator who ends a payout ends its exceptions, whatever became of them, with entry and evidence', async () => {
  const sent = await book.reserve(await book.accept({ accountId: await book.account({ amount: 5_000n }) }));
  await book.submit(recordUnknown(book.id, sent, { call: 'submit', nextInquiryMs: 1_000, raw: {} }));
  const mismatches = [{ kind: 'rail_amount_mismatch', detail: 'Another amount.' }] as const;
  await book.settle(sent, { call: 'inquire', mismatches });
  const opened = await only(sent);
  await explained(opened);
  const { payout } = (await book.submit(
    resolvePayout(book.id, sent, {
      outcome: 'paid',
      actor: 'operator:alice',
      evidenceName: 'statement.txt',
      evidenceSha256: Buffer.alloc(32, 7),
      evidence: null,
      evidenceSealed: Buffer.from('sealed'),
      exceptionIds: [opened.id],
    }),
  )) as { payout: Payout };
  const ended = await again(opened);
  expect(ended).toMatchObject({
    status: 'approved',
    handledBy: 'operator:alice',
    approvedBy: 'operator:alice',
    entryIds: [payout.entryIds.at(-1)],
    evidence: [
      { type: 'explanation', actor: ADA },
      { type: 'file', sha256: '07'.repeat(32), actor: 'operator:alice' },
    ],
  });
  expect(
    await book.rows('SELECT type FROM events WHERE book_id = $1 AND object_id = $2 ORDER BY sequence', opened.id),
  ).toEqual(['opened', 'updated', 'updated', 'resolved'].map((name) => ({ type: `exception.${name}` })));
});

test('while nobody has approved an explanation, a mismatch still keeps the payout from failing', async () => {
  const sent = await book.reserve(await book.accept({ accountId: await book.account({ amount: 5_000n }) }));
  const mismatches = [{ kind: 'rail_amount_mismatch', detail: 'Another amount.' }] as const;
  await book.settle(sent, { call: 'inquire', mismatches });
  const exception = await only(sent);
  await explained(exception);
  expect(await book.settle(sent, { call: 'inquire', status: 'rejected' })).toMatchObject({ status: 'processing' });
  await answered(approveException(approving(BEN, exception)));
  expect(await book.settle(sent, { call: 'inquire', status: 'rejected' })).toMatchObject({ status: 'failed' });
});

test('approvals of two processes: one counts', async () => {
  const other = await openBook({ database: database.applicationUrl, bookId: book.id, forms: LATEST_FORMS });
  try {
    const exception = await contradicted();
    await explained(exception);
    const approvals = [book, other, book, other].map((one) =>
      one.submit(stored(approveException({ ...approving(person(), exception), ifMatch: 3 }))),
    );
    expect((await Promise.all(approvals)).map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
    expect(await again(exception)).toMatchObject({ status: 'approved', version: 4 });
  } finally {
    await other.close();
  }
});

test('moves of two processes book one entry; too little left is refused', async () => {
  const other = await openBook({ database: database.applicationUrl, bookId: book.id, forms: LATEST_FORMS });
  try {
    const exception = await backToClosed();
    expect(exception.waiting).toMatchObject({ amount: 700n, currency: 'EUR' });
    const accountId = await book.account();
    await handed(exception);
    const moves = [book, other].map((one) =>
      one.submit(stored(moveException({ ...by(ADA, exception), exception, accountId }))),
    );
    expect((await Promise.all(moves)).map(({ status }) => status).sort()).toEqual([200, 409]);
    const moved = await again(exception);
    expect(
      await book.rows('SELECT id, step FROM entries WHERE book_id = $1 AND resource_id = $2', exception.id),
    ).toEqual([{ id: moved.entryIds[0], step: 'moved' }]);

    const poor = await backToClosed();
    await handed(poor);
    await superuser.query('UPDATE accounts SET held_debits = 1 WHERE book_id = $1 AND id = $2', [
      book.id,
      poor.waiting!.accountId,
    ]);
    const refused = await answered(moveException({ ...by(ADA, poor), exception: poor, accountId }));
    await superuser.query('UPDATE accounts SET held_debits = 0 WHERE book_id = $1 AND id = $2', [
      book.id,
      poor.waiting!.accountId,
    ]);
    expect(refused).toMatchObject({ code: 'insufficient_funds', available: 699, required: 700 });
    expect(await again(poor)).toMatchObject({ status: 'assigned', entryIds: [] });
  } finally {
    await other.close();
  }
});

test('an explanation is not approved while money waits in the closed account, and is once nothing is left there', async () => {
  const exception = await backToClosed();
  await explained(exception);
  expect(await answered(approveException(approving(BEN, exception)))).toMatchObject({
    code: 'state_conflict',
    detail: expect.stringContaining('move_to'),
    current_status: 'explained',
    allowed_actions: ['assign', 'move_to'],
  });
  expect(await again(exception)).toMatchObject({ status: 'explained' });
  expect(await findingsOf(book)).toEqual([]);
  const accountId = await book.account();
  await answered(moveException({ ...by(ADA, exception), exception, accountId }));
  await answered(approveException(approving(BEN, exception)));
  expect(await again(exception)).toMatchObject({ status: 'approved' });
  expect(await findingsOf(book)).toEqual([]);
});

test('operators find an exception of any book, and list by status and kind', async () => {
  const exception = await contradicted();
  expect(await findExceptionOfAnyBook(book.pool, exception.id)).toEqual({ bookId: book.id, exception });
  expect(await findExceptionOfAnyBook(book.pool, newId())).toBeUndefined();
  const listed = await listOpenExceptions(book.pool, { limit: 100, status: 'open', kind: 'paid_after_failed' });
  expect(listed.map((each) => each.exception.id)).toContain(exception.id);
  expect(await listOpenExceptions(book.pool, { limit: 100, status: 'adjusted', kind: 'paid_after_failed' })).toEqual(
    [],
  );
});

test('the reason is erased wherever it stands', async () => {
  const exception = await contradicted();
  await explained(exception);
  await answered(approveException(approving(BEN, exception)));
  const tables = ['exceptions', 'personal_texts', 'events', 'idempotency_keys'];
  const withReason = async () => {
    const found = tables.map(
      (table) => `SELECT '${table}' AS name FROM ${table} t WHERE book_id = $1 AND t::text LIKE $2`,
    );
    const rows = await book.rows<{ name: string }>(found.join(' UNION '), `%${reasonOf(exception)}%`);
    return rows.map(({ name }) => name).sort();
  };
  expect(await withReason()).toEqual(['exceptions', 'personal_texts']);
  const owner = await openBook({ database: database.ownerUrl, bookId: book.id, forms: LATEST_FORMS });
  try {
    const subject = (await findErasable(owner.pool, RESOURCES, publicId('exception', exception.id)))!;
    const { committer, pool } = owner;
    const { erasure } = await erase(
      { pool, resources: RESOURCES, committer, clock: systemClock, actor: 'operator:alice' },
      subject,
    );
    expect(erasure).toMatchObject({ object: 'exception', fields: ['reason'] });
  } finally {
    await owner.close();
  }
  expect(await withReason()).toEqual([]);
  expect(await again(exception)).toMatchObject({ status: 'approved', reason: null, textSalt: null });
});

describe('verification', () => {
  test.each<[what: string, rules: string[], statements: string[]]>([
    ['nothing is wrong', [], ['SELECT 1']],
    [
      'an approved one is called explained',
      ['exception.event', 'exception.status'],
      [`UPDATE exceptions SET stage = 'explained', status = 'open' WHERE stage = 'approved'`],
    ],
    [
      'an explained one is called assigned',
      ['exception.status'],
      [`UPDATE exceptions SET stage = 'assigned' WHERE stage = 'explained'`],
    ],
    [
      'it was never announced',
      ['exception.event'],
      [`UPDATE exceptions SET announced = false WHERE stage = 'approved'`],
    ],
    [
      'what it is about is another',
      ['exception.resource'],
      [`UPDATE exceptions SET resource_id = gen_random_uuid() WHERE stage = 'explained'`],
    ],
    [
      'its entry is gone from the row',
      ['exception.entries'],
      [`UPDATE exceptions SET entry_ids = '[]' WHERE stage = 'adjusted'`],
    ],
    [
      'its entry is another',
      ['exception.entries'],
      [`UPDATE exceptions SET entry_ids = '["00000000-0000-7000-8000-000000000000"]' WHERE stage = 'explained'`],
    ],
    [
      'another amount waited',
      ['exception.waiting'],
      [`UPDATE exceptions SET amount = amount + 1 WHERE stage = 'adjusted'`],
    ],
    [
      'less waited than was moved',
      ['exception.moved', 'exception.waiting'],
      [`UPDATE exceptions SET amount = amount - 1 WHERE stage = 'adjusted'`],
    ],
    [
      'one person did both',
      ['exception.second_person'],
      [`UPDATE exceptions SET approved_by = handled_by WHERE stage = 'approved'`],
    ],
  ])('%s', async (_, rules, statements) => {
    expect(rulesOf(await filled.findingsAfter(...statements))).toEqual(rules);
  });

  let filled: Awaited<ReturnType<typeof openFilledDatabase>>;
  beforeAll(async () => {
    filled = await openFilledDatabase(async (other) => {
      const ended = await contradicted(other);
      await explained(ended, other);
      await answered(approveException(approving(BEN, ended)), other);
      await explained(await contradicted(other), other);
      const moved = await backToClosed(other);
      await handed(moved, other);
      await answered(moveException({ ...by(ADA, moved), exception: moved, accountId: await other.account() }), other);
    });
  });
  afterAll(() => filled?.close());
});
