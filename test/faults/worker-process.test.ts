/** Workers as separate processes beside an API: what `npm run worker` starts. */
import { type ChildProcess, spawn } from 'node:child_process';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Client } from '../../scripts/harness/client.ts';
import { programOf } from '../../scripts/harness/programs.ts';
import { describeOnOneBackend, type Product, startProduct, testEnvironment } from '../support/product.ts';

interface WorkerProcess {
  readonly url: string;
  readonly process: ChildProcess;
  /** Exit code, or the signal that ended the process. */
  readonly ended: Promise<number | string>;
}

describeOnOneBackend('a worker process', (backend) => {
  let product: Product;
  let client: Client;
  const workers: WorkerProcess[] = [];

  beforeAll(async () => {
    product = await startProduct({ backend, pools: [] });
  });
  beforeEach(async () => {
    client = (await product.organisation()).client;
  });
  afterEach(async () => {
    for (const worker of workers.splice(0)) {
      worker.process.kill('SIGKILL');
      await worker.ended;
    }
  });
  afterAll(() => product.close());

  /** Resolves once the process has started its pools. */
  async function startWorker(...given: string[]): Promise<WorkerProcess> {
    const child = spawn(process.execPath, [...programOf('workers/run.ts'), ...given], {
      env: {
        PATH: process.env.PATH,
        ...testEnvironment(product.database, product.redis, { WORKER_PORT: '0', LOG_LEVEL: 'info' }),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise<number | string>((resolve) =>
      child.once('exit', (code, signal) => resolve(code ?? signal!)),
    );
    const port = await new Promise<number>((resolve, reject) => {
      let text = '';
      child.stdout.on('data', (chunk) => {
        text += chunk;
        const started = text.split('\n').find((line) => line.includes('"worker started"'));
        if (started) resolve(JSON.parse(started).port);
      });
      void ended.then((code) => reject(new Error(`The worker ended (${code}): ${text}`)));
    });
    const worker = { url: `http://127.0.0.1:${port}`, process: child, ended };
    workers.push(worker);
    return worker;
  }

  test('moves payouts to paid, with the pools in separate processes', async () => {
    const account = await client.openAccount();
    const payout = await client.pay({ account: account.id });
    expect(payout.status).toBe('pending');
    await Promise.all([
      startWorker('--pools', 'ledger,sweeper'),
      startWorker('--pools', 'rails', '--concurrency', '5'),
    ]);
    expect((await client.payoutUntil(payout.id, 'paid')).status).toBe('paid');
  });

  test('reports that it is alive and ready, and serves its metrics', async () => {
    const { url } = await startWorker('--pools', 'sweeper');
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const metrics = await fetch(`${url}/metrics`);
    expect(metrics.headers.get('content-type')).toContain('text/plain');
    expect(await metrics.text()).toContain('countinghouse_queue_jobs{queue="ledger-0",state="waiting"} 0');
    expect((await fetch(`${url}/else`)).status).toBe(404);
    expect((await fetch(`${url}/livez`, { method: 'POST' })).status).toBe(405);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'exits with 0 on %s, even when the signal comes twice at once',
    async (signal) => {
      const worker = await startWorker();
      worker.process.kill(signal);
      worker.process.kill(signal);
      expect(await worker.ended).toBe(0);
    },
  );

  test('exits with 0 on SIGTERM under load, and another worker finishes the rest', async () => {
    const account = await client.openAccount({ funds: 100_000_000 });
    const worker = await startWorker('--pools', 'ledger,rails');
    const asked = await Promise.all(
      Array.from({ length: 300 }, (_, index) => {
        if (index === 150) worker.process.kill('SIGTERM');
        return client.pay({ account: account.id });
      }),
    );
    expect(await worker.ended).toBe(0);
    await startWorker('--pools', 'ledger,rails,sweeper');
    for (const payout of asked) await client.payoutUntil(payout.id, 'paid');
  });

  test.each`
    given                     | said
    ${['--pools', 'nothing']} | ${'There is no pool nothing.'}
    ${['--concurrency', '0']} | ${'It is a whole number from 1.'}
    ${['--lanes', '1']}       | ${'There is no partition 1: QUEUE_LANES is 1.'}
  `('is refused with $given: $said', async ({ given, said }) => {
    const child = spawn(process.execPath, [...programOf('workers/run.ts'), ...given], {
      env: { PATH: process.env.PATH, ...testEnvironment(product.database, product.redis) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let text = '';
    child.stderr.on('data', (chunk) => {
      text += chunk;
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code).toBe(1);
    expect(text).toContain(said);
  });

  test('is not ready while it stops', async () => {
    // Without jobs in hand the worker stops at once: a refused connection counts as not ready.
    const worker = await startWorker('--pools', 'sweeper');
    expect(await (await fetch(`${worker.url}/readyz`)).text()).toBe('ok\n');
    worker.process.kill('SIGTERM');
    await expect
      .poll(async () => (await fetch(`${worker.url}/readyz`).catch(() => ({ status: 0 }))).status)
      .not.toBe(200);
    expect(await worker.ended).toBe(0);
  });
});
