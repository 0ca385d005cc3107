/**
 * The rail times out, answers twice or late, contradicts itself, or lies: the money moves once, and a person is
 * notified.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parsePublicId } from '../../src/values/ids.ts';
import { ROOT } from '../harness/build.ts';
import type { Payout } from '../harness/client.ts';
import { makeRowsDue } from '../harness/database-store.ts';
import { FAULT_PATIENCE_MS } from '../harness/until.ts';
import { runCommand } from './last-version.ts';
import { readMismatched, withdrawAtRail } from './rail-records-store.ts';
import type { Play, Scenario } from './scenario.ts';
import { expectThat, pause, untilThat } from './scenario.ts';
import { environmentOfCommands } from './stage.ts';

/** Makes a payout of the scenario's own, beside the load. */
async function pay({ stage, random }: Play, alias: string): Promise<Payout> {
  const payout = await stage.clients[0]!.pay({
    account: stage.accounts[0]!.id,
    amount: random.between(1_000, 9_000),
    destination: { type: 'cliq', alias },
  });
  stage.accepted.add(payout.id);
  return payout;
}

/** Makes the rail report. 409: the rail has reported this already. */
async function simulate({ stage }: Play, id: string, action: 'complete' | 'fail'): Promise<void> {
  const { status, text } = await stage.clients[1]!.post(`/v1/simulations/payouts/${id}/${action}`);
  expectThat(status < 300 || status === 409, `The simulation was answered ${status} ${text}`);
}

async function untilStatus({ stage }: Play, id: string, status: Payout['status']): Promise<void> {
  await stage.clients[0]!.payoutUntil(id, status, { timeoutMs: FAULT_PATIENCE_MS });
}

/** Aliases of payouts that the rail confirms wrongly. */
const LIES = ['WRONGAMOUNT', 'WRONGCURRENCY', 'WRONGPAYEE'] as const;
/** Answers to wait for: the first one, and those to inquiries. */
const ANSWERS = 3;
const MAKE_DUE_EVERY_MS = 500;

/** Resolves payouts by the operator's command, each with evidence. */
async function resolveEach(
  { stage: { database } }: Play,
  outcomes: ReadonlyMap<string, 'paid' | 'failed'>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'countinghouse-evidence-'));
  const evidence = join(folder, 'statement.txt');
  try {
    writeFileSync(evidence, 'A line of a statement');
    for (const [id, outcome] of outcomes) {
      const words = ['payouts', 'resolve', id, '--as', outcome, '--evidence', evidence, '--json'];
      await runCommand(ROOT, ['ops', ...words], environmentOfCommands(database));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const railScenarios: readonly Scenario[] = [
  {
    name: 'rail-times-out',
    about: 'no answer of the rail arrives for twelve seconds, and no call reaches it; then all of them do',
    async play({ stage, load }) {
      stage.network.worker.postgres.impair({ blackHole: true, only: 'countinghouse-sandbox-rail' });
      await Promise.all([load.untilMore(20), pause(12_000)]);
      stage.network.worker.postgres.heal();
      await load.untilMore(20);
    },
  },
  {
    name: 'rail-answers-lost',
    about: 'the rail has carried out what it was asked, and its answers break off, again and again',
    async play({ stage, load, random }) {
      for (let round = 0; round < 8; round++) {
        const cutAfterBytes = random.between(1, 4_000);
        stage.network.worker.postgres.impair({ cutAfterBytes, only: 'countinghouse-sandbox-rail' });
        await load.untilMore(3);
      }
      stage.network.worker.postgres.heal();
    },
  },
  {
    name: 'rail-answers-late-and-twice',
    about: 'a payout that stays open at the rail is told of at last, five times at once, and again when it is paid',
    async play(play) {
      const payouts = await Promise.all(Array.from({ length: 5 }, () => pay(play, 'PENDING')));
      await play.load.untilMore(20);
      for (const { id } of payouts) {
        await untilStatus(play, id, 'processing');
        await Promise.all(Array.from({ length: 5 }, () => simulate(play, id, 'complete')));
        await untilStatus(play, id, 'paid');
        await simulate(play, id, 'complete');
      }
    },
  },
  {
    name: 'rail-contradicts-itself',
    about:
      'the rail says failed and then paid, of payouts at once: the amount is taken again, and an exception waits for a person',
    async play(play) {
      const payouts = await Promise.all(Array.from({ length: 5 }, () => pay(play, 'NOALIAS')));
      for (const { id } of payouts) {
        await untilStatus(play, id, 'failed');
        play.stage.contradicted.add(id);
        await Promise.all([simulate(play, id, 'complete'), simulate(play, id, 'complete')]);
        await untilStatus(play, id, 'paid');
      }
    },
  },
  {
    name: 'rail-lies',
    about:
      'the rail confirms another amount, currency or payee: nothing is booked, one exception each, until a person ends it',
    async play(play) {
      const { stage, load } = play;
      const { behind, clients, contradicted } = stage;
      const payouts = await Promise.all([...LIES, ...LIES].map((alias) => pay(play, alias)));
      for (const { id } of payouts) contradicted.add(id);
      const ids = payouts.map(({ id }) => parsePublicId('payout', id)!);
      let makeDueAt = 0;
      await untilThat('inquiries about each', async () => {
        if (performance.now() > makeDueAt) {
          makeDueAt = performance.now() + MAKE_DUE_EVERY_MS;
          await makeRowsDue(behind);
        }
        return (await readMismatched(behind, ids)).every(({ answers }) => answers >= ANSWERS);
      });
      const mismatched = await readMismatched(behind, ids);
      for (const { status, outcome, exceptions, entries } of mismatched)
        expectThat(
          status === 'processing' && outcome === 'unknown' && exceptions === 1 && entries === 1,
          `Unknown, one exception and the reservation alone were expected: ${JSON.stringify(mismatched)}`,
        );
      await load.untilMore(20);
      const failing = payouts.slice(LIES.length).map(({ id }) => id);
      const outcomeOf = (id: string) => (failing.includes(id) ? 'failed' : 'paid');
      await resolveEach(play, new Map(payouts.map(({ id }) => [id, outcomeOf(id)])));
      for (const id of failing) await withdrawAtRail(behind, parsePublicId('payout', id)!);
      for (const { id } of payouts) {
        const { status } = await clients[0]!.payout(id);
        expectThat(status === outcomeOf(id), `${id} was resolved as ${outcomeOf(id)}, and is ${status}`);
      }
    },
  },
];
