/** Uploads and workers' visits as commands of the product. */
import { hash } from 'node:crypto';
import type { Stored } from '../../../../src/idempotency/idempotency-key.ts';
import type { Command, Refusal } from '../../../../src/ledger/command/command.ts';
import type { BookState } from '../../../../src/ledger/command/state.ts';
import type { Table } from '../../../../src/ledger/rows/table.ts';
import type { PayoutBatch } from '../../../../src/payouts/batches/batch.ts';
import type { BatchItem, ItemContent } from '../../../../src/payouts/batches/batch-item.ts';
import { batchItems, type PayoutUpload, payoutUploads } from '../../../../src/payouts/batches/batch-item-table.ts';
import { batchContents, payoutBatches } from '../../../../src/payouts/batches/batch-table.ts';
import { createBatch } from '../../../../src/payouts/batches/create-batch.ts';
import { makePayouts } from '../../../../src/payouts/batches/make-payouts.ts';
import { batchTouches } from '../../../../src/payouts/batches/release-batch.ts';
import { UNROUTED } from '../../../../src/payouts/routing/route-payout.ts';
import { newId, type Uuid } from '../../../../src/values/ids.ts';
import { BY, type RealBook } from '../../part.ts';
import { ALIAS } from '../payouts/commands.ts';
import { type CreateBatch, type BatchItem as DrawnItem, type MakePayouts, needs } from './reference.ts';

export const contentOf = (content: number) => hash('sha256', `content ${content}`);

/** The last commit of an upload, with the items that an upload keeps in pages before it. */
export function upload(real: RealBook, asked: CreateBatch): Command<Stored | Refusal> {
  const { memory, names } = real;
  const batchId = newId();
  const first = asked.items[0]!.account;
  const items = asked.items.map(
    ({ account, amount, fee, currency }, index): BatchItem => ({
      ...{ payoutId: newId(), batchId, rowNumber: index + 1, amount, fee, currency },
      accountId: asked.named || account !== first ? names.idOf(account) : null,
      ...{ externalId: null, endToEndId: `E${batchId}${index}`, contentSealed: null },
    }),
  );
  const sha256 = contentOf(asked.content);
  const { at, submit, waits, duplicate, dry } = asked;
  const create = createBatch({
    ...{ batchId, bookId: memory.book.id, sha256, items: items.length, totals: totalsOf(asked.items) },
    payingAccounts: [...needs(asked.items)].map(([account, amount]) => ({
      ...{ accountId: names.idOf(account), amount, holdId: newId() },
      currency: asked.items.find((item) => item.account === account)!.currency,
      isDefault: !asked.named && account === first,
    })),
    places: new Map(asked.items.map(({ account }, index) => [names.idOf(account), `/items/${index}/account`])),
    ...{ rails: [...new Set(asked.items.map(railOf))], newPayees: false, configuration: null },
    ...{ isSubmitted: submit, isApprovalRequested: waits, allowsDuplicate: duplicate, dryRun: dry },
    ...(at !== null && { scheduledFor: { at } }),
    ...{ externalId: null, metadata: {}, known: memory.rows(batchContents).get(sha256), ...BY },
  });
  return withItems(create, items);
}

/** The upload's row is there, and its items are kept where the batch is. */
function withItems(create: Command<Stored | Refusal>, items: readonly BatchItem[]): Command<Stored | Refusal> {
  const { batchId } = items[0]!;
  return {
    ...create,
    decide(state, moment) {
      const outcome = create.decide(uploaded(state, batchId), moment);
      const isKept = outcome.rows.some(({ id }) => id === batchId);
      const rows = items.map((item) => ({ table: batchItems as Table<unknown>, id: item.payoutId, row: item }));
      return isKept ? { ...outcome, rows: [...outcome.rows, ...rows] } : outcome;
    },
  };
}

/** The state in which the upload has begun. Its row is written by the same commit as the batch. */
function uploaded(state: BookState, batchId: Uuid): BookState {
  const begun: PayoutUpload = { batchId, done: false, begunAt: 0 };
  return new Proxy(state, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name === 'get')
        return (table: Table<unknown>, id: string) =>
          table === payoutUploads && id === batchId ? begun : target.get(table, id);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function totalsOf(items: readonly DrawnItem[]) {
  const currencies = [...new Set(items.map(({ currency }) => currency))];
  return currencies.map((currency) => {
    const own = items.filter((item) => item.currency === currency);
    const total = (of: (item: DrawnItem) => bigint) => own.reduce((sum, item) => sum + of(item), 0n);
    return { currency, amount: total(({ amount }) => amount), fee: total(({ fee }) => fee) };
  });
}

const railOf = ({ to }: Pick<DrawnItem, 'to'>) => (to === null ? 'sandbox' : 'book');

/** What a worker makes that had read the batch when so many were made. */
export function making(
  real: RealBook,
  { made, count, to }: Omit<MakePayouts, 'batch'> & { readonly to: readonly (string | null)[] },
  row: PayoutBatch,
): Command<number> {
  const { memory, names } = real;
  const batch = { ...row, made };
  const open = [...memory.rows(batchItems).values()]
    .filter(({ batchId, rowNumber }) => batchId === row.id && rowNumber > made && rowNumber <= made + count)
    .sort((one, other) => one.rowNumber - other.rowNumber)
    .map((item, index) => ({ item, content: contentTo(to[index]!, names), card: null }));
  const batchOnly = batchTouches(batch).filter(({ table }) => !table.derived);
  const route = ({ rail }: { readonly rail: string }) => ({ ...UNROUTED, rail });
  return makePayouts(memory.book.id, batch, open, { route, batchTouches: batchOnly });
}

function contentTo(to: string | null, names: RealBook['names']): ItemContent {
  return {
    destination: to === null ? ALIAS : { type: 'account', accountId: names.idOf(to) },
    ...{ payee: null, rail: railOf({ to }), description: null, remittance: null, purposeCode: null, metadata: {} },
  };
}

export function batchRow({ memory, names }: RealBook, name: string): PayoutBatch {
  return memory.get(payoutBatches, names.idOf(name));
}
