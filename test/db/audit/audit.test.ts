/** Findings of the audit, which runs beside the posting: each corruption is reported once, a book in use has none. */

import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAudit, startAudit } from '../../../src/audit/audit.ts';
import type { Pool } from '../../../src/db/pool.ts';
import { GROUPS } from '../../../src/groups.ts';
import { systemClock } from '../../../src/values/clock.ts';
import { publicId } from '../../../src/values/ids.ts';
import { webhookSink } from '../../../src/webhooks/backlogs/event-sink.ts';
import { openBook, type TestBook, transfer } from '../../support/book.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { corrupt, type FilledDatabase, fillBook, openFilledDatabase, type Scene } from '../../support/verify-scene.ts';

interface Line {
  level: number;
  check: string;
  book: string;
  ids: Record<string, string>;
}

/** An audit with its log lines and its counts. */
function auditOf(pool: Pool, clock = systemClock) {
  const lines: Line[] = [];
  const seen = { rows: 0, rounds: 0, kinds: {} as Record<string, number> };
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const options = {
    groups: GROUPS,
    pool,
    clock,
    log,
    counts: {
      rows: (count: number) => {
        seen.rows += count;
      },
      findings: (byKind: ReadonlyMap<string, number>) => {
        seen.kinds = Object.fromEntries(byKind);
      },
      round: () => {
        seen.rounds += 1;
      },
    },
  };
  const audit = createAudit(options);
  return {
    lines,
    seen,
    options,
    turn: audit.turn,
    async round() {
      while (!(await audit.turn()));
      return Object.keys(seen.kinds).sort();
    },
  };
}

