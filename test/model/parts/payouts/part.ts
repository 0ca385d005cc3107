/** Payouts: accepted, approved, rejected, canceled, reserved, settled, simulated, returned. */
import fc from 'fast-check';
import { noticeCommand } from '../../../../src/payouts/notices/rail-notices.ts';
import { applyRailReport } from '../../../../src/payouts/outcomes/apply-rail-report.ts';
import { recordUnknown } from '../../../../src/payouts/outcomes/await-outcome.ts';
import { acceptPayout } from '../../../../src/payouts/payout/accept-payout.ts';
import { cancelPayout } from '../../../../src/payouts/payout/cancel-payout.ts';
import { approvePayout, rejectPayout } from '../../../../src/payouts/payout/judge-payout.ts';
import type { Payout } from '../../../../src/payouts/payout/payout.ts';
import { payouts } from '../../../../src/payouts/payout/payout-table.ts';
import { reservePayout } from '../../../../src/payouts/payout/reserve-payout.ts';
import { payoutReturns } from '../../../../src/payouts/returns/payout-return-table.ts';
import { UNROUTED } from '../../../../src/payouts/routing/route-payout.ts';
import { newId } from '../../../../src/values/ids.ts';
import {
  amountOf,
  atLeastOne,
  BY,
  draws,
  fromNewest,
  ifMatchOf,
  kind,
  maybe,
  type Part,
  type RealBook,
} from '../../part.ts';
import type { ReferenceBook } from '../../reference-book.ts';
import { accountAt, amountFrom, currencyOf } from '../accounts/drawn.ts';
import { ALIAS, COMPARED, NEXT_INQUIRY_MS, noticeOf, simulation } from './commands.ts';
import { type AcceptPayout, type Judge, ReferencePayouts, type Word } from './reference.ts';

const { account, anyKey, key, money, recent, seldom, ifMatch } = draws;

const judging = {
  by: fc.constantFrom<Judge>('another', 'another', 'another', 'maker'),
  sees: fc.constantFrom<'now' | 'before'>('now', 'now', 'now', 'before'),
  any: seldom,
};

const kept = (book: ReferenceBook) => book.of(ReferencePayouts);
const statusOf = (book: ReferenceBook, payout: string) => kept(book).all.get(payout)!.status;

