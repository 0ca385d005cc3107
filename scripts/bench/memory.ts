/**
 * Bench `memory`: the size of API and worker after a time of load, and their growth with hundreds of thousands of
 * payouts that wait without a worker.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { say } from '../harness/progress.ts';
import type { BenchContext, BenchResult } from './bench.ts';
import { type ProductProcess, startWorkerProcess } from './children.ts';
import { sendPosts } from './http-load.ts';
import { round } from './statistics.ts';
import { POOLS } from './traffic.ts';
import { verifyLedger } from './verify.ts';
import { openWorld } from './world.ts';

/** A worker has grown as far as the backlog makes it by then. */
const BACKLOG_SECONDS = 30;
const SAMPLE_MS = 250;

export async function benchMemory(context: BenchContext): Promise<BenchResult> {
  const world = await openWorld(context);
  const { api, worker, key, bodies, stage } = world;
  say(`${context.seconds} s of load`);
  const { accepted } = await sendPosts({ url: api.url, key, bodies, seconds: context.seconds });
  await world.arrived(world.sent + accepted);
  const apiMb = api.residentMb();
  const workerMb = worker.residentMb();
  await worker.stop();
  say(`API ${round(apiMb)} MB, worker ${round(workerMb)} MB; now ${context.backlog} payouts without a worker`);
  await sendPosts({ url: api.url, key, bodies, requests: context.backlog });
  const apiGrew = api.residentMb() - apiMb;
  const late = await startWorkerProcess(stage, POOLS);
  const workerGrew = (await mostMb(late)) - workerMb;
  say(`API grew by ${round(apiGrew)} MB, worker by ${round(workerGrew)} MB`);
  await late.stop();
  await api.stop();
  const checked = await verifyLedger(stage);
  return {
    versions: stage.versions,
    checked,
    fields: {
      api_mb: round(apiMb),
      worker_mb: round(workerMb),
      backlog_mb: round(Math.max(0, apiGrew, workerGrew)),
      payouts_before: accepted,
      backlog: context.backlog,
    },
  };
}

async function mostMb(worker: ProductProcess): Promise<number> {
  let most = 0;
  const until = performance.now() + BACKLOG_SECONDS * 1000;
  while (performance.now() < until) {
    most = Math.max(most, worker.residentMb());
    await delay(SAMPLE_MS);
  }
  return most;
}
