/**
 * Small tenants: organisations beside the stage's own, each with a book, accounts and an endpoint. Their requests of
 * one moment are committed together, in batches of several books.
 */
import type { Pool } from '../../src/db/pool.ts';
import { createPool } from '../../src/db/pool.ts';
import { createLogger } from '../../src/process/log.ts';
import { type Account, Client, type Endpoint } from '../harness/client.ts';
import { makeOrganisation, type OrganisationKeys } from '../harness/organisation.ts';
import type { Receiver } from '../harness/receiver.ts';
import type { Payer } from './load.ts';

/** Enough for batches of several books in each process, few enough to open within seconds. */
const TENANTS = 12;

export interface Tenant extends Payer {
  readonly keys: OrganisationKeys;
  /** Receives every event of the book. */
  readonly endpoint: Endpoint;
}

export interface Reached {
  readonly applicationUrl: string;
  /** The addresses of the APIs. */
  readonly urls: readonly string[];
  readonly receiver: Receiver;
}

/** Opens the tenants. The caller closes their clients. */
export async function openTenants({ applicationUrl, urls, receiver }: Reached): Promise<Tenant[]> {
  const pool = createPool({ url: applicationUrl, name: 'faults', size: 4, log: createLogger('silent', 'faults') });
  try {
    return await Promise.all(Array.from({ length: TENANTS }, () => openTenant(pool, { urls, receiver })));
  } finally {
    await pool.end();
  }
}

async function openTenant(pool: Pool, { urls, receiver }: Omit<Reached, 'applicationUrl'>): Promise<Tenant> {
  const keys = await makeOrganisation(pool);
  const clients = urls.map((url) => new Client(url, keys.testKey));
  const accounts = await openTenantAccounts(clients[0]!);
  return { keys, clients, accounts, endpoint: await receiver.subscribe(clients[0]!) };
}

function openTenantAccounts(client: Client): Promise<Account[]> {
  return Promise.all([
    client.openAccount({ funds: 1_000_000_000 }),
    // Runs dry. From then on its payouts are refused, or paid from returned money.
    client.openAccount({ funds: 100_000 }),
  ]);
}
