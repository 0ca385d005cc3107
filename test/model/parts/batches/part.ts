/** Batches: uploaded, submitted, approved, rejected, canceled, released at their time, made into payouts, finished. */
import fc from 'fast-check';
import { approveBatch, cancelBatch, rejectBatch, submitBatch } from '../../../../src/payouts/batches/act-on-batch.ts';
import { batchItems, payoutUploads } from '../../../../src/payouts/batches/batch-item-table.ts';
import { batchContents, payoutBatches } from '../../../../src/payouts/batches/batch-table.ts';
import { finishBatch } from '../../../../src/payouts/batches/pay-batches.ts';
import { releaseBatches } from '../../../../src/payouts/batches/release-scheduled.ts';
import { payouts } from '../../../../src/payouts/payout/payout-table.ts';
import { BY, draws, fromNewest, ifMatchOf, kind, maybe, type Part, type RealBook } from '../../part.ts';
import type { ReferenceBook } from '../../reference-book.ts';
import { accountAt, amountFrom, currencyOf } from '../accounts/drawn.ts';
import { batchRow, contentOf, making, upload } from './commands.ts';
import {
  type BatchItem,
  type CreateBatch,
  holdOf,
  type MakePayouts,
  type Person,
  ReferenceBatches,
} from './reference.ts';

const { account, key, recent, seldom, ifMatch } = draws;

const CONTENTS = 12;

const kept = (book: ReferenceBook) => book.of(ReferenceBatches);
const statusOf = (book: ReferenceBook, batch: string) => kept(book).all.get(batch)!.status;

const item = fc.record({
  account,
  to: maybe(account, { freq: 3 }),
  amount: fc.oneof(
    { weight: 7, arbitrary: fc.integer({ min: 1, max: 150 }) },
    { weight: 1, arbitrary: fc.constantFrom('all' as const, 'one too many' as const) },
  ),
  fee: fc.constantFrom(0, 0, 3, 20),
});

const judging = {
  batch: recent,
  by: fc.constantFrom<Person>('another', 'another', 'third', 'third', 'maker'),
  sees: fc.constantFrom<'now' | 'before'>('now', 'now', 'now', 'before'),
  any: seldom,
};

