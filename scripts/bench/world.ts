/** All that a payout or payment passes through: receiver, API and worker, and a bare Express app to compare with. */
import type { BookId } from '../../src/ledger/book/book.ts';
import { createApiClient, openFundedAccounts } from './api-client.ts';
import { arrived } from './arrivals.ts';
import type { BenchContext } from './bench.ts';
import { issueKey, openBook } from './book.ts';
import { type ProductProcess, startApiProcess, startHelper, startWorkerProcess } from './children.ts';
import type { Received } from './receiver.ts';
import { type Stage, setStage } from './stage.ts';
import { PAYOUTS, type Traffic } from './traffic.ts';

const ACCOUNTS = 100;

export interface World {
  readonly stage: Stage;
  readonly bookId: BookId;
  readonly api: ProductProcess;
  readonly worker: ProductProcess;
  readonly key: string;
  readonly bodies: readonly unknown[];
  readonly bareUrl: string;
  /** Payouts, or payments, accepted during setup. */
  readonly sent: number;
  /** Resolves when this many webhooks have arrived in all. Throws when no more arrive. */
  arrived(count: number): Promise<void>;
  received(): Promise<Received>;
}

export async function openWorld(
  { closing, queue, profile }: BenchContext,
  { name, path, headers, event, pools, request }: Traffic = PAYOUTS,
): Promise<World> {
  const receiver = startHelper(closing, 'receiver');
  const port = await receiver.ask<number>({ ask: 'port' });
  const plain = await setStage(closing, { queue, profile });
  const stage = { ...plain, environment: { ...plain.environment, WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` } };
  const bookId = await openBook(stage.pool, name);
  const key = await issueKey(stage.pool, bookId);
  const api = await startApiProcess(stage);
  const client = createApiClient(api.url, key);
  const bodies = (await openFundedAccounts(client, ACCOUNTS)).map(request);
  const endpoint = { url: `http://127.0.0.1:${port}/webhooks`, events: [event] };
  const { secret } = await client.post<{ secret: string }>('/v1/webhooks', endpoint);
  await receiver.ask({ ask: 'trust', secret });
  const worker = await startWorkerProcess(stage, pools);
  const bare = startHelper(closing, 'bare-express');
  const barePort = await bare.ask<number>(await client.post(path, bodies[0], headers));
  await arrived(receiver, 1);
  return {
    stage,
    bookId,
    api,
    worker,
    key,
    bodies,
    bareUrl: `http://127.0.0.1:${barePort}`,
    sent: 1,
    arrived: (count) => arrived(receiver, count),
    received: () => receiver.ask<Received>({ ask: 'received' }),
  };
}
