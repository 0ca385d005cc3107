/** All that the payouts of many books pass through: API, worker and receiver. */
import { arrived } from '../arrivals.ts';
import type { BenchContext } from '../bench.ts';
import { type Helper, type ProductProcess, startApiProcess, startHelper, startWorkerProcess } from '../children.ts';
import { cpuSeconds, familyCpuSeconds } from '../cpu-time.ts';
import type { Received } from '../receiver.ts';
import { type Stage, setStage } from '../stage.ts';
import { POOLS } from '../traffic.ts';

export interface TenantsWorld {
  readonly stage: Stage;
  readonly api: ProductProcess;
  readonly worker: ProductProcess;
  readonly receiver: Helper;
  /** Without a path. */
  readonly receiverUrl: string;
  /** A path of the receiver that is not used yet. */
  nextPath(): string;
  /** Resolves when this many webhooks have arrived in all. Throws when no more arrive. */
  arrived(count: number): Promise<void>;
  /** The arrivals from this number on. */
  received(from?: number): Promise<Received>;
  /** Processor seconds that API, worker, Postgres and Redis have used. */
  cpuSeconds(): { api: number; worker: number; postgres: number; redis: number };
}

export async function openTenantsWorld({ closing, queue, profile }: BenchContext): Promise<TenantsWorld> {
  const receiver = startHelper(closing, 'receiver');
  const port = await receiver.ask<number>({ ask: 'port' });
  const plain = await setStage(closing, { queue, profile, counted: true });
  const stage = { ...plain, environment: { ...plain.environment, WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` } };
  const api = await startApiProcess(stage);
  const worker = await startWorkerProcess(stage, POOLS);
  let paths = 0;
  return {
    stage,
    api,
    worker,
    receiver,
    receiverUrl: `http://127.0.0.1:${port}`,
    nextPath: () => `/webhooks/${++paths}`,
    arrived: (count) => arrived(receiver, count),
    received: (from) => receiver.ask<Received>({ ask: 'received', from }),
    cpuSeconds: () => ({
      api: api.cpuSeconds(),
      worker: worker.cpuSeconds(),
      postgres: familyCpuSeconds(stage.postgres.pid!),
      redis: stage.redisPid === undefined ? 0 : cpuSeconds(stage.redisPid),
    }),
  };
}
