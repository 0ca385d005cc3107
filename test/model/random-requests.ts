/**
 * Random actions, and the requests made from them. Pools of names are small and amounts are close to the balances. That
 * way keys collide, commands repeat, accounts are closed or unknown, and balances reach zero often enough.
 */
import fc from 'fast-check';
import { CURRENCIES } from './names.ts';
import type { ReferenceBook } from './reference-payouts.ts';
import type { Request, StatusAction, Word } from './requests.ts';

type Amount = number | 'all' | 'one too many';

export type Action =
  | { do: 'open'; key: number | null; currency: 0 | 1; overdraft: number }
  | { do: 'fund'; key: number | null; account: number; amount: number; wrong: boolean }
  | { do: 'status'; key: number | null; account: number; action: StatusAction; ifMatch: 'now' | 'before' | null }
  | {
      do: 'accept';
      key: number;
      account: number;
      to: number | null;
      amount: Amount;
      fee: number;
      dry: boolean;
      wrong: boolean;
    }
  | { do: 'cancel'; key: number | null; payout: number; ifMatch: 'now' | 'before' | null }
  | { do: 'simulate'; key: number | null; payout: number; word: 'paid' | 'rejected' }
  | { do: 'post'; key: number | null; lines: { from: number; to: number; amount: Amount }[] }
  | { do: 'hold'; key: number | null; account: number; amount: Amount; expiresMs: number | null }
  | { do: 'capture'; key: number | null; hold: number; to: number; amount: Amount }
  | { do: 'release'; key: number | null; hold: number; amount: number | null }
  | { do: 'void'; key: number }
  | { do: 'reserve' | 'unknown'; payout: number }
  | { do: 'settle'; payout: number; word: Word; notice: number | null }
  | { do: 'return'; payout: number; amount: Amount | 'half'; notice: number }
  | { do: 'expire'; hold: number }
  | Repetition;

/** Repeats the same command, as after a lost answer, or sends the same request again as a new command. */
export interface Repetition {
  do: 'repeat' | 'again';
  which: number;
}

const NOBODY = 11;
const account = fc.nat({ max: NOBODY });
/** An index from the newest: the newest objects are used most. */
const recent = fc.oneof({ weight: 3, arbitrary: fc.nat({ max: 3 }) }, { weight: 1, arbitrary: fc.nat({ max: 20 }) });
const anyKey = fc.nat({ max: 150 });
const key = fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: anyKey });
const money = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 1, max: 600 }) },
  { weight: 2, arbitrary: fc.constantFrom('all' as const, 'one too many' as const) },
  { weight: 1, arbitrary: fc.constant(1) },
);
const seldom = fc.integer({ min: 0, max: 11 }).map((value) => value === 11);
const ifMatch = fc.constantFrom(null, null, null, 'now', 'before');

