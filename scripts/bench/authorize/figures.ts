/** What `authorize` measures beside the rate: latency at half load, through an endpoint, on a long history, and bytes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { say } from '../../harness/progress.ts';
import { openFundedAccounts } from '../api-client.ts';
import type { Helper } from '../children.ts';
import { takeClearing, writeForcedPosts } from '../forced-posts.ts';
import { CONNECTIONS, sendPosts } from '../http-load.ts';
import { sendPaced } from '../paced-load.ts';
import { type Slice, takeTurns } from '../slices.ts';
import { percentile, round } from '../statistics.ts';
import { vacuumedBytes } from '../tenants/costs-store.ts';
import { AMOUNT, type AuthorizeWorld, openCards, PATH, unique } from './world.ts';

export interface Sent {
  /** Authorizations that were answered. */
  count: number;
  /** At most so many more were sent: the end of a slice cuts off what is under way. */
  cutOff: number;
  /** Purchases that a clearing file made. */
  forced: number;
}

/** In milliseconds, of an open loop. */
export async function latencyAt(
  { api, client, spread }: AuthorizeWorld,
  sent: Sent,
  load: { perSecond: number; seconds: number },
): Promise<{ p50: number; p99: number }> {
  const answers = await sendPaced({ url: api.url, path: PATH, key: client.key, bodies: spread, status: 200, ...load });
  sent.count += answers.length;
  const times = answers.map(({ sentAt, acceptedAt }) => acceptedAt - sentAt);
  return { p50: percentile(times, 50), p99: percentile(times, 99) };
}

/** Lines of a file for each second of the load: more than the command books beside it, so that it lasts. */
const LINES_PER_SECOND = 1_000;

/** The same beside a clearing file of the same book. `fileSeconds`: how long the command took; shorter than the load, the figure is void. */
export async function latencyBesideFile(
  world: AuthorizeWorld,
  sent: Sent,
  load: { perSecond: number; seconds: number },
): Promise<{ p50: number; p99: number; fileSeconds: number }> {
  const { stage, bookId, spread } = world;
  const lines = LINES_PER_SECOND * load.seconds;
  const folder = mkdtempSync(join(tmpdir(), 'authorize-bench-'));
  try {
    const file = join(folder, 'clearing.csv');
    // By our own ids: without a worker no processor has given one.
    await writeForcedPosts(file, { lines, bookId, cards: spread.map((body) => (body as { card: string }).card) });
    const taking = takeClearing(stage, file);
    // Awaited below, behind the load.
    taking.catch(() => undefined);
    const times = await latencyAt(world, sent, load);
    const { seconds: fileSeconds } = await taking;
    if (fileSeconds < load.seconds)
      throw new Error(`The file took ${fileSeconds} s of ${load.seconds}: it needs more lines.`);
    sent.forced += lines;
    return { ...times, fileSeconds };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The same through a decision endpoint. Undefined where the product does not ask it: a figure of what is not asked would be one of
 * nothing.
 */
export async function latencyThroughEndpoint(
  world: AuthorizeWorld,
  sent: Sent,
  { endpoint, ...load }: { endpoint: Helper; perSecond: number; seconds: number },
): Promise<{ p50: number; p99: number } | undefined> {
  const port = await endpoint.ask<number>({ ask: 'port' });
  await patchProgram(world, { url: `http://127.0.0.1:${port}/decisions`, timeout_ms: 1_000, default: 'decline' });
  await world.client.post(PATH, unique(world.spread[0]!));
  sent.count += 1;
  const isAsked = (await endpoint.ask<number>({ ask: 'asked' })) > 0;
  if (!isAsked) say('the product asks no decision endpoint: not measured');
  const times = isAsked ? await latencyAt(world, sent, load) : undefined;
  await patchProgram(world, null);
  return times;
}

async function patchProgram({ client }: AuthorizeWorld, decision: object | null): Promise<void> {
  const answer = await fetch(`${client.url}/v1/cards/program`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${client.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ decision }),
  });
  if (!answer.ok) throw new Error(`PATCH /v1/cards/program was answered with ${answer.status}: ${await answer.text()}`);
}

const SLICE_SECONDS = 3;

/** A slice of authorizations as fast as they go. */
export function authorizations(
  { api, client }: AuthorizeWorld,
  sent: Sent,
  { name, bodies, p99s }: { name: string; bodies: readonly unknown[]; p99s?: number[] },
): Slice {
  return {
    name,
    async run() {
      const load = await sendPosts({ url: api.url, path: PATH, key: client.key, bodies, seconds: SLICE_SECONDS });
      sent.count += load.accepted;
      sent.cutOff += CONNECTIONS;
      p99s?.push(load.p99Ms);
      return { count: load.accepted, seconds: load.seconds };
    },
  };
}

/**
 * What an authorization on a card with so many purchases costs, as a multiple of one on a card with few: both take turns, on an account of
 * their own. Then a back-test of all those purchases.
 */
export async function historyFigures(
  world: AuthorizeWorld,
  sent: Sent,
  { purchases, seconds }: { purchases: number; seconds: number },
): Promise<{ history_ratio: number; history: number; backtest_ms: number; backtested: number }> {
  const { client, api } = world;
  const [old, fresh] = await openCards(client, await openFundedAccounts(client, 2));
  say(`${purchases} purchases of one card`);
  const load = await sendPosts({ url: api.url, path: PATH, key: client.key, bodies: [old], requests: purchases });
  sent.count += load.accepted;
  const { card } = old as { card: string };
  // The limit of a back-test is 100,000: the slices below add more.
  const backtest = await timeBacktest(world, card);
  const turns = await takeTurns(
    [
      authorizations(world, sent, { name: 'fresh', bodies: [fresh] }),
      authorizations(world, sent, { name: 'old', bodies: [old] }),
    ],
    seconds,
  );
  return { history_ratio: round(turns.ratio('fresh', 'old'), 3), history: purchases, ...backtest };
}

/** Under a limit of a month that declines half of them. */
async function timeBacktest({ client }: AuthorizeWorld, card: string) {
  const day = 86_400_000;
  const started = performance.now();
  const { transactions } = await client.post<{ transactions: number }>('/v1/cards/controls/backtest', {
    ...{ card, controls: { limits: [{ window: 'month', amount: 50_000 * AMOUNT }], mcc: { block: ['5812'] } } },
    from: new Date(Date.now() - day).toISOString(),
    to: new Date(Date.now() + day).toISOString(),
  });
  return { backtest_ms: round(performance.now() - started), backtested: transactions };
}

const SIZED = 5_000;

/** On disk, of a purchase with its clearing. */
export async function bytesOfPurchase({ stage, client, spread }: AuthorizeWorld, sent: Sent): Promise<number> {
  say(`${SIZED} purchases, each with its clearing`);
  const before = await vacuumedBytes(stage.postgres);
  for (let from = 0; from < SIZED; from += CONNECTIONS)
    await Promise.all(
      Array.from({ length: Math.min(CONNECTIONS, SIZED - from) }, async (_, at) => {
        const body = unique(spread[(from + at) % spread.length]) as { currency: string; message_reference: string };
        const { id } = await client.post<{ id: string }>(PATH, body);
        const message_reference = `clr-${body.message_reference}`;
        await client.post(`${PATH}/${id}/clear`, { message_reference, amount: AMOUNT, currency: body.currency });
      }),
    );
  sent.count += SIZED;
  return (await vacuumedBytes(stage.postgres)) / SIZED - before / SIZED;
}
