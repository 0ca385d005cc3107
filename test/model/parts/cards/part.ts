/** Cards and their purchases: issued, used, limited, paused and closed; messages in any order, repeated, contradicted, expired, disputed. */
import fc from 'fast-check';
import { actOnCard } from '../../../../src/cards/actions/act-on-card.ts';
import { cards } from '../../../../src/cards/card/card-table.ts';
import { cardControls, controlsInForce } from '../../../../src/cards/controls/controls-table.ts';
import { counters } from '../../../../src/cards/counters/counter-table.ts';
import { issueCard } from '../../../../src/cards/issuing/issue-card.ts';
import type { CardOperation } from '../../../../src/cards/operations/card-operation.ts';
import { cardOperations } from '../../../../src/cards/operations/card-operation-table.ts';
import { programs } from '../../../../src/cards/program/program-table.ts';
import { transactionDisputes } from '../../../../src/transactions/disputes/dispute-table.ts';
import { expirePurchases } from '../../../../src/transactions/expiry/expire-purchases.ts';
import { messagesOfPurchases } from '../../../../src/transactions/message/messages-store.ts';
import { transactions } from '../../../../src/transactions/purchase/purchase-table.ts';
import { newId } from '../../../../src/values/ids.ts';
import {
  type Amount,
  amountOf,
  BY,
  type Draw,
  draws,
  fromNewest,
  ifMatchOf,
  kind,
  maybe,
  type Part,
} from '../../part.ts';
import type { ReferenceBook } from '../../reference-book.ts';
import { accountAt } from '../accounts/drawn.ts';
import { lineOf, messageCommand, processorSays, programCommand, scopeOf } from './commands.ts';
import { compareCards, nameRows } from './compare.ts';
import { controlsKinds } from './controls-kinds.ts';
import { disputeKinds } from './dispute-kinds.ts';
import type { Merchant } from './purchase-steps.ts';
import type { Piece, Sent, Sums } from './purchase-sums.ts';
import { ReferenceCardDisputes } from './reference-card-disputes.ts';
import { type CardAction, type ChangeCard, type IssueCard, ReferenceCards, type Terms } from './reference-cards.ts';
import { ReferencePurchases, type SendMessage } from './reference-purchases.ts';

const { account, key, money, recent, seldom, ifMatch } = draws;

const MERCHANTS: readonly Merchant[] = ['grocer', 'restaurant', 'cash machine'];

/** Which purchase a message is about, and under which reference it comes. */
const about = {
  card: recent,
  purchase: recent,
  isAnew: seldom,
  isOfAnother: seldom,
  again: fc.oneof({ weight: 11, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: recent }),
};
type About = {
  readonly [Name in keyof typeof about]: (typeof about)[Name] extends fc.Arbitrary<infer Value> ? Value : never;
};

/** Sums of a purchase without messages. */
const NONE = {
  authorized: 0n,
  reversed: 0n,
  cleared: 0n,
  standing: 0n,
  refunded: 0n,
  held: 0n,
  awaited: [] as readonly string[],
};
type Known = Pick<Sums, keyof typeof NONE>;

/** A kind of message. Half of those that begin a purchase begin one; the others mostly are about one that there is. */
function message(
  name: string,
  {
    weight,
    draw,
    sent,
    begins = false,
  }: {
    weight: number;
    draw: Draw;
    begins?: boolean;
    sent(
      drawn: never,
      of: {
        readonly known: Known;
        readonly available: bigint;
        readonly references: readonly string[];
        readonly next: string;
      },
    ): Sent | undefined;
  },
) {
  return kind<Draw, SendMessage>({
    do: name,
    weight,
    draw: { ...about, ...draw, ...(begins && { isAnew: fc.boolean() }) },
    ask(book, drawn: About): SendMessage | undefined {
      const place = placeOf(book, drawn);
      if (place === undefined) return undefined;
      const { net, card, purchases } = place;
      const known = purchases.all.get(net);
      const references = known?.messages.map(({ reference }) => reference) ?? [];
      const sums = known ? purchases.sums(net) : NONE;
      const owner = book.of(ReferenceCards).card(card).account;
      const available = book.available(owner) + (book.accounts.get(owner)!.overdraft ?? 0n);
      const all = [...purchases.all.values()].flatMap(({ messages }) => messages);
      const next = `m${all.length + 1}`;
      const says = sent(drawn as never, { known: sums, available, references, next });
      if (says === undefined) return undefined;
      // What a reversal waits for may come; or what has come, comes again, or something else under its reference.
      const posts =
        says.type === 'clearing' || says.type === 'refund' || (says.type === 'authorization' && says.single);
      const awaited = posts ? sums.awaited[0] : undefined;
      const isTaken = awaited !== undefined && all.some(({ reference }) => reference === awaited);
      // An expiry by the clock has a reference that nobody can send.
      const sendable = all.filter(({ reference }) => !reference.startsWith('expiry '));
      const again = drawn.again === null ? undefined : fromNewest(sendable, drawn.again)?.reference;
      return {
        ...{ net, card, merchant: known?.merchant ?? MERCHANTS[purchases.all.size % MERCHANTS.length]! },
        reference: again ?? (isTaken ? next : (awaited ?? next)),
        sent: says,
        isForced: says.type === 'clearing' && sums.authorized === 0n,
      };
    },
    expect: (book, asked) => book.of(ReferencePurchases).send(asked),
    nameOf: ({ reference }) => reference,
    // Open purchases at a merchant are seen as of the start of the batch.
    isAlone: ({ isForced }) => isForced,
    stateOf: (book, { net }) => book.of(ReferencePurchases).stateOf(net),
    command: messageCommand,
  });
}