describe('in a book in which everything has happened', () => {
  let filled: FilledDatabase;
  let scene: Scene;

  beforeAll(async () => {
    filled = await openFilledDatabase();
    scene = filled.scene;
  });
  afterAll(() => filled?.close());

  const kindsAfter = (...statements: string[]) => filled.lookAfter(statements, (pool) => auditOf(pool).round());

  test('an untouched book has no findings', async () => {
    expect(await kindsAfter()).toEqual([]);
  });

  const POSTING = () => `entry_sequence = ${scene.transfer}`;
  const PAYOUT = (name: keyof Scene['payouts']) => `id = '${scene.payouts[name].id}'`;
  const QUIET = () => `id = '${scene.quietAccountId}'`;
  const LAST = (table: string) => `sequence = (SELECT max(sequence) FROM ${table})`;

  test.each<[what: string, kinds: string[], statements: () => string[]]>([
    [
      'an entry is gone',
      ['account.balance_after', 'account.lines', 'journal.sequence'],
      () => [`DELETE FROM entries WHERE sequence = ${scene.transfer}`],
    ],
    [
      'the last entry is gone',
      ['account.equation', 'event.entries', 'journal.sequence', 'payout.entry_ids', 'payout.steps'],
      () => [`DELETE FROM entries WHERE ${LAST('entries')}`],
    ],
    [
      'a column of an entry is another',
      ['journal.chain'],
      () => [`UPDATE entries SET request_id = id WHERE sequence = ${scene.transfer}`],
    ],
    [
      "the book's hash is another",
      ['journal.head'],
      () => [`UPDATE books SET chain_hash = sha256('x') WHERE id = '${scene.bookId}'`],
    ],
    [
      'an entry is later than its book',
      ['journal.time'],
      () => [`UPDATE books SET last_posted_at = last_posted_at - interval '1 hour' WHERE id = '${scene.bookId}'`],
    ],
    [
      'a step was booked twice',
      ['journal.chain', 'journal.step'],
      () => [
        'DROP INDEX entries_book_id_resource_id_step_key',
        `UPDATE entries e SET resource_id = o.resource_id FROM entries o
         WHERE e.sequence = ${scene.transfer} AND o.step = 'done' AND o.sequence <> e.sequence`,
      ],
    ],
    ['a text is another', ['journal.text'], () => ["UPDATE entry_texts SET description = 'another'"]],
    [
      'an amount is another',
      ['account.balance_after', 'journal.chain'],
      () => [`UPDATE postings SET amount = amount + 1 WHERE ${POSTING()}`],
    ],
    [
      'a posting has vanished',
      ['account.balance_after', 'account.lines', 'journal.chain', 'journal.postings'],
      () => [`DELETE FROM postings WHERE ${POSTING()}`],
    ],
    [
      'an account has vanished',
      ['account.known', 'book.balanced', 'hold.account'],
      () => [`DELETE FROM accounts WHERE id = '${scene.overdrawnAccountId}'`],
    ],
    [
      'a balance is another',
      ['account.totals', 'book.balanced'],
      () => [`UPDATE accounts SET posted_credits = posted_credits + 1 WHERE ${QUIET()}`],
    ],
    ['lines are miscounted', ['account.totals'], () => [`UPDATE accounts SET lines = lines + 1 WHERE ${QUIET()}`]],
    [
      'something is held for nothing',
      ['account.held'],
      () => [`UPDATE accounts SET held_debits = held_debits + 1 WHERE ${QUIET()}`],
    ],
    ['an account is below its floor', ['account.floor'], () => [`UPDATE accounts SET floor = 1000 WHERE ${QUIET()}`]],
    [
      'a hold has something left that was taken',
      ['hold.remaining', 'hold.status', 'payout.hold'],
      () => [`UPDATE holds SET remaining = 1 WHERE id = '${scene.payouts.paid.holdId}'`],
    ],
    [
      'a step of a hold has another moment',
      ['hold.event'],
      () => [
        `UPDATE hold_steps SET created_at = created_at - interval '1 hour'
         WHERE ordinal = 1 AND hold_id = '${scene.payouts.paid.holdId}'`,
      ],
    ],
    [
      'a step is of a hold that is not there',
      ['journal.orphan'],
      () => [
        `INSERT INTO hold_steps SELECT book_id, gen_random_uuid(), ordinal, kind, amount, created_at
         FROM hold_steps WHERE ordinal = 1 AND hold_id = '${scene.payouts.paid.holdId}'`,
      ],
    ],
    [
      'the account of a posting is gone',
      ['account.known', 'book.balanced'],
      () => [`DELETE FROM accounts WHERE ${QUIET()}`],
    ],
    [
      'a posting is of an account that is not there',
      ['account.balance_after', 'account.known', 'account.lines', 'journal.chain'],
      () => [`UPDATE postings SET debit_account_id = gen_random_uuid() WHERE ${POSTING()}`],
    ],
    [
      'a posting belongs to nothing',
      ['account.totals', 'journal.orphan'],
      () => [
        `INSERT INTO postings SELECT book_id, 99999, ordinal, debit_account_id, credit_account_id, amount, currency,
           99999, 0, 99999, 0 FROM postings WHERE ${POSTING()}`,
      ],
    ],
    [
      'a payout is of another amount',
      ['account.equation', 'payout.hold', 'payout.postings'],
      () => [`UPDATE payouts SET amount = amount + 1 WHERE ${PAYOUT('paid')}`],
    ],
    [
      'a payout has lost its due time',
      ['payout.due'],
      () => [`UPDATE payouts SET due_at = NULL WHERE ${PAYOUT('pending')}`],
    ],
    [
      'a transfer is of another amount',
      ['account.equation', 'inbound_transfer.entry'],
      () => [`UPDATE inbound_transfers SET amount = amount + 1 WHERE id = '${scene.inboundTransferId}'`],
    ],
    ['an event is gone', ['delivery.event', 'event.sequence'], () => ['DELETE FROM events WHERE sequence = 9']],
    ["an event's body is another", ['event.payload'], () => ["UPDATE events SET payload = '{}' WHERE sequence = 9"]],
    [
      'an event goes to nobody',
      ['delivery.missing'],
      () => ['DELETE FROM webhook_deliveries WHERE event_sequence = 9'],
    ],
    [
      'a key holds no answer',
      ['idempotency.answer'],
      () => ['UPDATE idempotency_keys SET status = NULL WHERE voided_at IS NULL'],
    ],
  ])('%s', async (_, kinds, statements) => {
    expect(await kindsAfter(...statements())).toEqual(kinds);
  });

  const seenAt = (ms: number, statements: string[] = []) =>
    filled.lookAfter(statements, async (pool) => {
      const audit = auditOf(pool, { now: () => Date.now() + ms });
      await audit.turn();
      await audit.turn();
      const told = audit.lines.filter((line) => 'pool' in line) as unknown as {
        pool: string;
        kind: string;
        msg: string;
      }[];
      return { kinds: audit.seen.kinds, told };
    });

  test('rows that wait for ten minutes tell of a worker that is missing, once, and are no finding', async () => {
    expect(await seenAt(5 * 60_000)).toEqual({ kinds: {}, told: [] });
    const { kinds, told } = await seenAt(11 * 60_000);
    expect(kinds).toEqual({});
    expect(told.map(({ pool, kind }) => `${pool} ${kind}`).sort()).toEqual([
      'ledger payout',
      'rails payout',
      'webhooks delivery',
    ]);
    expect(told[0]!.msg).toContain('No worker of the pool');
  });

  test('a row that is not to be enqueued for long is a finding', async () => {
    const far = "UPDATE payouts SET due_at = now() + interval '1 day' WHERE due_at IS NOT NULL";
    const { kinds, told } = await seenAt(11 * 60_000, [far]);
    expect(Object.keys(kinds)).toEqual(['payout.overdue']);
    expect(told.map(({ kind }) => kind)).toEqual(['delivery']);
  });

  test('a finding is one log line with its ids, and is cleared once the row is repaired', async () => {
    const audit = await filled.lookAfter([`UPDATE accounts SET lines = lines + 1 WHERE ${QUIET()}`], async (pool) => {
      const auditing = auditOf(pool);
      for (let round = 0; round < 3; round++) expect(await auditing.round()).toEqual(['account.totals']);
      return auditing;
    });
    expect(audit.lines).toMatchObject([
      {
        level: 50,
        check: 'account.totals',
        book: publicId('book', scene.bookId),
        ids: { account: publicId('account', scene.quietAccountId) },
      },
    ]);
    expect(await audit.round()).toEqual([]);
    expect(audit.lines).toHaveLength(1);
  });
});

