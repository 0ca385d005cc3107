/**
 * What is open at the end of a day, item by item, with its age: payouts that rails have not answered, refunds that acquirers have not, payments
 * that acquirers owe, and what waits for its day. All items of an account together are its balance, or the report fails.
 */
import { dayNumber, dayOf } from '../../calendar/day.ts';
import type { Side } from '../../ledger/account/account.ts';
import { chartAccountId } from '../../ledger/account/chart.ts';
import { loadBalancesAt } from '../../ledger/balances/balances-at.ts';
import { CURRENCIES } from '../../money/currency.ts';
import type { Instant } from '../../values/clock.ts';
import { BEFORE_ALL_IDS, publicId, resourceReference, type Uuid } from '../../values/ids.ts';
import { further } from '../../values/progress.ts';
import { FigureContradicted, type FigureKind, type FigureOrigin, type Row } from './figures.ts';
import { listItemLines, listPaymentLines, listWaiting } from './open-items-store.ts';

/**
 * What an item is: of accounts in transit, the resource that each entry is of; at an acquirer the payment, since a settlement is of captures,
 * refunds and disputes; of what waits for its day, the part of an account.
 */
export const OPEN_CODES = ['acquirer', 'merchant_pending', 'payouts_in_transit', 'refunds_in_transit'] as const;
type OpenCode = (typeof OPEN_CODES)[number];

export const openItems: FigureKind = {
  columns: [
    { name: 'currency', is: 'word' },
    { name: 'code', is: 'word' },
    { name: 'resource', is: 'word' },
    { name: 'resource_id', is: 'word' },
    { name: 'since', is: 'word' },
    { name: 'age_days', is: 'count' },
    { name: 'amount', is: 'amount' },
  ],
  balances: false,
  async *rows(origin, from = '') {
    const { db, book, place, asked } = origin;
    const currencies = asked.currency === undefined ? CURRENCIES : [asked.currency];
    const ids = currencies.flatMap((currency) => OPEN_CODES.map((code) => chartAccountId(book.id, code, currency)));
    const accounts = await loadBalancesAt(db, book.id, place, ids);
    const placeOf = ({ currency, code }: { currency: string; code: string }) => `${currency} ${code}`;
    accounts.sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
    for (const account of accounts)
      if (placeOf(account) > from)
        yield { rows: rowsOf(origin, account, await itemsOf(origin, account)), next: placeOf(account) };
  },
};

interface Item {
  readonly resource: string;
  readonly resourceId: Uuid;
  readonly since: Instant;
  readonly amount: bigint;
}

interface OpenAccount {
  readonly id: Uuid;
  readonly code: string;
  readonly currency: string;
  readonly side: Side;
  readonly line: bigint;
  readonly posted: bigint;
}

/** Only what is open is in memory. Throws FigureContradicted where the items do not come to what stands there. */
async function itemsOf(origin: FigureOrigin, account: OpenAccount): Promise<Item[]> {
  const items =
    (account.code as OpenCode) === 'merchant_pending'
      ? await waitingOf(origin, account)
      : await byLines(origin, account);
  const counted = items.reduce((sum, { amount }) => sum + amount, 0n);
  if (counted !== account.posted)
    throw new FigureContradicted(
      `Items on ${account.code} come to ${counted} ${account.currency}; ${account.posted} stands there (${publicId('account', account.id)}). Run \`npm run verify\`.`,
    );
  return items;
}

const LINES_PER_PAGE = 10_000;

async function byLines({ db, book }: FigureOrigin, { id, code, side, line: last }: OpenAccount): Promise<Item[]> {
  const open = new Map<Uuid, Item>();
  const list = (code as OpenCode) === 'acquirer' ? listPaymentLines : listItemLines;
  for (let after = 0n; after < last; ) {
    const through = after + BigInt(LINES_PER_PAGE) < last ? after + BigInt(LINES_PER_PAGE) : last;
    for (const { resource, resourceId, change, effectiveAt } of await list(db, book.id, { id, after, through })) {
      const item = open.get(resourceId) ?? { resource, resourceId, since: effectiveAt, amount: 0n };
      const amount = item.amount + (side === 'credit' ? change : -change);
      if (amount === 0n) open.delete(resourceId);
      else open.set(resourceId, { ...item, amount });
    }
    after = further('lines of open items', after, through);
  }
  return [...open.values()];
}

const PARTS_PER_PAGE = 500;

async function waitingOf({ db, book, place }: FigureOrigin, { currency }: OpenAccount): Promise<Item[]> {
  const open: Item[] = [];
  const through = place.postedThrough;
  for (let after: Uuid = BEFORE_ALL_IDS; ; ) {
    const page = await listWaiting(db, book.id, { currency, through, after, limit: PARTS_PER_PAGE });
    for (const { accountId, since, amount } of page)
      if (amount !== 0n) open.push({ resource: 'account', resourceId: accountId, since: since!, amount });
    if (page.length < PARTS_PER_PAGE) return open;
    after = further('what waits for its day', after, page.at(-1)!.id);
  }
}

function rowsOf({ book, asked }: FigureOrigin, { currency, code }: OpenAccount, items: readonly Item[]): Row[] {
  return items.map(({ resource, resourceId, since: began, amount }) => {
    const since = dayOf(began, book.timeZone);
    return {
      ...{ currency, code, resource, resource_id: resourceReference(resource, resourceId), since },
      ...{ age_days: dayNumber(asked.to) - dayNumber(since), amount },
    };
  });
}
