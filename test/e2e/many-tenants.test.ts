/** Many small tenants at once, once jobs may be of several books: every payout is paid and every event arrives. */
import { afterAll, beforeAll, test, vi } from 'vitest';
import { pathOf, type Receiver, startReceiver } from '../../scripts/harness/receiver.ts';
import { until } from '../../scripts/harness/until.ts';
import { migrate } from '../../src/db/migrate.ts';
import { RIGHTS } from '../../src/groups.ts';
import { createLogger } from '../../src/process/log.ts';
import { type JobName, partsOf } from '../../src/queue/job.ts';
import { expectInvariants } from '../support/invariants.ts';
import { describeOnEachBackend, type Product, startProduct } from '../support/product.ts';

const TENANTS = 12;
const PAYOUTS_EACH = 3;
const MULTI_BOOK: readonly JobName[] = ['payout.reserve', 'payout.submit', 'delivery.send'];

describeOnEachBackend('a dozen tenants', (backend) => {
  let product: Product;
  let receiver: Receiver;

  beforeAll(async () => {
    product = await startProduct({ backend, environment: { QUEUE_LANES: '1' } });
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await product?.close();
    await receiver?.close();
  });

  test('share jobs of every pool, and each has its payouts and events', async () => {
    const log = createLogger('silent', 'test');
    await migrate({ rights: RIGHTS, ...product.database, log, contract: { watchMs: 0 } });
    await until(() => product.runtime.forms.multiBookJobs);
    const tenants = await Promise.all(
      Array.from({ length: TENANTS }, async () => {
        const { client } = await product.organisation();
        const account = await client.openAccount({ funds: 50_000 });
        return { client, account, endpoint: await receiver.subscribe(client, { events: ['payout.paid'] }) };
      }),
    );
    const add = vi.spyOn(product.runtime.queues, 'add');
    const shared = () =>
      new Set(
        add.mock.calls.flatMap(([, , jobs]) =>
          jobs.filter(({ data }) => partsOf(data).length > 1).map(({ name }) => name),
        ),
      );
    // What shares a job is what meets in one flush: mostly all of it in the first round.
    let rounds = 0;
    while (MULTI_BOOK.some((name) => !shared().has(name))) {
      rounds++;
      await Promise.all(
        tenants.flatMap(({ client, account }) =>
          Array.from({ length: PAYOUTS_EACH }, () => client.pay({ account: account.id, amount: 500 })),
        ),
      );
      for (const { endpoint } of tenants)
        await until(() => receiver.at(pathOf(endpoint)).length >= rounds * PAYOUTS_EACH);
    }
    const endpoints = tenants.map(({ endpoint }) => endpoint);
    await expectInvariants({ database: product.database, receiver, endpoints });
  });
});
