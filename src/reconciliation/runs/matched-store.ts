/** What a run has matched, counted from its matches: whichever process died in between, none is missing and none counts twice. */
import { createHash, hash } from 'node:crypto';
import type { Pool } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../../values/ids.ts';
import { elsewhere } from '../../values/progress.ts';
import type { BankMatch } from '../matches/bank-match.ts';
import type { Reconciliation, RuleCount } from './reconciliation.ts';

const PAGE = 1_000;

type CountedMatch = Pick<BankMatch, 'id' | 'rule' | 'currency' | 'lines' | 'items'> & { readonly difference: bigint };

/** Matches of rules under one request. Index: bank_matches_by_run. */
async function pageOf(pool: Pool, bookId: BookId, of: { readonly requestId: Uuid; readonly after: Uuid }) {
  const { rows } = await pool.query<CountedMatch>(
    `SELECT id, rule, currency, lines, items, difference FROM bank_matches
      WHERE book_id = $1 AND request_id = $2 AND proposed_by IS NULL AND id > $3
        AND status NOT IN ('reserving', 'rejected') AND rule <> 'opening'
      ORDER BY id LIMIT $4`,
    [bookId, of.requestId, of.after, PAGE],
  );
  return rows;
}

export type Matched = Pick<Reconciliation, 'matched' | 'byRule'> & { readonly digest: string };

/**
 * `digest`: SHA-256 over the digests of its matches in their order as texts, each over rule, currency, parts of lines and items, and difference. So
 * it is the same in whatever order they were made.
 */
export async function readMatched(pool: Pool, bookId: BookId, requestId: Uuid): Promise<Matched> {
  const byRule = new Map<string, RuleCount>();
  const digests: string[] = [];
  let matched = 0;
  for (let after = BEFORE_ALL_IDS; ; ) {
    const page = await pageOf(pool, bookId, { requestId, after });
    for (const match of page) {
      matched += match.lines.length;
      count(byRule, match);
      digests.push(digestOf(match));
    }
    if (page.length < PAGE) break;
    after = elsewhere('matches of a run', after, page.at(-1)!.id);
  }
  const whole = createHash('sha256');
  for (const one of digests.sort()) whole.update(one, 'latin1');
  const sorted = [...byRule].sort(([one], [other]) => (one < other ? -1 : 1));
  return { matched, byRule: sorted.map(([, one]) => one), digest: whole.digest('hex') };
}

function count(byRule: Map<string, RuleCount>, { rule, currency, lines }: CountedMatch): void {
  const key = `${rule} ${currency}`;
  const known = byRule.get(key) ?? { rule, currency, lines: 0, amount: '0' };
  const amount = lines.reduce((sum, line) => sum + magnitude(BigInt(line.amount)), BigInt(known.amount));
  byRule.set(key, { ...known, lines: known.lines + lines.length, amount: String(amount) });
}

const magnitude = (amount: bigint) => (amount < 0n ? -amount : amount);

function digestOf({ rule, currency, lines, items, difference }: CountedMatch): string {
  const parts = (of: readonly { readonly id: Uuid; readonly amount: string }[]) =>
    of.map(({ id, amount }) => `${id} ${amount}`).sort();
  const text = JSON.stringify([rule, currency, parts(lines), parts(items), String(difference)]);
  // 32 characters of one byte each: a run of a million lines keeps its digests in memory.
  return hash('sha256', text, 'binary');
}
