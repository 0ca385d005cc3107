/** Holds of their own. Those of payouts, and those that the API placed, belong to their parts, and are compared here with the others. */
import fc from 'fast-check';
import { holds } from '../../../../src/ledger/hold/hold-table.ts';
import { amountOf, draws, fromNewest, kind, maybe, type Part, type RealBook } from '../../part.ts';
import type { ReferenceBook } from '../../reference-book.ts';
import { accountAt, amountFrom } from '../accounts/drawn.ts';
import { captureHold, expireHold, HOLD_EVENTS, increaseHold, placeHold, releaseHold } from './commands.ts';
import {
  type CaptureHold,
  capture,
  expire,
  type IncreaseHold,
  increase,
  type PlaceHold,
  place,
  type ReleaseHold,
  release,
} from './reference.ts';

const { account, key, money, recent } = draws;

export const holdsPart: Part = {
  tables: [holds],
  eventsOfTheTest: HOLD_EVENTS,
  compare: [
    {
      real: ({ memory, names }) =>
        Object.fromEntries(
          [...memory.rows(holds).values()].map((hold) => [
            names.nameOf(hold.id),
            [hold.amount, hold.remaining, hold.status],
          ]),
        ),
      expected: (book) =>
        Object.fromEntries(
          [...book.holds.keys()].map((name) => [name, [book.reserved(name), book.left(name), book.holdStatus(name)]]),
        ),
    },
  ],
  kinds: [
    kind({
      do: 'hold',
      weight: 4,
      draw: { key, account, amount: money, expiresMs: maybe(fc.integer({ min: 0, max: 3_000 })) },
      ask(book, { account: at, amount, expiresMs }): PlaceHold {
        const name = accountAt(book, at);
        const expiresAt = expiresMs === null ? null : book.moment + expiresMs;
        return { account: name, amount: amountFrom(book, name, amount), expiresAt };
      },
      expect: place,
      command: ({ names }, { account: name, amount, expiresAt }) =>
        placeHold({ accountId: names.idOf(name), amount, expiresAt }),
    }),
    kind({
      do: 'capture',
      weight: 5,
      draw: { key, hold: recent, to: account, amount: money },
      ask(book, { hold, to, amount }): CaptureHold {
        const name = holdAt(book, hold);
        const left = book.holds.has(name) ? book.left(name) : 1n;
        return { hold: name, to: accountAt(book, to), amount: amountOf(amount, left) };
      },
      expect: capture,
      command: (real, { hold, to, amount }) => captureHold({ ...idsOf(real, hold), to: real.names.idOf(to), amount }),
    }),
    kind({
      do: 'increase',
      weight: 3,
      draw: { key, hold: recent, amount: money },
      ask(book, { hold, amount }): IncreaseHold {
        const name = holdAt(book, hold);
        const account = book.holds.get(name)?.account;
        return { hold: name, by: account === undefined ? 1n : amountOf(amount, book.available(account)) };
      },
      expect: increase,
      command: (real, { hold, by }) => increaseHold({ ...idsOf(real, hold), by }),
    }),
    kind({
      do: 'release',
      weight: 2,
      draw: { key, hold: recent, amount: maybe(fc.integer({ min: 1, max: 600 })) },
      ask: (book, { hold, amount }): ReleaseHold => ({
        amount: amount === null ? null : BigInt(amount),
        hold: holdAt(book, hold),
      }),
      expect: release,
      command: (real, { hold, amount }) => releaseHold({ ...idsOf(real, hold), amount }),
    }),
    kind({
      do: 'expire',
      weight: 1,
      draw: { hold: recent },
      ask: (book, { hold }) => ({ hold: holdAt(book, hold) }),
      expect: (book, { hold }) => expire(book, hold),
      command: (real, { hold }) => expireHold(idsOf(real, hold)),
    }),
  ],
};

function holdAt(book: ReferenceBook, at: number): string {
  const own = [...book.holds.keys()].filter((name) => /^hold \d/.test(name));
  return fromNewest(own, at) ?? 'hold nobody has';
}

function idsOf({ memory, names }: RealBook, name: string): { holdId: string; accountId: string } {
  const holdId = names.idOf(name);
  return { holdId, accountId: memory.rows(holds).get(holdId)?.accountId ?? names.idOf('nobody') };
}
