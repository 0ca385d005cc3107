/** Card purchases over the API, for tests of their group. */
import { type Client, type List, succeeded } from '../../scripts/harness/client.ts';
import type * as disputeSchemas from '../../src/transactions/dispute-actions/api/dispute-schemas.ts';
import type * as transactionSchemas from '../../src/transactions/purchase/api/transaction-schemas.ts';

type Shape<Schema extends { _zod: { output: unknown } }> = Schema['_zod']['output'];

export type Transaction = Shape<typeof transactionSchemas.transaction>;
export type TransactionEvent = Shape<typeof transactionSchemas.transactionEvent>;
export type TransactionDispute = Shape<typeof disputeSchemas.transactionDispute>;

export const MERCHANT = { id: 'M1', acquirer_id: 'Q1', name: 'Corner Shop', city: 'Reno', country: 'US', mcc: '5411' };

let counted = 0;

/** A reference that no other message has. */
export function nextReference(): string {
  counted += 1;
  return `message-${counted}`;
}

interface Asked {
  readonly card?: string;
  readonly amount: number;
  readonly [member: string]: unknown;
}

/** A purchase of 5411 in USD, unless `asked` says otherwise. */
export function requestPurchase(client: Client, asked: Asked) {
  const reference = nextReference();
  return client.post<Transaction>('/v1/transactions', {
    ...{ currency: 'USD', message_reference: reference, network_reference: `net-${reference}` },
    ...{ merchant: MERCHANT, entry_mode: 'chip' },
    ...asked,
  });
}

export async function purchase(client: Client, asked: Asked): Promise<Transaction> {
  return succeeded(await requestPurchase(client, asked));
}

/** A message of a purchase that is there. */
export async function tell(client: Client, id: string, action: string, body: object = {}): Promise<Transaction> {
  const message = { message_reference: nextReference(), ...body };
  return succeeded(await client.post<Transaction>(`/v1/transactions/${id}/${action}`, message));
}

export const readTransaction = (client: Client, id: string) => client.read<Transaction>(`/v1/transactions/${id}`);

export async function messagesOf(client: Client, id: string): Promise<TransactionEvent[]> {
  return (await client.read<List<TransactionEvent>>(`/v1/transactions/${id}/events?limit=100`)).data;
}

/** `approved 4000, 00`, as the scenarios write it. */
export function answerOf(transaction: Transaction): string {
  const { decision, approved_amount, decline_code, network_response_code } = transaction;
  return `${decision} ${decision === 'approved' ? approved_amount : decline_code}, ${network_response_code}`;
}

/** Moves the clock of the book, and waits until it is there. */
export async function advanceClock(client: Client, body: { by: string } | { to: string }): Promise<void> {
  succeeded(await client.post('/v1/simulations/clock/advance', body));
  for (;;) {
    const { status } = await client.read<{ status: string }>('/v1/simulations/clock');
    if (status === 'idle') return;
  }
}