function placeOf(book: ReferenceBook, { card: at, purchase, isAnew, isOfAnother }: About) {
  const own = book.of(ReferenceCards);
  const purchases = book.of(ReferencePurchases);
  const known = fromNewest([...purchases.all.values()], purchase);
  const card = fromNewest([...own.all.keys()], at);
  if (card === undefined) return undefined;
  if (isAnew || known === undefined) return { net: `net-${purchases.all.size + 1}`, card, purchases };
  return { net: known.net, card: isOfAnother ? card : known.card, purchases };
}

const amount = { amount: money };
type Money = { readonly amount: Amount };

export const cardsPart: Part = {
  tables: [
    ...([cards, cardOperations, cardControls, controlsInForce, programs, counters] as const),
    ...([transactions, messagesOfPurchases, transactionDisputes] as const),
  ],
  chart: ['scheme_settlement', 'due_operator'],
  keepsOpen: (book, name) =>
    book.of(ReferenceCards).areOpen(name) ||
    book.of(ReferencePurchases).areOpen(name) ||
    book.of(ReferenceCardDisputes).areOpen(name),
  nameRows,
  compare: compareCards,
  kinds: [
    kind({
      do: 'issue card',
      weight: 4,
      draw: { key, account, singleUse: seldom },
      ask: (book, { account: at, singleUse }): IssueCard => ({ account: accountAt(book, at), singleUse }),
      expect: (book, asked) => book.of(ReferenceCards).issue(asked),
      command: ({ memory, names }, { account: name, singleUse }) =>
        issueCard({
          ...{ cardId: newId(), bookId: memory.book.id, accountId: names.idOf(name), processor: 'test' },
          type: singleUse ? 'single_use' : 'virtual',
          ...{ cardholderSealed: Buffer.from('sealed'), cardholderMasked: 'A**', cardholderReference: null },
          ...{ shippingSealed: null, controls: null, externalId: null, metadata: {}, idempotencyKey: null, ...BY },
        }),
    }),
    kind({
      do: 'processor says',
      weight: 3,
      draw: { card: recent, isRefused: seldom },
      ask(book, { card: at, isRefused }) {
        const card = fromNewest([...book.of(ReferenceCards).all.keys()], at);
        return card === undefined ? undefined : { card, isIssued: !isRefused };
      },
      expect: (book, { card, isIssued }) => book.of(ReferenceCards).answer(card, isIssued),
      command: (real, { card, isIssued }) => processorSays(real, card, isIssued),
      saidOf: (answer) => ({ status: 0, resource: (answer as CardOperation).status }),
    }),
    kind({
      do: 'change card',
      weight: 3,
      draw: {
        key,
        card: recent,
        action: fc.constantFrom<CardAction>('freeze', 'unfreeze', 'unfreeze', 'freeze', 'unfreeze', 'close'),
        ifMatch,
      },
      ask(book, { card: at, action, ifMatch: which }): ChangeCard | undefined {
        const own = book.of(ReferenceCards);
        const card = fromNewest([...own.all.keys()], at);
        return card === undefined ? undefined : { card, action, ...ifMatchOf(which, own.card(card).version) };
      },
      expect: (book, asked) => book.of(ReferenceCards).change(asked),
      command({ memory, names }, { card, action, ifMatch: version }) {
        const known = memory.get(cards, names.idOf(card));
        return actOnCard(action, lineOf(known), { cardId: known.id, ifMatch: version, ...BY });
      },
    }),
    kind({
      do: 'change program',
      weight: 1,
      draw: { key, fee: fc.boolean(), days: fc.constantFrom(1, 1, 7) },
      ask: (_, terms): Terms => ({ fee: terms.fee, days: terms.days }),
      expect: (book, terms) => book.of(ReferenceCards).changeProgram(terms),
      command: (real, terms) => programCommand(real, terms),
    }),
    message('authorize', {
      ...{ weight: 12, begins: true, draw: { ...amount, partial: seldom, single: seldom } },
      sent: ({ amount: drawn, partial, single }: Money & { partial: boolean; single: boolean }, { available }) => ({
        ...{ type: 'authorization', amount: amountOf(drawn, available), partial, single },
      }),
    }),
    message('increment card', {
      ...{ weight: 3, draw: { ...amount, partial: seldom } },
      sent: (drawn: Money & { partial: boolean }, { available }) => ({
        ...{ type: 'increment', amount: amountOf(drawn.amount, available), partial: drawn.partial },
      }),
    }),
    message('reverse', {
      ...{ weight: 3, draw: { amount: maybe(money, { freq: 3 }) } },
      sent: (drawn: { amount: Amount | null }, { known }) => ({
        ...{
          type: 'reversal',
          amount: drawn.amount === null ? null : amountOf(drawn.amount, known.authorized - known.reversed),
        },
      }),
    }),
    message('clear', {
      ...{ weight: 10, draw: { ...amount, piece: fc.constantFrom<Piece>('whole', 'whole', 'not final', 1, 2) } },
      sent: (drawn: Money & { piece: Piece }, { known }) => ({
        ...{ type: 'clearing', amount: amountOf(drawn.amount, known.held), piece: drawn.piece },
      }),
    }),
    message('refund card', {
      ...{ weight: 3, draw: amount },
      sent: (drawn: Money, { known }) => ({
        type: 'refund',
        amount: amountOf(drawn.amount, known.standing - known.refunded),
      }),
    }),
    message('take back', {
      ...{ weight: 3, draw: { amount: maybe(money, { freq: 2 }), which: recent, isAhead: seldom } },
      sent: (drawn: { amount: Amount | null; which: number; isAhead: boolean }, { references, known, next }) => ({
        type: 'taking back',
        reverses: (drawn.isAhead ? undefined : fromNewest(references, drawn.which)) ?? `${next} later`,
        amount: drawn.amount === null ? null : amountOf(drawn.amount, known.standing),
      }),
    }),
    message('stand in', {
      ...{ weight: 2, draw: { ...amount, isDeclined: seldom } },
      sent: (drawn: Money & { isDeclined: boolean }, { available }) => ({
        ...{ type: 'stand-in', isApproved: !drawn.isDeclined },
        amount: drawn.isDeclined ? 0n : amountOf(drawn.amount, available),
      }),
    }),
    message('complete', {
      ...{ weight: 2, draw: { ...amount, isNothing: seldom } },
      sent: (drawn: Money & { isNothing: boolean }, { known }) => ({
        ...{ type: 'completion', amount: drawn.isNothing ? 0n : amountOf(drawn.amount, known.held) },
      }),
    }),
    message('expire by hand', {
      ...{ weight: 1, draw: {} },
      sent: (_: object, { references }) => (references.length === 0 ? undefined : { type: 'expiry' }),
    }),
    kind({
      do: 'expire purchases',
      weight: 6,
      draw: { purchases: maybe(fc.array(recent, { minLength: 1, maxLength: 3 }), { freq: 2 }) },
      ask(book, { purchases: at }): { readonly nets: readonly string[] } | undefined {
        const purchases = book.of(ReferencePurchases);
        const all = [...purchases.all.keys()];
        const due = all.filter((net) => purchases.all.get(net)!.expiresAt !== null);
        const nets = at?.map((one) => fromNewest(all, one)).filter((net) => net !== undefined) ?? due;
        return nets.length === 0 ? undefined : { nets: [...new Set(nets)] };
      },
      expect: (book, { nets }) => book.of(ReferencePurchases).expireAll(nets),
      readsAnew: true,
      command: (real, { nets }) => expirePurchases(nets.map((net) => scopeOf(real, { net, card: cardOf(real, net) }))),
      saidOf: (answer) => ({ status: 0, resource: `${answer} expired` }),
    }),
    ...controlsKinds,
    ...disputeKinds,
  ],
};

function cardOf({ memory, names }: Parameters<typeof scopeOf>[0], net: string): string {
  return names.nameOf(memory.get(transactions, names.idOf(net)).cardId);
}
