/**
 * What a match moves: lines off unallocated and suspense, items off their clearing accounts, the difference to its account. Each account is netted,
 * so that what waits and what is expected on one account moves nothing.
 */
import type { Uuid } from '../../values/ids.ts';
import type { DifferenceTo } from '../rules/bank-account-rules.ts';
import type { BankMatch } from './bank-match.ts';

export interface MatchAccounts {
  readonly unallocated: Uuid;
  readonly suspense: Uuid;
  /** Where the match has no difference, nobody asks. */
  readonly differenceTo: (code: DifferenceTo) => Uuid;
}

interface MatchPosting {
  readonly debit: Uuid;
  readonly credit: Uuid;
  readonly amount: bigint;
}

type Facts = Pick<BankMatch, 'lines' | 'items' | 'difference' | 'differenceTo'>;

/** By account, credits less debits; what nets to nothing is left out. */
export function movedByMatch(
  { lines, items, difference, differenceTo }: Facts,
  accounts: MatchAccounts,
): Map<Uuid, bigint> {
  const moved = new Map<Uuid, bigint>();
  const credit = (account: Uuid, amount: bigint) => moved.set(account, (moved.get(account) ?? 0n) + amount);
  for (const item of items) credit(item.accountId, BigInt(item.amount));
  if (differenceTo !== null) credit(accounts.differenceTo(differenceTo), difference);
  for (const line of lines) {
    const amount = BigInt(line.amount);
    credit(amount > 0n ? accounts.unallocated : accounts.suspense, -amount);
  }
  return new Map([...moved].filter(([, amount]) => amount !== 0n));
}

/** Pairs debits and credits in order. `back`: of a match that is undone. */
export function postingsOf(facts: Facts, accounts: MatchAccounts, back = false): MatchPosting[] {
  const moved = [...movedByMatch(facts, accounts)].map(([id, amount]) => ({ id, amount: back ? -amount : amount }));
  const debits = moved.filter(({ amount }) => amount < 0n).map(({ id, amount }) => ({ id, left: -amount }));
  const credits = moved.filter(({ amount }) => amount > 0n).map(({ id, amount }) => ({ id, left: amount }));
  const postings: MatchPosting[] = [];
  for (const debit of debits)
    for (const credit of credits) {
      const amount = debit.left < credit.left ? debit.left : credit.left;
      if (amount === 0n) continue;
      postings.push({ debit: debit.id, credit: credit.id, amount });
      debit.left -= amount;
      credit.left -= amount;
    }
  return postings;
}
