/** Books of the bench `tenants`: each with its key, its accounts and an endpoint of its own. */
import { type ApiClient, createApiClient, openFundedAccounts, payoutRequest } from '../api-client.ts';
import { issueKey, openBook } from '../book.ts';
import type { TenantsWorld } from './world.ts';

export interface Tenant {
  readonly key: string;
  /** Requests for payouts, as text: one of each account. */
  readonly bodies: readonly string[];
}

/** As many accounts in all as the bench `payouts` has, and at least one a book. */
const ACCOUNTS_IN_ALL = 100;
/** Books opened at a time. */
const AT_ONCE = 16;

export async function openTenants(world: TenantsWorld, books: number): Promise<Tenant[]> {
  const tenants: Tenant[] = [];
  const accounts = Math.ceil(ACCOUNTS_IN_ALL / books);
  while (tenants.length < books) {
    const first = tenants.length;
    const count = Math.min(AT_ONCE, books - first);
    tenants.push(...(await Promise.all(Array.from({ length: count }, () => openTenant(world, accounts)))));
  }
  return tenants;
}

async function openTenant(world: TenantsWorld, accounts: number): Promise<Tenant> {
  const { stage, api } = world;
  const path = world.nextPath();
  const key = await issueKey(stage.pool, await openBook(stage.pool, `Tenant ${path}`));
  const client = createApiClient(api.url, key);
  const bodies = (await openFundedAccounts(client, accounts)).map((account) => JSON.stringify(payoutRequest(account)));
  await subscribe(world, client, path);
  return { key, bodies };
}

async function subscribe({ receiver, receiverUrl }: TenantsWorld, client: ApiClient, path: string): Promise<void> {
  const endpoint = { url: receiverUrl + path, events: ['payout.paid'] };
  const { secret } = await client.post<{ secret: string }>('/v1/webhooks', endpoint);
  await receiver.ask({ ask: 'trust', secret, path });
}
