/** Back-tests over the API. */
import { type Answer, type Client, succeeded } from '../../scripts/harness/client.ts';
import type * as schemas from '../../src/transactions/backtest/api/backtest-schemas.ts';

export type Backtest = (typeof schemas.backtest)['_zod']['output'];

/** All that a book can have decided. */
const ALWAYS = { from: '2000-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' };

interface Tested {
  readonly controls: object;
  readonly [member: string]: unknown;
}

export function requestBacktest(client: Client, body: Tested, query = '?limit=100'): Promise<Answer<Backtest>> {
  return client.post<Backtest>(`/v1/cards/controls/backtest${query}`, { ...ALWAYS, ...body });
}

export async function backtest(client: Client, body: Tested, query?: string): Promise<Backtest> {
  return succeeded(await requestBacktest(client, body, query));
}

/** `approved 2 of 3, then 1`. */
export function totalsOf({ approved, transactions, would_approve }: Backtest): string {
  return `approved ${approved} of ${transactions}, then ${would_approve}`;
}