const KINDS: { weight: number; arbitrary: fc.Arbitrary<unknown> }[] = [
  {
    weight: 2,
    arbitrary: kind('open', { key, currency: fc.constantFrom(0, 0, 0, 0, 1), overdraft: fc.constantFrom(0, 0, 300) }),
  },
  { weight: 4, arbitrary: kind('fund', { key, account, amount: fc.integer({ min: 1, max: 1_000 }), wrong: seldom }) },
  {
    weight: 3,
    arbitrary: kind('status', {
      key,
      account,
      action: fc.constantFrom('freeze', 'unfreeze', 'unfreeze', 'close'),
      ifMatch,
    }),
  },
  {
    weight: 8,
    arbitrary: kind('accept', {
      key: anyKey,
      account,
      to: fc.option(account, { freq: 2 }),
      amount: money,
      fee: fc.constantFrom(0, 0, 3, 50),
      dry: seldom,
      wrong: seldom,
    }),
  },
  { weight: 2, arbitrary: kind('cancel', { key, payout: recent, ifMatch }) },
  { weight: 2, arbitrary: kind('simulate', { key, payout: recent, word: fc.constantFrom('paid', 'rejected') }) },
  {
    weight: 4,
    arbitrary: kind('post', {
      key,
      lines: fc.array(fc.record({ from: account, to: account, amount: fc.oneof(money, fc.constant(0)) }), {
        minLength: 1,
        maxLength: 3,
      }),
    }),
  },
  {
    weight: 4,
    arbitrary: kind('hold', { key, account, amount: money, expiresMs: fc.option(fc.integer({ min: 0, max: 3_000 })) }),
  },
  { weight: 5, arbitrary: kind('capture', { key, hold: recent, to: account, amount: money }) },
  { weight: 2, arbitrary: kind('release', { key, hold: recent, amount: fc.option(fc.integer({ min: 1, max: 600 })) }) },
  { weight: 1, arbitrary: kind('void', { key: anyKey }) },
  { weight: 8, arbitrary: kind('reserve', { payout: recent }) },
  { weight: 2, arbitrary: kind('unknown', { payout: recent }) },
  {
    weight: 7,
    arbitrary: kind('settle', {
      payout: recent,
      word: fc.constantFrom('paid', 'paid', 'rejected', 'pending'),
      notice: fc.option(fc.nat({ max: 20 }), { freq: 2 }),
    }),
  },
  {
    weight: 3,
    arbitrary: kind('return', {
      payout: recent,
      amount: fc.oneof(money, fc.constant('half')),
      notice: fc.nat({ max: 40 }),
    }),
  },
  { weight: 1, arbitrary: kind('expire', { hold: recent }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('repeat', 'again'), which: fc.nat({ max: 30 }) }) },
];

export const anyAction = fc.oneof(...KINDS) as fc.Arbitrary<Action>;

function kind(name: string, fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  return fc.record({ do: fc.constant(name), ...fields });
}

/** Undefined when no object exists yet that the action could use. */
export function requestOf(book: ReferenceBook, action: Exclude<Action, Repetition>): Request | undefined {
  const resolve = new Resolver(book);
  const keyed = 'key' in action ? { key: action.key === null ? null : `key-${action.key}` } : { key: null };
  switch (action.do) {
    case 'open':
      return { ...keyed, do: 'open', currency: CURRENCIES[action.currency], overdraft: BigInt(action.overdraft) };
    case 'fund': {
      const name = resolve.account(action.account);
      return {
        ...keyed,
        do: 'fund',
        account: name,
        currency: resolve.currency(name, action.wrong),
        amount: BigInt(action.amount),
      };
    }
    case 'status': {
      const name = resolve.account(action.account);
      const version = ifMatchOf(action.ifMatch, book.accounts.get(name)?.version ?? 1);
      return { ...keyed, do: 'status', account: name, action: action.action, ...version };
    }
    case 'accept': {
      const name = resolve.account(action.account);
      const fee = BigInt(action.fee);
      return {
        ...keyed,
        do: 'accept',
        account: name,
        to: action.to === null ? null : resolve.account(action.to),
        currency: resolve.currency(name, action.wrong),
        amount: resolve.amount(action.amount, name, fee),
        fee,
        dry: action.dry,
      };
    }
    case 'cancel': {
      const name = resolve.payout(action.payout);
      if (!name) return undefined;
      return { ...keyed, do: 'cancel', payout: name, ...ifMatchOf(action.ifMatch, book.payouts.get(name)!.version) };
    }
    case 'simulate': {
      const name = resolve.payout(action.payout, { onRail: true });
      return name === undefined ? undefined : { ...keyed, do: 'simulate', payout: name, word: action.word };
    }
    case 'post':
      return resolve.post(keyed.key, action.lines);
    case 'hold': {
      const name = resolve.account(action.account);
      const expiresAt = action.expiresMs === null ? null : book.moment + action.expiresMs;
      return { ...keyed, do: 'hold', account: name, amount: resolve.amount(action.amount, name, 0n), expiresAt };
    }
    case 'capture': {
      const name = resolve.hold(action.hold);
      return {
        ...keyed,
        do: 'capture',
        hold: name,
        to: resolve.account(action.to),
        amount: resolve.left(action.amount, name),
      };
    }
    case 'release': {
      const amount = action.amount === null ? null : BigInt(action.amount);
      return { ...keyed, do: 'release', hold: resolve.hold(action.hold), amount };
    }
    case 'void':
      return { do: 'void', key: `key-${action.key}` };
    case 'expire':
      return { do: 'expire', hold: resolve.hold(action.hold) };
    case 'reserve': {
      const name = resolve.payout(action.payout);
      return name === undefined ? undefined : { do: 'reserve', payout: name };
    }
    case 'unknown': {
      const name = resolve.payout(action.payout, { onRail: true });
      return name === undefined ? undefined : { do: 'unknown', payout: name };
    }
    case 'settle': {
      const name = resolve.payout(action.payout, { onRail: true });
      const notice = action.notice === null ? null : `notice ${action.notice}`;
      return name === undefined ? undefined : { do: 'settle', payout: name, word: action.word, notice };
    }
    case 'return': {
      const name = resolve.payout(action.payout, { onRail: true });
      return name === undefined
        ? undefined
        : {
            do: 'return',
            payout: name,
            amount: resolve.back(action.amount, name),
            notice: `notice ${action.notice}`,
          };
    }
  }
}