export const payoutsPart: Part = {
  tables: [payouts, payoutReturns],
  chart: ['payouts_in_transit', 'due_operator'],
  keepsOpen: (book, name) => kept(book).isLeaving(name),
  made({ memory, names }, name, id) {
    const payout = memory.rows(payouts).get(id);
    if (payout) names.bind(`hold of ${name}`, payout.holdId);
  },
  // A return has the id of the rail's notice, or one of its command.
  nameRows({ memory, names }) {
    const counted = new Map<string, number>();
    for (const { id, payoutId } of memory.rows(payoutReturns).values()) {
      const number = (counted.get(payoutId) ?? 0) + 1;
      counted.set(payoutId, number);
      if (names.nameOf(id) === id) names.bind(`return ${number} of ${names.nameOf(payoutId)}`, id);
    }
  },
  compare: [
    {
      real: ({ memory, names }) =>
        Object.fromEntries(
          [...memory.rows(payouts).values()].map(({ id, status, version, outcome, amountReturned }) => [
            names.nameOf(id),
            { status, version, unknown: outcome === 'unknown', returned: amountReturned },
          ]),
        ),
      expected: (book) =>
        Object.fromEntries(
          [...kept(book).all].map(([name, { status, version, unknown, returned }]) => [
            name,
            { status, version, unknown, returned },
          ]),
        ),
    },
  ],
  kinds: [
    kind({
      do: 'accept',
      weight: 8,
      draw: {
        key: anyKey,
        account,
        to: maybe(account, { freq: 2 }),
        amount: money,
        fee: fc.constantFrom(0, 0, 3, 50),
        dry: seldom,
        wrong: seldom,
        waits: maybe(fc.constant(true), { freq: 2 }),
      },
      ask(book, drawn): AcceptPayout {
        const name = accountAt(book, drawn.account);
        const fee = BigInt(drawn.fee);
        return {
          account: name,
          to: drawn.to === null ? null : accountAt(book, drawn.to),
          currency: currencyOf(book, name, drawn.wrong),
          amount: amountFrom(book, name, drawn.amount, fee),
          fee,
          dry: drawn.dry,
          waits: drawn.waits === null,
        };
      },
      expect: (book, asked) => kept(book).accept(asked),
      isDry: ({ dry }) => dry,
      command: ({ memory, names }, asked) =>
        acceptPayout({
          payoutId: newId(),
          bookId: memory.book.id,
          accountId: names.idOf(asked.account),
          amount: asked.amount,
          fee: asked.fee,
          currency: asked.currency,
          destination: asked.to === null ? ALIAS : { type: 'account', accountId: names.idOf(asked.to) },
          rail: asked.to === null ? 'sandbox' : 'book',
          description: null,
          externalId: null,
          metadata: { order: '7' },
          idempotencyKey: asked.key ?? newId(),
          dryRun: asked.dry,
          approvalRequested: asked.waits,
          ...BY,
        }),
    }),
    kind({
      do: 'cancel',
      weight: 2,
      draw: { key, payout: recent, ifMatch },
      ask(book, drawn): { payout: string; ifMatch?: number } | undefined {
        const name = payoutAt(book, drawn.payout);
        if (name === undefined) return undefined;
        return { payout: name, ...ifMatchOf(drawn.ifMatch, kept(book).all.get(name)!.version) };
      },
      expect: (book, { payout, ifMatch: version }) => kept(book).cancel(payout, version),
      stateOf: (book, { payout }) => statusOf(book, payout),
      command: (real, { payout, ifMatch: version }) =>
        cancelPayout(real.memory.book.id, rowOf(real, payout), { ifMatch: version, ...BY }),
    }),
    kind({
      do: 'approve',
      weight: 7,
      draw: { key, payout: recent, ...judging },
      ask: (book, drawn) => judged(book, drawn),
      expect: (book, { payout, by, version }) => kept(book).approve(payout, by, version),
      stateOf: (book, { payout }) => statusOf(book, payout),
      command: (real, { payout, ...given }) =>
        approvePayout(real.memory.book.id, rowOf(real, payout), judge(given), ({ rail }) => ({ ...UNROUTED, rail })),
    }),
    kind({
      do: 'reject',
      weight: 1,
      draw: { key, payout: recent, ...judging },
      ask: (book, drawn) => judged(book, drawn),
      expect: (book, { payout, by, version }) => kept(book).reject(payout, by, version),
      stateOf: (book, { payout }) => statusOf(book, payout),
      command: (real, { payout, ...given }) =>
        rejectPayout(real.memory.book.id, rowOf(real, payout), { ...judge(given), reason: 'Not due' }),
    }),
    kind({
      do: 'simulate',
      weight: 2,
      draw: { key, payout: recent, word: fc.constantFrom<'paid' | 'rejected'>('paid', 'rejected') },
      ask: (book, drawn) => about(payoutAt(book, drawn.payout, { onRail: true }), { word: drawn.word }),
      expect: (book, { payout, word }) => kept(book).simulate(payout, word),
      stateOf: (book, { payout }) => statusOf(book, payout),
      command: (real, { payout, word }) => simulation(real.memory, rowOf(real, payout), word),
    }),
    kind({
      do: 'reserve',
      weight: 8,
      draw: { payout: recent },
      ask: (book, drawn) => about(payoutAt(book, drawn.payout), {}),
      expect: (book, { payout }) => kept(book).reserve(payout),
      stateOf: (book, { payout }) => statusOf(book, payout),
      command: (real, { payout }) => reservePayout(real.memory.book.id, rowOf(real, payout)),
    }),
    kind({
      do: 'unknown',
      weight: 2,
      draw: { payout: recent },
      ask: (book, drawn) => about(payoutAt(book, drawn.payout, { onRail: true }), {}),
      expect: (book, { payout }, identity) => kept(book).unknown(payout, identity),
      stateOf: (book, { payout }) => statusOf(book, payout),
      command: (real, { payout }) =>
        recordUnknown(real.memory.book.id, rowOf(real, payout), {
          call: 'submit',
          nextInquiryMs: NEXT_INQUIRY_MS,
          raw: {},
        }),
    }),
    kind({
      do: 'settle',
      weight: 7,
      draw: {
        payout: recent,
        word: fc.constantFrom<Word>('paid', 'paid', 'rejected', 'pending'),
        notice: maybe(fc.nat({ max: 20 }), { freq: 2 }),
      },
      ask: (book, { payout, word, notice }) =>
        about(payoutAt(book, payout, { onRail: true }), {
          word,
          notice: notice === null ? null : `notice ${notice}`,
        }),
      expect: (book, { payout, word, notice }, identity) => kept(book).settle(payout, word, notice ?? identity),
      stateOf: (book, { payout }) => statusOf(book, payout),
      command(real, { payout, word: status, notice }) {
        const report = { status, nextInquiryMs: NEXT_INQUIRY_MS, raw: {} };
        const call =
          notice === null
            ? ({ call: 'inquire' } as const)
            : ({ call: 'notice', noticeId: real.names.idOf(notice) } as const);
        return applyRailReport(real.memory.book.id, rowOf(real, payout), { ...call, ...report });
      },
    }),
    kind({
      do: 'return',
      weight: 3,
      draw: { payout: recent, amount: fc.oneof(money, fc.constant('half' as const)), notice: fc.nat({ max: 40 }) },
      ask(book, { payout, amount, notice }) {
        const name = payoutAt(book, payout, { onRail: true });
        if (name === undefined) return undefined;
        const { amount: whole, returned } = kept(book).all.get(name)!;
        const back = amount === 'half' ? atLeastOne(whole / 2n) : amountOf(amount, whole - returned);
        return { payout: name, amount: back, notice: `notice ${notice}` };
      },
      expect: (book, { payout, amount, notice }) => kept(book).return(payout, amount, notice),
      stateOf: (book, { payout }) => statusOf(book, payout),
      command(real, { payout, amount, notice }) {
        const row = rowOf(real, payout);
        return noticeCommand(
          real.memory.book.id,
          row,
          noticeOf(row, 'returned', real.names.idOf(notice), amount),
          COMPARED,
        );
      },
    }),
  ],
};