export const batchesPart: Part = {
  tables: [payoutBatches, batchItems, batchContents, payoutUploads],
  keepsOpen: (book, name) => kept(book).isPaying(name),
  made({ memory, names }, name, id) {
    const batch = memory.rows(payoutBatches).get(id);
    for (const { accountId, holdId } of batch?.payingAccounts ?? [])
      names.bind(holdOf(name, names.nameOf(accountId)), holdId);
  },
  // Payouts are named in the order in which they are made, whoever makes them.
  nameRows({ memory, names }) {
    for (const [index, { id, holdId, batchId }] of [...memory.rows(payouts).values()].entries()) {
      if (batchId === null || names.nameOf(id) !== id) continue;
      const name = `payout ${index + 1}`;
      names.bind(name, id);
      names.bind(`hold of ${name}`, holdId);
    }
  },
  compare: [
    {
      real: ({ memory, names }) =>
        Object.fromEntries(
          [...memory.rows(payoutBatches).values()].map(({ id, status, version, made, last, held }) => [
            names.nameOf(id),
            { status, version, made, last, held },
          ]),
        ),
      expected: (book) =>
        Object.fromEntries(
          [...kept(book).all].map(([name, { status, version, made, last, held }]) => [
            name,
            { status, version, made, last, held },
          ]),
        ),
    },
    {
      real: ({ memory }) =>
        Object.fromEntries([...memory.rows(batchContents).values()].map(({ sha256, alive }) => [sha256, alive])),
      expected: (book) => {
        const contents = new Set([...kept(book).all.values()].map(({ content }) => content));
        return Object.fromEntries([...contents].map((content) => [contentOf(content), kept(book).alive(content)]));
      },
    },
  ],
  kinds: [
    kind({
      do: 'upload batch',
      weight: 5,
      draw: {
        key,
        items: fc.array(item, { minLength: 1, maxLength: 5 }),
        named: fc.boolean(),
        content: fc.nat({ max: CONTENTS - 1 }),
        duplicate: fc.boolean(),
        submit: maybe(fc.constant(true), { freq: 2 }),
        waits: maybe(fc.constant(true), { freq: 2 }),
        inMs: maybe(fc.integer({ min: 1, max: 3_000 }), { freq: 3 }),
        dry: seldom,
        wrong: seldom,
      },
      ask(book, { key: _, items, inMs, submit, waits, wrong, ...drawn }): CreateBatch {
        const asked = items.map((one, index) => itemOf(book, one, wrong && index === 0));
        const currencies = new Map(asked.toReversed().map((one) => [one.account, one.currency]));
        return {
          ...drawn,
          items: asked.map((one) => ({ ...one, currency: currencies.get(one.account)! })),
          submit: submit === null,
          waits: waits !== null,
          // A preview that throws has no answer to compare.
          at: inMs === null || drawn.dry ? null : book.moment + inMs,
        };
      },
      expect: (book, asked) => kept(book).create(asked),
      isDry: ({ dry }) => dry,
      readsAnew: true,
      command: upload,
    }),
    kind({
      do: 'submit batch',
      weight: 2,
      draw: { key, batch: recent, by: fc.constantFrom<Person>('maker', 'another'), ifMatch, any: seldom },
      ask(book, drawn) {
        const batch = batchAt(book, drawn.batch, drawn.any ? undefined : 'draft');
        if (batch === undefined) return undefined;
        return { batch, by: drawn.by, ...ifMatchOf(drawn.ifMatch, kept(book).all.get(batch)!.version) };
      },
      expect: (book, { batch, by, ifMatch: version }) => kept(book).submit(batch, by, version),
      stateOf: (book, { batch }) => statusOf(book, batch),
      command: (real, { batch, by, ifMatch: version }) => submitBatch(batchRow(real, batch), as(real, by, version)),
    }),
    kind({
      do: 'approve batch',
      weight: 4,
      draw: { key, ...judging },
      ask: judged,
      expect: (book, { batch, by, version }) => kept(book).approve(batch, by, version),
      stateOf: (book, { batch }) => statusOf(book, batch),
      command: (real, { batch, by, version }) => approveBatch(batchRow(real, batch), as(real, by, version)),
    }),
    kind({
      do: 'reject batch',
      weight: 1,
      draw: { key, ...judging },
      ask: judged,
      expect: (book, { batch, by, version }) => kept(book).reject(batch, by, version),
      stateOf: (book, { batch }) => statusOf(book, batch),
      command: (real, { batch, by, version }) =>
        rejectBatch(batchRow(real, batch), { ...as(real, by, version), reason: 'Not due' }),
    }),
    kind({
      do: 'cancel batch',
      weight: 1,
      draw: { key, batch: recent, ifMatch },
      ask(book, drawn) {
        const batch = batchAt(book, drawn.batch);
        if (batch === undefined) return undefined;
        return { batch, ...ifMatchOf(drawn.ifMatch, kept(book).all.get(batch)!.version) };
      },
      expect: (book, { batch, ifMatch: version }) => kept(book).cancel(batch, version),
      stateOf: (book, { batch }) => statusOf(book, batch),
      // Its answer counts payouts as of the start of its batch.
      isAlone: () => true,
      command: (real, { batch, ifMatch: version }) => cancelBatch(batchRow(real, batch), as(real, 'maker', version)),
    }),
    kind({
      do: 'release batches',
      weight: 3,
      draw: {},
      ask(book) {
        const batches = [...kept(book).all.keys()].filter((name) => statusOf(book, name) === 'scheduled');
        return batches.length === 0 ? undefined : { batches: batches.slice(0, 4) };
      },
      expect: (book, { batches }) => kept(book).releaseAll(batches),
      command: (real, { batches }) => releaseBatches(batches.map((name) => batchRow(real, name))),
      saidOf: (answer) => ({ status: 0, resource: `${answer} released` }),
    }),
    kind({
      do: 'make payouts',
      weight: 8,
      draw: { batch: recent, count: fc.integer({ min: 1, max: 5 }), any: seldom },
      ask(book, drawn): (MakePayouts & { readonly to: readonly (string | null)[] }) | undefined {
        const batch = batchAt(book, drawn.batch, drawn.any ? undefined : 'processing');
        if (batch === undefined) return undefined;
        const { made, last, items } = kept(book).all.get(batch)!;
        const count = Math.min(drawn.count, last - made);
        if (count < 1) return undefined;
        return { batch, made, count, to: items.slice(made, made + count).map(({ to }) => to) };
      },
      expect: (book, asked) => kept(book).make(asked),
      stateOf: (book, { batch }) => statusOf(book, batch),
      command: (real, { batch, ...asked }) => making(real, asked, batchRow(real, batch)),
      saidOf: (answer) => ({ status: 0, resource: `${answer} made` }),
    }),
    kind({
      do: 'finish batch',
      weight: 6,
      draw: { batch: recent, any: seldom },
      ask(book, drawn) {
        const batch = batchAt(book, drawn.batch, drawn.any ? undefined : 'processing');
        return batch === undefined ? undefined : { batch };
      },
      expect: (book, { batch }) => kept(book).finish(batch),
      stateOf: (book, { batch }) => statusOf(book, batch),
      command: (real, { batch }) => finishBatch(batchRow(real, batch)),
      saidOf: (answer) => ({ status: 0, resource: `finished: ${answer}` }),
    }),
  ],
};