function ifMatchOf(which: 'now' | 'before' | null, version: number): { ifMatch?: number } {
  if (which === null) return {};
  return { ifMatch: which === 'now' ? version : version - 1 };
}

/** Turns the numbers of an action into names and amounts of the current book. */
class Resolver {
  readonly #book: ReferenceBook;

  constructor(book: ReferenceBook) {
    this.#book = book;
  }

  /** The last index of the pool is an unknown account. */
  account(at: number): string {
    const known = this.#book.customers();
    return at === NOBODY || known.length === 0 ? 'account nobody has' : known[at % known.length]!;
  }

  payout(fromLast: number, { onRail = false } = {}): string | undefined {
    const known = [...this.#book.payouts].filter(([, payout]) => !onRail || payout.to === null);
    return known.length === 0 ? undefined : known[known.length - 1 - (fromLast % known.length)]![0];
  }

  hold(fromLast: number): string {
    const known = [...this.#book.holds.keys()].filter((name) => !name.startsWith('hold of '));
    return known.length === 0 ? 'hold nobody has' : known[known.length - 1 - (fromLast % known.length)]!;
  }

  currency(account: string, wrong: boolean): string {
    const own = this.#book.accounts.get(account)?.currency ?? CURRENCIES[0];
    return wrong ? CURRENCIES.find((currency) => currency !== own)! : own;
  }

  amount(amount: Amount, account: string, fee: bigint): bigint {
    if (typeof amount === 'number') return BigInt(amount);
    const known = this.#book.accounts.get(account);
    const all = known ? this.#book.available(account) + (known.overdraft ?? 0n) - fee : 1n;
    return atLeastOne(amount === 'all' ? all : all + 1n);
  }

  left(amount: Amount, hold: string): bigint {
    if (typeof amount === 'number') return BigInt(amount);
    const all = this.#book.holds.has(hold) ? this.#book.left(hold) : 1n;
    return atLeastOne(amount === 'all' ? all : all + 1n);
  }

  back(amount: Amount | 'half', name: string): bigint {
    const payout = this.#book.payouts.get(name)!;
    if (typeof amount === 'number') return BigInt(amount);
    const left = payout.amount - payout.returned;
    return atLeastOne(amount === 'half' ? payout.amount / 2n : amount === 'all' ? left : left + 1n);
  }

  /** Undefined without movements: an entry needs at least one posting between two accounts. */
  post(key: string | null, lines: readonly { from: number; to: number; amount: Amount }[]): Request | undefined {
    const movements = lines
      .map(({ from, to, amount }) => {
        const debit = this.account(from);
        return { debit, credit: this.account(to), amount: amount === 0 ? 0n : this.amount(amount, debit, 0n) };
      })
      .filter(({ debit, credit }) => debit !== credit);
    return movements.some(({ amount }) => amount > 0n) ? { do: 'post', key, movements } : undefined;
  }
}

const atLeastOne = (amount: bigint) => (amount < 1n ? 1n : amount);
