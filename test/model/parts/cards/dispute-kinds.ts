/** Disputes of cardholders: opened for all or a part, submitted, decided and withdrawn. */
import fc from 'fast-check';
import { disputeCommand, openDisputeCommand } from '../../../../src/transactions/dispute-actions/act-on-dispute.ts';
import { transactionDisputes } from '../../../../src/transactions/disputes/dispute-table.ts';
import {
  type Amount,
  type AnyKind,
  amountOf,
  BY,
  draws,
  fromNewest,
  ifMatchOf,
  kind,
  maybe,
  type RealBook,
} from '../../part.ts';
import type { ReferenceBook } from '../../reference-book.ts';
import { disputeIdsIn } from './commands.ts';
import { mostDisputed } from './purchase-disputes.ts';
import {
  type ActOnDispute,
  type DisputeAction,
  type OpenDispute,
  ReferenceCardDisputes,
} from './reference-card-disputes.ts';
import { ReferencePurchases } from './reference-purchases.ts';

const { key, money, recent, ifMatch } = draws;

export const disputeKinds: readonly AnyKind[] = [
  kind({
    do: 'dispute purchase',
    weight: 5,
    draw: { key, purchase: recent, amount: maybe(money, { freq: 2 }) },
    ask(book, { purchase: at, amount }): OpenDispute | undefined {
      const purchases = book.of(ReferencePurchases);
      const all = [...purchases.all.values()];
      const cleared = all.filter(({ net }) => purchases.sums(net).standing > 0n);
      const purchase = fromNewest(cleared.length > 0 ? cleared : all, at);
      if (purchase === undefined) return undefined;
      const most = mostDisputed(purchases.sums(purchase.net), purchase.disputes);
      return { net: purchase.net, amount: amount === null ? null : amountOf(amount as Amount, most) };
    },
    expect: (book, asked) => book.of(ReferenceCardDisputes).open(asked),
    readsAnew: true,
    command(real, { net, amount }) {
      const transactionId = real.names.idOf(net);
      const asked = { ...BY, transactionId, amount, reason: 'fraudulent' } as const;
      return openDisputeCommand(asked, disputeIdsIn(real, transactionId));
    },
  }),
  kind({
    do: 'act on dispute',
    weight: 6,
    draw: {
      key,
      dispute: recent,
      action: fc.constantFrom<DisputeAction>('submit', 'submit', 'submit', 'withdraw', 'win', 'lose'),
      ifMatch,
    },
    ask(book, { dispute: at, action, ifMatch: which }): ActOnDispute | undefined {
      const known = fromNewest(book.of(ReferenceCardDisputes).all, at);
      return known && { dispute: known.name, action, ...ifMatchOf(which, known.version) };
    },
    expect: (book, asked) => book.of(ReferenceCardDisputes).act(asked),
    readsAnew: true,
    stateOf: (book, { dispute }) => book.of(ReferenceCardDisputes).named(dispute).status,
    command(real, { dispute: name, action, ifMatch: version }) {
      const { memory, names } = real;
      const dispute = memory.get(transactionDisputes, names.idOf(name));
      const ids = disputeIdsIn(real, dispute.transactionId);
      return disputeCommand(action, { ...BY, bookId: memory.book.id, ifMatch: version }, { dispute, ids });
    },
  }),
];

export const compareDisputes = {
  real: ({ memory, names }: RealBook) =>
    Object.fromEntries(
      [...memory.rows(transactionDisputes).values()].map(
        ({ id, transactionId, ordinal, status, amount, credited, version }) => [
          names.nameOf(id),
          { net: names.nameOf(transactionId), ordinal, status, amount, credited, version },
        ],
      ),
    ),
  expected: (book: ReferenceBook) =>
    Object.fromEntries(
      [...book.of(ReferencePurchases).all.values()].flatMap(({ disputes }) =>
        disputes.map(({ name, net, status, amount, credited, version }, at) => [
          name,
          { net, ordinal: at + 1, status, amount, credited, version },
        ]),
      ),
    ),
};