interface Judged {
  readonly payout: string;
  readonly by: Judge;
  readonly version: number;
}

/** Payouts that wait, and any other now and then. */
function judged(
  book: ReferenceBook,
  drawn: { payout: number; by: Judge; sees: 'now' | 'before'; any: boolean },
): Judged | undefined {
  const found = fromNewest(
    [...kept(book).all].filter(([, { status }]) => drawn.any || status === 'requires_approval'),
    drawn.payout,
  );
  if (found === undefined) return undefined;
  const [payout, { version }] = found;
  return { payout, by: drawn.by, version: drawn.sees === 'now' ? version : version - 1 };
}

function judge({ by, version }: Omit<Judged, 'payout'>) {
  return { ...BY, ...(by === 'another' && { actor: 'api_key:key_2' }), ifMatch: version };
}

function payoutAt(book: ReferenceBook, at: number, { onRail = false } = {}): string | undefined {
  const known = [...kept(book).all].filter(([, payout]) => !onRail || payout.to === null);
  return fromNewest(known, at)?.[0];
}

function about<Rest extends object>(payout: string | undefined, rest: Rest): (Rest & { payout: string }) | undefined {
  return payout === undefined ? undefined : { ...rest, payout };
}

function rowOf({ memory, names }: RealBook, name: string): Payout {
  return memory.get(payouts, names.idOf(name));
}
