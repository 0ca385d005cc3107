/** The instrument itself: whatever is changed behind the product's back, the invariants of the fault tests say so. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client, Endpoint } from '../support/client.ts';
import { expectInvariants } from '../support/invariants.ts';
import { type Product, startProduct } from '../support/product.ts';
import { pathOf, type Receiver, startReceiver } from '../support/receiver.ts';

describe('the invariants', () => {
  let product: Product;
  let receiver: Receiver;
  let client: Client;
  let endpoint: Endpoint;
  let superuser: pg.Client;

  beforeAll(async () => {
    product = await startProduct({ backend: 'postgres' });
    receiver = await startReceiver();
    ({ client } = await product.organisation());
    endpoint = await receiver.subscribe(client);
    const account = await client.openAccount();
    for (const [alias, status] of [
      ['SHOP1', 'paid'],
      ['NOALIAS', 'failed'],
      ['RETURN', 'returned'],
    ] as const) {
      const { id } = await client.pay({ account: account.id, destination: { type: 'cliq', alias } });
      await client.payoutUntil(id, status);
      await receiver.event(pathOf(endpoint), `payout.${status}`, id);
    }
    await product.close.call({ ...product });
    superuser = new pg.Client({ connectionString: product.database.superuserUrl });
    await superuser.connect();
    // As somebody does who has every right: no trigger, no foreign key.
    await superuser.query("SET session_replication_role = 'replica'");
  });
  afterAll(async () => {
    await superuser?.end();
    await product?.close();
    await receiver?.close();
  });

  test('hold', () => expectInvariants({ database: product.database, receiver, endpoints: [endpoint] }));
});
