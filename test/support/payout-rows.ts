/** Payouts as rows of money-scenarios.md have them: 5,124 with a fee of 26, and the journal that each end leaves. */
import type { Client, Entry, List, Payout } from '../../scripts/harness/client.ts';
import { succeeded } from '../../scripts/harness/client.ts';

export const FUNDS = 100_000;
export const AMOUNT = 5_124;
/** 50 basis points, half to even. */
export const FEE = 26;

/** The answer to a payout of the rows' amount to a destination. */
export function send(client: Client, account: string, destination: object, key?: string) {
  const body = { account, amount: AMOUNT, currency: 'JOD', destination };
  return client.post<Payout>('/v1/payouts', body, key === undefined ? {} : { idempotencyKey: key });
}

export async function sent(client: Client, account: string, destination: object): Promise<Payout> {
  return succeeded(await send(client, account, destination));
}

/** Posted, held and available of an account. */
export async function balanceOf(client: Client, account: string) {
  return (await client.read<{ balance: object }>(`/v1/accounts/${account}`)).balance;
}

export const holding = (posted: number, held = 0) => ({ posted, held, available: posted - held });

/** The steps that are booked of a payout, each with its amounts. */
export async function bookedOf(client: Client, { id }: Pick<Payout, 'id'>) {
  const { data } = await client.read<List<Entry>>(`/v1/journal/entries?resource=${id}`);
  return data.reverse().map(({ step, postings }) => [step, ...postings.map(({ amount }) => amount)]);
}

export async function eventsOf(client: Client, { id }: { id: string }) {
  return (await client.read<List<{ type: string }>>(`/v1/events?object=${id}`)).data.map(({ type }) => type).reverse();
}

export async function exceptionsAbout(client: Client, { id }: Pick<Payout, 'id'>) {
  return (await client.read<List<{ kind: string }>>(`/v1/exceptions?resource=${id}`)).data.map(({ kind }) => kind);
}

/** The journal of a payout that was paid, and of one that was given back. */
export const USUAL = [
  ['reserved', AMOUNT],
  ['paid', AMOUNT, FEE],
];
export const GIVEN_BACK = [
  ['reserved', AMOUNT],
  ['failed', AMOUNT],
];
