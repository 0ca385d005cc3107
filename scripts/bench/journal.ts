/**
 * Bench `journal`: entries by POST /v1/journal/entries a second from one API process without a worker, beside a bare Express app that parses
 * the same request and answers the same JSON.
 */
import { say } from '../harness/progress.ts';
import { createApiClient, openFundedAccounts } from './api-client.ts';
import type { BenchContext, BenchResult } from './bench.ts';
import { CURRENCY, issueKey, openBook } from './book.ts';
import { startApiProcess, startHelper } from './children.ts';
import { CONNECTIONS, sendPosts } from './http-load.ts';
import { takeTurns } from './slices.ts';
import { setStage } from './stage.ts';
import { median, round } from './statistics.ts';
import { verifyLedger } from './verify.ts';

const ACCOUNTS = 100;
const SLICE_SECONDS = 3;
/** As the bench `accept`: until then the rate still grows. */
const WARM_UP_ROUNDS = 3;
const PATH = '/v1/journal/entries';

export async function benchJournal({ closing, seconds, profile }: BenchContext): Promise<BenchResult> {
  const stage = await setStage(closing, { queue: 'postgres', profile });
  const key = await issueKey(stage.pool, await openBook(stage.pool, 'Journal'));
  const api = await startApiProcess(stage);
  const client = createApiClient(api.url, key);
  const accounts = await openFundedAccounts(client, ACCOUNTS);
  const bodies = accounts.map((account, at) => entryRequest(account, accounts[(at + 1) % ACCOUNTS]!));
  const bare = startHelper(closing, 'bare-express');
  const barePort = await bare.ask<number>(await client.post(PATH, bodies[0]));
  say(`one API process, no worker, ${ACCOUNTS} accounts, ${CONNECTIONS} connections`);

  const p99s: number[] = [];
  let posted = 0;
  const turn = (name: string, url: string, count: (load: { accepted: number; p99Ms: number }) => void) => ({
    name,
    async run() {
      const load = await sendPosts({ url, path: PATH, key, bodies, seconds: SLICE_SECONDS });
      count(load);
      return { count: load.accepted, seconds: load.seconds };
    },
  });
  const turns = await takeTurns(
    [
      turn('bare', `http://127.0.0.1:${barePort}`, () => undefined),
      turn('product', api.url, ({ accepted, p99Ms }) => {
        posted += accepted;
        p99s.push(p99Ms);
      }),
    ],
    seconds,
    { warmUpRounds: WARM_UP_ROUNDS },
  );
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
      posted,
    },
  };
}

/** An entry as a platform's system sends it: from one customer to another, with a text and a reference. */
function entryRequest(debit: string, credit: string) {
  return {
    postings: [{ debit, credit, amount: 5, currency: CURRENCY }],
    description: 'Commission for March',
    external_id: 'commission-2026-03-17',
  };
}
