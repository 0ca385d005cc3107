/** Bench `paired accept`: durable answers to POST /v1/payouts a second from one API process, no worker running. */
import { createReadStream, statSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { createApiClient, openFundedAccounts, payoutRequest } from '../api-client.ts';
import { startApiProcess } from '../children.ts';
import { familyCpuSeconds } from '../cpu-time.ts';
import { sendPosts } from '../http-load.ts';
import { setStage } from '../stage.ts';
import { verifyLedger } from '../verify.ts';
import { collectionsIn } from './gc-trace.ts';
import { createKey, type Side, type SideOptions } from './side.ts';

const ACCOUNTS = 100;
const SLICE_SECONDS = 2;

export async function openAcceptSide({ closing, build, queue, gc }: SideOptions): Promise<Side> {
  const { api: options, worker } = build.nodeOptions;
  const traced = { ...build, nodeOptions: { api: [...options, '--trace-gc'], worker } };
  const stage = await setStage(closing, { queue, build });
  const key = await createKey(stage);
  const api = await startApiProcess(gc ? { ...stage, build: traced } : stage);
  const bodies = (await openFundedAccounts(createApiClient(api.url, key), ACCOUNTS)).map(payoutRequest);
  const cpuSeconds = () => ({ api: api.cpuSeconds(), postgres: familyCpuSeconds(stage.postgres.pid!) });
  return {
    versions: stage.versions,
    async run() {
      const before = cpuSeconds();
      const logBytes = statSync(api.logFile).size;
      const { accepted, seconds, p99Ms } = await sendPosts({ url: api.url, key, bodies, seconds: SLICE_SECONDS });
      const after = cpuSeconds();
      return {
        per_s: accepted / seconds,
        p99_ms: p99Ms,
        api_cpu_us: ((after.api - before.api) / accepted) * 1e6,
        postgres_cpu_us: ((after.postgres - before.postgres) / accepted) * 1e6,
        ...(gc && (await collections({ logFile: api.logFile, from: logBytes, requests: accepted }))),
      };
    },
    async check() {
      await api.stop();
      return verifyLedger(stage);
    },
  };
}

interface Slice {
  logFile: string;
  /** Where the lines of the slice begin, in bytes. */
  from: number;
  requests: number;
}

/** Garbage collection of one request. */
async function collections({ logFile, from, requests }: Slice) {
  const { ms, promotedMb } = collectionsIn(await text(createReadStream(logFile, { start: from })));
  return { gc_us: (ms * 1e3) / requests, promoted_kb: (promotedMb * 1e3) / requests };
}
