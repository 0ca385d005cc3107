/** What the scheme pays or gets for what is cleared and not settled: one net amount, one posting. */
import { movement, type RolePosting } from '../booking/book-posting.ts';

/**
 * The net of lines in one currency. A line is what one entry has moved to scheme_settlement, negative for what it has moved away from
 * there. Interchange and scheme fees are facts of a line and count nothing here. A day with more credits than clearings is ours to receive.
 */
export function settleNet(lines: readonly bigint[]): {
  readonly net: bigint;
  readonly postings: readonly RolePosting[];
} {
  const net = lines.reduce((sum, line) => sum + line, 0n);
  return { net, postings: movement('scheme_settlement', 'pool', net) };
}

/** The line that an entry is in a settlement. */
export function settlementLine(postings: readonly RolePosting[]): bigint {
  return postings.reduce((sum, { debit, credit, amount }) => {
    if (credit === 'scheme_settlement') return sum + amount;
    return debit === 'scheme_settlement' ? sum - amount : sum;
  }, 0n);
}
