/** A book with an object of each kind, for what holds of every route. */
import {
  type Account,
  type Client,
  type Endpoint,
  type Event,
  type List,
  succeeded,
} from '../../scripts/harness/client.ts';
import type { OrganisationKeys } from '../../scripts/harness/organisation.ts';
import type { Route } from '../../src/api/route.ts';
import { type IdKind, publicId } from '../../src/ids.ts';
import { checkpointIn } from './checkpoints.ts';
import type { Product } from './product.ts';

/** The idempotency key of its payout: what a path has in the place of a text. */
export const USED_KEY = 'the-key-of-a-payout';

/** Public ids by kind. */
export type OneOfEach = Readonly<Partial<Record<IdKind, string>> & { account: string; payout: string; text: string }>;

export async function oneOfEach(product: Product, keys: OrganisationKeys): Promise<OneOfEach> {
  const client = product.client(keys.testKey);
  const account = await client.openAccount();
  const payout = await client.pay({ account: account.id, idempotencyKey: USED_KEY });
  const paid = await client.payoutUntil(payout.id, 'paid');
  const sentBack = await client.pay({ account: account.id, destination: { type: 'cliq', alias: 'RETURN' } });
  await client.payoutUntil(sentBack.id, 'returned');
  const [returned] = (await client.read<List<{ id: string }>>(`/v1/payouts/${sentBack.id}/returns`)).data;
  const endpoint = succeeded(await client.post<Endpoint>('/v1/webhooks', { url: 'http://127.0.0.1:9/none' }));
  const hold = succeeded(await client.post<{ id: string }>(`/v1/accounts/${account.id}/holds`, { amount: 1 }));
  const event = (await client.read<List<Event>>('/v1/events')).data[0]!;
  return {
    account: account.id,
    payout: payout.id,
    payoutReturn: returned!.id,
    entry: paid.journal_entries[0]!,
    checkpoint: publicId('checkpoint', (await checkpointIn(product.database, keys.testBookId)).id),
    webhookEndpoint: endpoint.id,
    event: event.id,
    exception: await anException(client, account),
    hold: hold.id,
    text: USED_KEY,
  };
}

/** Of a rail that rejects a payout and then says that it paid it. */
async function anException(by: Client, { id: account }: Account): Promise<string> {
  const sent = await by.pay({ account, destination: { type: 'cliq', alias: 'PENDING' } });
  await by.payoutUntil(sent.id, ({ next_inquiry_at }) => next_inquiry_at !== null);
  for (const action of ['fail', 'complete']) succeeded(await by.post(`/v1/simulations/payouts/${sent.id}/${action}`));
  return (await by.read<List<{ id: string }>>(`/v1/exceptions?resource=${sent.id}`)).data[0]!.id;
}

/** The route's path with ids of these objects. */
export function pathOf({ path, params = {} }: Route, ids: OneOfEach): string {
  return path.replace(/:(\w+)/g, (_, name: string) => ids[params[name]!]!);
}
