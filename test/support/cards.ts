/** Cards over the API, for tests of their group. */
import type { Answer, Client, SendOptions } from '../../scripts/harness/client.ts';
import { succeeded } from '../../scripts/harness/client.ts';
import type * as cardSchemas from '../../src/cards/card/api/card-schemas.ts';
import type * as controlsSchemas from '../../src/cards/controls/api/controls-schemas.ts';
import type * as tokenSchemas from '../../src/cards/tokens/api/card-token-schemas.ts';

type Shape<Schema extends { _zod: { output: unknown } }> = Schema['_zod']['output'];

export type Card = Shape<typeof cardSchemas.card>;
export type Controls = Shape<typeof controlsSchemas.controls>;
export type CardToken = Shape<typeof tokenSchemas.cardToken>;

export interface Details {
  readonly number: string;
  readonly cvc: string;
  readonly exp_month: number;
  readonly exp_year: number;
}

export const SHIPPING = {
  name: 'Ada Lovelace',
  address: { line1: '77 Rainbow Street', city: 'Amman', postal_code: '11118', country: 'JO' },
};

export const cardholder = (reference?: string) => ({ name: 'Ada Lovelace', ...(reference && { reference }) });

/** A virtual card, unless `body` says otherwise. */
export function requestCard(
  client: Client,
  body: { account: string; [member: string]: unknown },
  options?: SendOptions,
): Promise<Answer<Card>> {
  return client.post<Card>('/v1/cards', { type: 'virtual', cardholder: cardholder(), ...body }, options);
}

export async function makeCard(client: Client, body: { account: string; [member: string]: unknown }): Promise<Card> {
  return succeeded(await requestCard(client, body));
}

export async function act(client: Client, id: string, action: string, body?: unknown): Promise<Card> {
  return succeeded(await client.post<Card>(`/v1/cards/${id}/${action}`, body));
}
