/** What clears, is refunded or taken back, told over HTTP or by a clearing file of one line: what it leaves is the same. */

import { type ClearingFields, clearingCsv } from '../../scripts/harness/clearing-file.ts';
import { type Client, type Event, type List, succeeded } from '../../scripts/harness/client.ts';
import { purchaseId } from '../../src/transactions/purchase/purchase-id.ts';
import { publicId } from '../../src/values/ids.ts';
import type { ClearingFiles } from './clearing-files.ts';
import type { Product } from './product.ts';
import { MERCHANT, messagesOf, nextReference, readTransaction, type Transaction } from './purchases.ts';

/** What a message has left: its event, its entries as `C→S 700`, and its flags. */
interface Posted {
  readonly transaction: Transaction;
  readonly reference: string;
  readonly event: string;
  readonly entries: string;
  readonly flags: readonly string[];
}

export interface Clears {
  clear(of: Transaction, amount: number): Promise<Posted>;
  refund(of: Transaction, amount: number): Promise<Posted>;
  /** Takes back what the message of the reference has posted. */
  takeBack(
    of: Transaction,
    type: 'clearing_reversal' | 'refund_reversal',
    amount: number,
    reverses: string,
  ): Promise<Posted>;
  /** Of a purchase that nobody has authorized. */
  force(card: string, amount: number, merchant?: typeof MERCHANT): Promise<Posted>;
}

interface Line {
  readonly type: 'clearing' | 'clearing_reversal' | 'refund' | 'refund_reversal';
  readonly card: string;
  readonly networkReference: string;
  readonly amount: number;
  readonly merchant: { readonly id: string; readonly mcc: string };
  readonly reverses?: string;
}

/** Sends the line under the reference, and resolves once it is taken. */
type Send = (line: Line, reference: string) => Promise<unknown>;

const LETTERS: Record<string, string> = { customer: 'C', scheme_settlement: 'S', due_operator: 'D', pool: 'P' };

export function clearsOverHttp(client: Client, bookId: string): Clears {
  const paths = {
    clearing: 'clearings',
    refund: 'refunds',
    clearing_reversal: 'reversals',
    refund_reversal: 'reversals',
  };
  return clears(
    { client, bookId },
    async ({ type, networkReference, merchant, amount, card, reverses }, message_reference) => {
      const posts = reverses === undefined ? { currency: 'USD' } : { reverses };
      const body = { message_reference, network_reference: networkReference, card, amount, ...posts };
      const about = { merchant: { ...MERCHANT, ...merchant } };
      return succeeded(await client.post<Transaction>(`/v1/transactions/${paths[type]}`, { ...body, ...about }));
    },
  );
}

export function clearsByFile(
  client: Client,
  { product, bookId, files }: { product: Product; bookId: string; files: ClearingFiles },
): Clears {
  return clears(
    { client, bookId },
    async ({ type, networkReference, merchant, amount, card, reverses }, message_reference) => {
      const fields: ClearingFields = {
        ...{
          message_reference,
          network_reference: networkReference,
          program: publicId('book', bookId),
          card,
          type,
          amount,
        },
        ...{ mcc: merchant.mcc, merchant_id: merchant.id, ...(reverses !== undefined && { reverses }) },
      };
      const [part] = await files.take(product.runtime, clearingCsv([fields]));
      if (part?.intake.booked !== 1)
        throw new Error(`${message_reference} is not booked: ${JSON.stringify(part?.intake)}`);
    },
  );
}

function clears({ client, bookId }: { client: Client; bookId: string }, send: Send): Clears {
  async function post(line: Line, id: string): Promise<Posted> {
    const reference = nextReference();
    await send(line, reference);
    const { data } = await client.read<List<Event>>('/v1/events?limit=20');
    const { type, journal_entries } = data.find((event) => event.data.object.id === id)!;
    const [message] = await messagesOf(client, id);
    if (message?.message_reference !== reference) throw new Error(`${reference} is not the newest message of ${id}`);
    const postings = journal_entries.flatMap((entry) => entry.postings);
    const entries = postings.map(
      ({ debit, credit, amount }) => `${LETTERS[debit.code]}→${LETTERS[credit.code]} ${amount}`,
    );
    const transaction = await readTransaction(client, id);
    return { transaction, reference, event: type, entries: entries.join('; '), flags: message.flags };
  }
  const lineOf = ({ card, network_reference, merchant }: Transaction) => ({
    ...{ card, networkReference: network_reference, merchant: { id: merchant!.id, mcc: merchant!.mcc } },
  });
  return {
    clear: (of, amount) => post({ ...lineOf(of), type: 'clearing', amount }, of.id),
    refund: (of, amount) => post({ ...lineOf(of), type: 'refund', amount }, of.id),
    takeBack: (of, type, amount, reverses) => post({ ...lineOf(of), type, amount, reverses }, of.id),
    force(card, amount, { id, mcc } = MERCHANT) {
      const networkReference = nextReference();
      const line = { type: 'clearing', card, networkReference, amount, merchant: { id, mcc } } as const;
      return post(line, publicId('transaction', purchaseId(bookId, networkReference)));
    },
  };
}
