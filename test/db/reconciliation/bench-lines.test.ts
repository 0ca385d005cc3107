/** What bench `reconcile` says of its lines holds in the product: each is matched by the rule that it is written for, with its own payout, or by none. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BenchBank, Verdicts } from '../../../scripts/bench/reconcile/bank.ts';
import { ruleOf } from '../../../scripts/bench/reconcile/drawn-lines.ts';
import { openPayingBooks, payMany } from '../../../scripts/bench/reconcile/paid-payouts.ts';
import { GROUPS } from '../../../src/groups.ts';
import { mirrorAllBooks } from '../../../src/reconciliation/mirror/mirror-books.ts';
import { OperatorsBank, takeBankFile } from '../../support/bank-statements.ts';
import { createTestDatabase } from '../../support/postgres.ts';

const AT_BANK = GROUPS.flatMap(({ atBank = [] }) => atBank);
/** With a line of every rule, and one of nothing that is expected. */
const [FROM, LINES] = [800, 220];

test('every line of the bench is matched by the rule that it is written for', async () => {
  const database = await createTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'bench-lines-'));
  const operator = await OperatorsBank.open(database.applicationUrl);
  try {
    const { pool, taker } = operator;
    const { committer } = operator.book;
    const books = await openPayingBooks(pool, 3);
    const bank = await BenchBank.open(pool, committer, folder);
    await payMany({ pool, committer, books }, { from: FROM, count: LINES, onPaid: () => undefined });
    const file = await bank.write({ from: FROM, lines: LINES, bookIds: books.map(({ id }) => id) });
    const mirror = () => mirrorAllBooks({ pool, committer, atBank: AT_BANK }, bank.bookId);
    const run = await takeBankFile({ ...taker, mirror }, readFileSync(file.path));
    const verdicts = new Verdicts();
    await bank.judge(file, verdicts);
    expect(verdicts).toMatchObject({ wrong: [], confirmed: LINES - 1, right: LINES - 1, meant: LINES - 1 });
    const meant = Array.from({ length: LINES }, (_, at) => ruleOf(FROM + at)).filter((rule) => rule !== null);
    expect(Object.keys(verdicts.byRule).sort()).toEqual([...new Set(meant)].sort());
    expect(run.openLines).toBe(1);
  } finally {
    await operator.close();
    await database.drop();
    rmSync(folder, { recursive: true });
  }
});

test.each`
  number | rule               | reference | posted   | wrong
  ${5}   | ${'end_to_end_id'} | ${'R5'}   | ${true}  | ${0}
  ${5}   | ${'end_to_end_id'} | ${'R6'}   | ${true}  | ${1}
  ${5}   | ${'details'}       | ${'R5'}   | ${true}  | ${1}
  ${5}   | ${null}            | ${null}   | ${true}  | ${1}
  ${5}   | ${'end_to_end_id'} | ${'R5'}   | ${false} | ${1}
  ${999} | ${null}            | ${null}   | ${true}  | ${0}
  ${999} | ${'end_to_end_id'} | ${'R999'} | ${true}  | ${1}
`('line $number that $rule matched with $reference, posted $posted: $wrong wrong', ({ number, wrong, ...found }) => {
  const verdicts = new Verdicts();
  verdicts.add(number, { place: 1, ...found });
  expect(verdicts.wrong).toHaveLength(wrong);
});