describe('beside the posting', () => {
  let database: TestDatabase;
  let book: TestBook;
  let load: TestBook;

  beforeAll(async () => {
    database = await createTestDatabase();
    book = await openBook({ database: database.applicationUrl });
    load = await openBook({ database: database.applicationUrl, bookId: book.id, sink: webhookSink });
    await fillBook(load);
  });
  afterAll(async () => {
    await load?.close();
    await book?.close();
    await database?.drop();
  });

  test('the window moves through a long book, comes round, and has no false findings as the book grows', async () => {
    const [from, to] = [await load.account({ amount: 1_000_000n }), await load.account()];
    await Promise.all(Array.from({ length: 1_300 }, () => load.submit(transfer({ from, to, amount: 1n }))));
    let stop = false;
    let moved = 0;
    const busy = (async () => {
      while (!stop) {
        const payout = await load.accept({ accountId: from, amount: 10n, fee: 1n });
        await load.submit(transfer({ from, to, amount: 1n }));
        await load.settle(await load.reserve(payout), { status: moved % 3 === 0 ? 'rejected' : 'paid' });
        moved++;
      }
    })();
    const audit = auditOf(book.pool);
    for (let round = 1; round <= 3; round++) {
      const [rowsBefore, movedBefore] = [audit.seen.rows, moved];
      expect(await audit.round()).toEqual([]);
      expect(audit.seen.rounds).toBe(round);
      expect(audit.seen.rows - rowsBefore).toBeGreaterThan(1_300);
      expect(moved).toBeGreaterThan(movedBefore);
    }
    stop = true;
    await busy;
    expect(audit.lines).toEqual([]);
  });

  test('several books take turns: a long book does not delay the others', async () => {
    const short = await openBook({ database: book.pool });
    const account = await short.account({ amount: 5n });
    await corrupt(database.superuserUrl, [`UPDATE accounts SET lines = lines + 1 WHERE id = '${account}'`]);
    const audit = auditOf(book.pool);
    let turns = 0;
    while (audit.lines.length === 0) {
      expect(await audit.turn()).toBe(false);
      turns++;
    }
    await corrupt(database.superuserUrl, [`UPDATE accounts SET lines = lines - 1 WHERE id = '${account}'`]);
    expect(turns).toBeLessThan(30);
  });

  test('a turn that fails is repeated', async () => {
    const audit = auditOf({ ...book.pool, query: () => Promise.reject(new Error('away')) } as unknown as Pool);
    await expect(audit.turn()).rejects.toThrow('away');
    audit.options.pool.query = book.pool.query.bind(book.pool) as Pool['query'];
    audit.options.pool.connect = book.pool.connect.bind(book.pool) as Pool['connect'];
    expect(await audit.round()).toEqual([]);
  });

  test('runs until it is closed, and not at all with a time share of 0', async () => {
    const { options, seen } = auditOf(book.pool);
    const running = startAudit({ ...options, timePercent: 50, intervalMs: 1 });
    await expect.poll(() => seen.rounds).toBeGreaterThan(1);
    await running.close();
    const { rows } = seen;
    await startAudit({ ...options, timePercent: 0, intervalMs: 1 }).close();
    expect(seen.rows).toBe(rows);
  });
});
