/** Holds on accounts: placed, increased, released, and expired by the visit of a worker. */
import fc from 'fast-check';
import { type AccountHold, accountHoldView } from '../../../../src/accounts/holds/account-hold.ts';
import { accountHolds } from '../../../../src/accounts/holds/account-hold-table.ts';
import { increaseHold, releaseHold } from '../../../../src/accounts/holds/change-hold.ts';
import { expireHolds } from '../../../../src/accounts/holds/expire-holds.ts';
import { placeAccountHold } from '../../../../src/accounts/holds/place-hold.ts';
import { amountOf, BY, draws, fromNewest, ifMatchOf, kind, maybe, type Part, type RealBook } from '../../part.ts';
import type { ReferenceBook } from '../../reference-book.ts';
import { accountAt, amountFrom } from '../accounts/drawn.ts';
import {
  type IncreaseAccountHold,
  type PlaceAccountHold,
  ReferenceAccountHolds,
  type ReleaseAccountHold,
} from './reference.ts';

const { account, key, money, recent, seldom, ifMatch } = draws;

const kept = (book: ReferenceBook) => book.of(ReferenceAccountHolds);

export const accountHoldsPart: Part = {
  tables: [accountHolds],
  keepsOpen: (book, name) => kept(book).isHeld(name),
  compare: [
    {
      real: ({ memory, names }) =>
        Object.fromEntries(
          [...memory.rows(accountHolds).values()].map((hold) => [names.nameOf(hold.id), shown(hold, names)]),
        ),
      expected: (book) => Object.fromEntries([...kept(book).all.keys()].map((name) => [name, kept(book).view(name)])),
    },
  ],
  kinds: [
    kind({
      do: 'place account hold',
      weight: 5,
      draw: {
        key,
        account,
        amount: money,
        livesMs: maybe(fc.integer({ min: 1, max: 3_000 }), { freq: 3 }),
        named: seldom,
      },
      ask(book, { account: at, amount, livesMs, named }): PlaceAccountHold {
        const name = accountAt(book, at);
        const expiresAt = livesMs === null ? null : book.moment + livesMs;
        return { account: name, amount: amountFrom(book, name, amount), expiresAt, named };
      },
      expect: (book, asked) => kept(book).place(asked),
      command: ({ names }, { account: name, amount, expiresAt, named }) =>
        placeAccountHold({
          ...{ accountId: names.idOf(name), amount, expiresAt, externalId: null, ...BY },
          ...(named ? { description: 'For Anna', metadata: { order: '7' } } : { description: null, metadata: {} }),
        }),
    }),
    kind({
      do: 'increase account hold',
      weight: 4,
      // A total that is no more than before now and then.
      draw: {
        key,
        hold: recent,
        more: fc.oneof({ weight: 8, arbitrary: money }, { weight: 1, arbitrary: fc.constant(0) }),
        ifMatch,
      },
      ask(book, { hold, more, ifMatch: which }): IncreaseAccountHold | undefined {
        const name = holdAt(book, hold);
        if (name === undefined) return undefined;
        const by = more === 0 ? 0n : amountFrom(book, kept(book).all.get(name)!.account, more);
        return { hold: name, amount: book.reserved(name) + by, ...ifMatchOf(which, kept(book).version(name)) };
      },
      expect: (book, asked) => kept(book).increase(asked),
      command: (real, { hold, amount, ifMatch: version }) =>
        increaseHold(rowOf(real, hold), { amount, ifMatch: version, ...BY }),
    }),
    kind({
      do: 'release account hold',
      weight: 4,
      draw: { key, hold: recent, amount: maybe(money), ifMatch },
      ask(book, { hold, amount, ifMatch: which }): ReleaseAccountHold | undefined {
        const name = holdAt(book, hold);
        if (name === undefined) return undefined;
        const taken = amount === null ? null : amountOf(amount, book.left(name));
        return { hold: name, amount: taken, ...ifMatchOf(which, kept(book).version(name)) };
      },
      expect: (book, asked) => kept(book).release(asked),
      command: (real, { hold, amount, ifMatch: version }) =>
        releaseHold(rowOf(real, hold), { amount: amount ?? undefined, ifMatch: version, ...BY }),
    }),
    kind({
      do: 'expire account holds',
      weight: 8,
      // Often the visit of all that are open, of which some are over.
      draw: { holds: maybe(fc.array(recent, { minLength: 1, maxLength: 4 }), { freq: 2 }) },
      ask(book, { holds }): { readonly holds: readonly string[] } | undefined {
        const open = [...kept(book).all.keys()].filter((name) => kept(book).status(name) === 'open');
        const names = holds?.map((at) => holdAt(book, at)).filter((name) => name !== undefined) ?? open;
        return names.length === 0 ? undefined : { holds: [...new Set(names)] };
      },
      expect: (book, { holds }) => kept(book).expireAll(holds),
      command: (real, { holds }) => expireHolds(holds.map((name) => rowOf(real, name))),
      saidOf: (answer) => ({ status: 0, resource: `${answer} expired` }),
      stateOf: (book, { holds }) => kept(book).status(holds[0]!),
    }),
  ],
};

/** What the API shows, and when the sweeper enqueues it. */
function shown(hold: AccountHold, names: RealBook['names']): Record<string, unknown> {
  const {
    status,
    amount,
    remaining,
    captured,
    released,
    version,
    allowed_actions: actions,
  } = accountHoldView(hold, false);
  const { accountId, expiresAt, dueAt, createdAt, updatedAt } = hold;
  return {
    ...{ account: names.nameOf(accountId), status, amount, remaining, captured, released, actions, version },
    ...{ expiresAt, createdAt, updatedAt, dueAt },
  };
}

function holdAt(book: ReferenceBook, at: number): string | undefined {
  return fromNewest([...kept(book).all.keys()], at);
}

function rowOf({ memory, names }: RealBook, name: string): AccountHold {
  return memory.get(accountHolds, names.idOf(name));
}
