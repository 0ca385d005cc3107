/**
 * Expected items that no bank has shown in time. An item is overdue once every bank account that could show it has stated days beyond the window in
 * which it may stand: then no line of these days is its own. Pure.
 */
import { addBusinessDays } from '../../calendar/business-days.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BankAccount } from '../accounts/bank-account.ts';
import type { ExpectedItem } from '../items/expected-item.ts';

/** A bank account with the last day that its statements have stated. Null before the first. */
export interface StatedAccount {
  readonly account: Pick<BankAccount, 'id' | 'currency' | 'calendar' | 'windowAfter' | 'parties'>;
  readonly statedTo: string | null;
}

type Waiting = Pick<ExpectedItem, 'party' | 'currency' | 'expectedOn'>;

/** No item that is expected on that day or later is overdue in the currency. Undefined where none is. */
export function overdueBefore(stated: readonly StatedAccount[], currency: string): string | undefined {
  const days = stated.filter(({ account }) => account.currency === currency).flatMap(({ statedTo }) => statedTo ?? []);
  return days.length === 0 ? undefined : days.reduce((one, other) => (one > other ? one : other));
}

export function isOverdue(stated: readonly StatedAccount[], item: Waiting): boolean {
  const ofCurrency = stated.filter(({ account }) => account.currency === item.currency);
  const ofParty = ofCurrency.filter(({ account }) => account.parties.some(({ party }) => party === item.party));
  // Where nobody states who pays at an account, each may show it.
  const able = ofParty.length > 0 ? ofParty : ofCurrency;
  return (
    able.length > 0 &&
    able.every(
      ({ account: { calendar, windowAfter }, statedTo }) =>
        statedTo !== null && addBusinessDays(item.expectedOn, windowAfter, calendar) < statedTo,
    )
  );
}

export interface OverdueCase {
  /** Of which the exception is. */
  readonly item: ExpectedItem;
  /** What brings the same amount back: the two cancel each other, and no bank has shown either. */
  readonly counter: ExpectedItem | undefined;
}

/** One case for an item and what brings it back under the same end-to-end id. */
export function casesOf(overdue: readonly ExpectedItem[]): OverdueCase[] {
  const taken = new Set<Uuid>();
  const cases: OverdueCase[] = [];
  const outFirst = [...overdue].sort((one, other) => Number(one.direction === 'in') - Number(other.direction === 'in'));
  for (const item of outFirst) {
    if (taken.has(item.id)) continue;
    const counter = outFirst.find((other) => !taken.has(other.id) && cancels(item, other));
    taken.add(item.id);
    if (counter) taken.add(counter.id);
    cases.push({ item, counter });
  }
  return cases;
}

function cancels(item: ExpectedItem, other: ExpectedItem): boolean {
  return (
    item.id !== other.id &&
    item.endToEndId !== null &&
    item.endToEndId === other.endToEndId &&
    item.direction !== other.direction &&
    item.amountOpen === other.amountOpen &&
    item.clearingAccountId === other.clearingAccountId
  );
}