interface DrawnItem {
  readonly account: number;
  readonly to: number | null;
  readonly amount: number | 'all' | 'one too many';
  readonly fee: number;
}

/** What the upload itself refuses is left out: an account that is not there, or in another currency, to be paid. */
function itemOf(book: ReferenceBook, drawn: DrawnItem, wrong: boolean): BatchItem {
  const name = accountAt(book, drawn.account);
  const currency = currencyOf(book, name, wrong);
  const fee = BigInt(drawn.fee);
  const to = drawn.to === null ? null : accountAt(book, drawn.to);
  const target = to === null ? undefined : book.accounts.get(to);
  const isPayable = target !== undefined && to !== name && target.currency === currency && target.status !== 'closed';
  return { account: name, to: isPayable ? to : null, currency, amount: amountFrom(book, name, drawn.amount, fee), fee };
}

function batchAt(book: ReferenceBook, at: number, status?: string): string | undefined {
  const known = [...kept(book).all].filter(([, batch]) => status === undefined || batch.status === status);
  return fromNewest(known, at)?.[0];
}

interface Judged {
  readonly batch: string;
  readonly by: Person;
  readonly version: number;
}

/** Batches that wait, and any other now and then. */
function judged(
  book: ReferenceBook,
  drawn: { batch: number; by: Person; sees: 'now' | 'before'; any: boolean },
): Judged | undefined {
  const batch = batchAt(book, drawn.batch, drawn.any ? undefined : 'requires_approval');
  if (batch === undefined) return undefined;
  const { version } = kept(book).all.get(batch)!;
  return { batch, by: drawn.by, version: drawn.sees === 'now' ? version : version - 1 };
}

const ACTORS: Readonly<Record<Person, string>> = {
  maker: BY.actor,
  another: 'api_key:key_2',
  third: 'api_key:key_3',
};

function as({ memory }: RealBook, by: Person, ifMatch: number | undefined) {
  return { ...BY, bookId: memory.book.id, actor: ACTORS[by], ...(ifMatch !== undefined && { ifMatch }) };
}
