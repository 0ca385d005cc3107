/** What tests of the operator's bank have in common: a bank in a database of its own for each test, and nothing wrong after it. */
import { afterEach, beforeEach, expect } from 'vitest';
import { bankReconciliation } from '../../src/reconciliation/position/bank-reconciliation.ts';
import { OperatorsBank } from './bank-statements.ts';
import type { TestBook } from './book.ts';
import { findingsOf } from './findings.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';

export interface OpenedBank {
  readonly bank: OperatorsBank;
  readonly database: TestDatabase;
}

interface AfterEach {
  /** Customers' books of the test: verified with the bank's, and closed. */
  readonly books?: () => readonly TestBook[];
  /**
   * Statement = bank account, open items = clearing accounts, pool owed = pools. `statements`: the first alone, where items of the test
   * stand on no account (expectItems).
   */
  readonly equal?: true | 'statements';
}

/** `opened` is called before each test. After it, verification finds nothing in the bank's book and in `books`. */
export function eachBank(
  opened: (of: OpenedBank) => Promise<void> | void,
  { books = () => [], equal }: AfterEach = {},
): void {
  let of: OpenedBank;

  beforeEach(async () => {
    const database = await createTestDatabase();
    of = { database, bank: await OperatorsBank.open(database.applicationUrl) };
    await opened(of);
  });
  afterEach(async () => {
    const { bank, database } = of;
    const findings = await findingsOf({ pool: bank.pool, id: bank.book.id });
    for (const book of books()) findings.push(...(await findingsOf(book)));
    const unequal = equal ? (await unequalOf(bank)).filter(({ equality }) => counts(equal, equality)) : [];
    for (const book of books()) await book.close();
    await bank.close();
    await database.drop();
    expect([...findings, ...unequal]).toEqual([]);
  });
}

const counts = (equal: true | 'statements', equality: unknown) => equal === true || equality === 'statement';

async function unequalOf({ pool, book }: OperatorsBank) {
  const { rows } = await bankReconciliation(pool, book.id);
  return rows.filter(({ difference }) => difference !== null && difference !== 0n);
}
