/** `npm run verify -- --since`: checks everything from then on and the rows it has touched, and nothing before. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../../../scripts/verify.ts';
import type { Finding } from '../../../src/group/finding.ts';
import { GROUPS } from '../../../src/groups.ts';
import { systemClock } from '../../../src/values/clock.ts';
import { parseSince, type Since } from '../../../src/verify/since.ts';
import { verifySince } from '../../../src/verify/verify-since.ts';
import { webhookSink } from '../../../src/webhooks/backlogs/event-sink.ts';
import { openBook, type TestBook, transfer } from '../../support/book.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { runHere } from '../../support/run-here.ts';
import { corrupt, type FilledDatabase, openFilledDatabase, rulesOf } from '../../support/verify-scene.ts';

test.each`
  text                           | since
  ${'1041'}                      | ${{ sequence: 1041n }}
  ${'90s'}                       | ${{ moment: 910_000 }}
  ${'1m'}                        | ${{ moment: 940_000 }}
  ${'1970-01-01T01:00:00+01:00'} | ${{ moment: 0 }}
  ${'1970-01-01T00:00:01.5Z'}    | ${{ moment: 1_500 }}
  ${'0'}                         | ${undefined}
  ${'-1'}                        | ${undefined}
  ${'1970-01-01'}                | ${undefined}
  ${'1970-13-01T00:00:00Z'}      | ${undefined}
  ${'1970-02-30T00:00:00Z'}      | ${undefined}
  ${'1 day'}                     | ${undefined}
`('$text is since $since', ({ text, since }) => {
  expect(parseSince(text, 1_000_000)).toEqual(since);
});

describe('of a book with every kind of row', () => {
  let filled: FilledDatabase;

  beforeAll(async () => {
    filled = await openFilledDatabase();
  });
  afterAll(() => filled?.close());

  const rulesAfter = (since: Since, statements: string[]) =>
    filled.lookAfter(statements, async (pool) => {
      const findings: Finding[] = [];
      await verifySince(pool, {
        groups: GROUPS,
        since,
        clock: systemClock,
        onFinding: (finding) => findings.push(finding),
      });
      return rulesOf(findings);
    });

  test.each<[Since]>([[{ sequence: 1n }], [{ sequence: 7n }], [{ sequence: 9_999n }], [{ moment: 0 }]])(
    'since %o there are no findings',
    async (since) => expect(await rulesAfter(since, [])).toEqual([]),
  );

  test('a change after the start is found, a change before is not', async () => {
    const change = ({ transfer: sequence }: FilledDatabase['scene']) => [
      `UPDATE entries SET request_id = id WHERE sequence = ${sequence}`,
    ];
    const { scene } = filled;
    expect(await rulesAfter({ sequence: scene.transfer }, change(scene))).toEqual(['journal.chain']);
    expect(await rulesAfter({ sequence: scene.transfer + 2n }, change(scene))).toEqual([]);
  });

  test.each<[string, string[], (scene: FilledDatabase['scene']) => string]>([
    [
      'an account that was touched',
      ['account.totals'],
      ({ payouts }) => `UPDATE accounts SET lines = lines + 1 WHERE id = '${payouts.paid.accountId}'`,
    ],
    [
      'a payout that was touched',
      ['payout.due'],
      ({ payouts }) => `UPDATE payouts SET due_at = NULL WHERE id = '${payouts.pending.id}'`,
    ],
    [
      "such a payout's hold",
      ['hold.steps'],
      ({ payouts }) => `UPDATE holds SET steps = steps + 1 WHERE id = '${payouts.paid.holdId}'`,
    ],
    [
      'a child that was booked, by the entry that names it',
      ['account.equation', 'payout_return.entry'],
      ({ inParts }) => `UPDATE payout_returns SET currency = 'JOD' WHERE amount = 500 AND payout_id = '${inParts.id}'`,
    ],
    [
      'an event that went to nobody',
      ['delivery.missing'],
      () => 'DELETE FROM webhook_deliveries WHERE event_sequence = 30',
    ],
    [
      'the head of the book',
      ['journal.head'],
      () => "UPDATE books SET chain_hash = sha256('x') WHERE entry_sequence > 0",
    ],
  ])('%s is checked', async (_, rules, statement) => {
    expect(await rulesAfter({ sequence: filled.scene.transfer }, [statement(filled.scene)])).toEqual(rules);
  });
});

describe('the command', () => {
  let database: TestDatabase;
  let book: TestBook;

  beforeAll(async () => {
    database = await createTestDatabase();
    book = await openBook({ database: database.applicationUrl, sink: webhookSink });
    const [from, to] = [await book.account({ amount: 100n }), await book.account()];
    await Promise.all(Array.from({ length: 9 }, () => book.submit(transfer({ from, to, amount: 1n }))));
  });
  afterAll(async () => {
    await book?.close();
    await database?.drop();
  });

  const run = async (...options: string[]) => {
    const words = ['--json', '--database-url', database.applicationUrl, ...options];
    const { code, out } = await runHere(program, words, { COUNTINGHOUSE_DATA: '/nonexistent' });
    return { status: code, result: JSON.parse(out) };
  };

  test.each`
    since                                             | entries
    ${'1'}                                            | ${10}
    ${'10'}                                           | ${1}
    ${'11'}                                           | ${0}
    ${'24h'}                                          | ${10}
    ${'2020-01-01T00:00:00Z'}                         | ${10}
    ${new Date(Date.now() + 3_600_000).toISOString()} | ${0}
  `('--since $since reads $entries entries and exits 0', async ({ since, entries }) => {
    const { status, result } = await run('--since', since);
    expect(status).toBe(0);
    expect(result).toMatchObject({ ok: true, entries, lines: 2 * entries, findings: [] });
  });

  test('exits 1 and prints its findings', async () => {
    await corrupt(database.superuserUrl, ['UPDATE accounts SET lines = lines + 1 WHERE lines > 0']);
    const { status, result } = await run('--since', '10');
    expect(status).toBe(1);
    expect(result.findings[0]).toMatchObject({
      check: 'account.totals',
      ids: { account: expect.stringMatching(/^acct_/) },
    });
  });
});
