/**
 * Bench `accept`: durable answers to POST /v1/payouts a second from one API process without a worker, beside a bare
 * Express app that parses the same request and answers the same JSON.
 */

import { say } from '../harness/progress.ts';
import { createApiClient, openFundedAccounts, payoutRequest } from './api-client.ts';
import type { BenchContext, BenchResult } from './bench.ts';
import { issueKey, openBook } from './book.ts';
import { startApiProcess, startHelper } from './children.ts';
import { familyCpuSeconds } from './cpu-time.ts';
import { CONNECTIONS, sendPosts } from './http-load.ts';
import { takeTurns } from './slices.ts';
import { setStage } from './stage.ts';
import { median, round } from './statistics.ts';
import { verifyLedger } from './verify.ts';

const ACCOUNTS = 100;
const SLICE_SECONDS = 3;
/** V8 has compiled the path of a request after some 30,000 requests; until then the rate still grows. */
const WARM_UP_ROUNDS = 3;

export async function benchAccept({ closing, queue, seconds, profile }: BenchContext): Promise<BenchResult> {
  const stage = await setStage(closing, { queue, profile });
  const key = await issueKey(stage.pool, await openBook(stage.pool, 'Accept'));
  const api = await startApiProcess(stage);
  const client = createApiClient(api.url, key);
  const bodies = (await openFundedAccounts(client, ACCOUNTS)).map(payoutRequest);
  const bare = startHelper(closing, 'bare-express');
  const barePort = await bare.ask<number>(await client.post('/v1/payouts', bodies[0]));
  say(`one API process, no worker, ${ACCOUNTS} accounts, ${CONNECTIONS} connections`);

  const cpu = { api: 0, postgres: 0, bare: 0 };
  const p99s: number[] = [];
  let accepted = 0;
  let answered = 0;
  const turns = await takeTurns(
    [
      {
        name: 'bare',
        async run() {
          const before = bare.cpuSeconds();
          const load = await sendPosts({ url: `http://127.0.0.1:${barePort}`, key, bodies, seconds: SLICE_SECONDS });
          cpu.bare += bare.cpuSeconds() - before;
          answered += load.accepted;
          return { count: load.accepted, seconds: load.seconds };
        },
      },
      {
        name: 'product',
        async run() {
          const before = { api: api.cpuSeconds(), postgres: familyCpuSeconds(stage.postgres.pid!) };
          const load = await sendPosts({ url: api.url, key, bodies, seconds: SLICE_SECONDS });
          p99s.push(load.p99Ms);
          accepted += load.accepted;
          cpu.api += api.cpuSeconds() - before.api;
          cpu.postgres += familyCpuSeconds(stage.postgres.pid!) - before.postgres;
          return { count: load.accepted, seconds: load.seconds };
        },
      },
    ],
    seconds,
    { warmUpRounds: WARM_UP_ROUNDS },
  );
  const residentMb = api.residentMb();
  await api.stop();
  const checked = await verifyLedger(stage);
  return {
    versions: stage.versions,
    checked,
    fields: {
      per_s: round(turns.rate('product')),
      bare_per_s: round(turns.rate('bare')),
      ratio: round(turns.ratio('product', 'bare'), 3),
      p99_ms: round(median(p99s.slice(WARM_UP_ROUNDS)), 1),
      accepted,
      bare_cpu_us: round((cpu.bare / answered) * 1e6),
      api_cpu_us: round((cpu.api / accepted) * 1e6),
      postgres_cpu_us: round((cpu.postgres / accepted) * 1e6),
      api_mb: round(residentMb),
    },
  };
}
