/**
 * Postgres ends, ends connections, has no free one, or refuses a row: every process continues, and everything promised
 * is kept.
 */
import type { Pool } from '../../src/db/pool.ts';
import { parsePublicId, publicId } from '../../src/values/ids.ts';
import type { Payout } from '../harness/client.ts';
import { startStandby } from '../harness/standby.ts';
import { payWhileFrozen } from './pay-while-frozen.ts';
import {
  cancelSome,
  curePayouts,
  limitConnections,
  poisonPayout,
  readPaid,
  readStuck,
  retryStuck,
  terminateIdleInTransaction,
  terminateSome,
} from './postgres-store.ts';
import { expectThat, pause, type Scenario, untilThat } from './scenario.ts';

const CANCELING_MS = 5_000;
/** Long enough for every connection to be made anew at the standby. */
const AT_STANDBY_MS = 1_500;

/** Waits until workers have brought this many more payouts to their end: jobs come out. */
export async function untilMorePaid(behind: Pool, count: number): Promise<void> {
  const before = await readPaid(behind);
  await untilThat(`${count} more payouts are paid`, async () => (await readPaid(behind)) >= before + count);
}

export const postgresScenarios: readonly Scenario[] = [
  {
    name: 'postgres-restarted',
    about: 'Postgres stopped at once (-m immediate) and started again, twice: API and workers live on',
    async play({ stage, load, random }) {
      const { postgres } = stage.server;
      for (let round = 0; round < 2; round++) {
        await load.untilMore(random.between(10, 40));
        const { port } = postgres;
        await postgres.stop('immediate');
        await pause(random.between(0, 1_000));
        await postgres.start();
        expectThat(postgres.port === port, 'Somebody took the port of Postgres');
      }
      await load.untilMore(20);
      for (const one of [...stage.apis, ...stage.workers]) expectThat(one.running, `A process ended:\n${one.output}`);
    },
  },
  {
    name: 'failed-over-and-back',
    about:
      'every connection cut, and new ones led to a hot standby for 1.5 s, then to the primary: none stays at the standby',
    async play({ stage, load }) {
      const { server, database, network } = stage;
      const standby = await startStandby(server.postgres);
      const proxies = [network.api.postgres, network.worker.postgres];
      try {
        await load.untilMore(10);
        for (const proxy of proxies) {
          proxy.leadTo(`postgres://127.0.0.1:${standby.port}`);
          proxy.cutAll();
        }
        await pause(AT_STANDBY_MS);
        for (const proxy of proxies) proxy.leadTo(database.applicationUrl);
        await untilMorePaid(stage.behind, 20);
        await load.untilMore(20);
      } finally {
        for (const proxy of proxies) proxy.leadTo(database.applicationUrl);
        await standby.remove();
      }
    },
  },
  {
    name: 'connections-terminated',
    about: 'pg_terminate_backend of half of the connections, every fifth of a second, for four seconds',
    async play({ stage, load, random }) {
      let ended = 0;
      for (let round = 0; round < 20; round++) {
        await pause(random.between(100, 300));
        ended += await terminateSome(stage.behind, 0.5);
      }
      expectThat(ended > 0, 'No connection was ended');
      await load.untilMore(20);
    },
  },
  {
    name: 'statements-canceled',
    about:
      'pg_cancel_backend of half of the connections, a hundred times a second, for five seconds, whatever they are at',
    async play({ stage, load, random }) {
      let canceled = 0;
      const until = performance.now() + CANCELING_MS;
      while (performance.now() < until) {
        canceled += await cancelSome(stage.behind, 0.5);
        await pause(random.between(1, 15));
      }
      expectThat(canceled > 0, 'No statement was canceled');
      await load.untilMore(20);
    },
  },
  {
    name: 'terminated-before-its-commit',
    about: 'pg_terminate_backend of a worker that has written its batch and stands before the commit',
    async play({ stage, load, random }) {
      const [victim] = stage.workers;
      await victim.kill();
      await victim.start({ failpoints: `ledger.commit.before=stop@${random.between(1, 20)}` });
      await victim.reached('ledger.commit.before');
      await untilThat('its connection is idle in a transaction', async () => {
        return (await terminateIdleInTransaction(stage.behind)) > 0;
      });
      victim.thaw();
      await load.untilMore(30);
      expectThat(victim.running, `The worker ended:\n${victim.output}`);
    },
  },
  {
    name: 'answer-of-the-commit-lost',
    about: 'the connection breaks between a commit and its answer, at the API and at a worker: it happened, once',
    quick: true,
    async play({ stage, load }) {
      const { api, worker } = stage.network;
      for (const { postgres } of [api, worker, api, worker])
        await postgres.cutAt('COMMIT', 'before its answer', { answer: 'COMMIT' });
      for (const { postgres } of [api, worker]) await postgres.cutAt('COMMIT', 'before it arrives');
      await load.untilMore(10);
    },
  },
  {
    name: 'connections-exhausted',
    about: 'Postgres has no connection left for the product for three seconds, and every connection was ended before',
    async play({ stage, load }) {
      await limitConnections(stage.behind, 1);
      try {
        await terminateSome(stage.behind, 1);
        await pause(3_000);
      } finally {
        await limitConnections(stage.behind, -1);
      }
      await load.untilMore(30);
    },
  },
  {
    name: 'poison-row',
    about:
      'one payout among many that the database refuses to move: it is stuck and shown, all others pass; cured, it passes too',
    async play({ stage, load, random }) {
      const [client] = stage.clients;
      const [poisoned] = stage.workers;
      // No worker moves the payout before it is poisoned.
      const asked = { client: client!, account: stage.accounts[0]!, amount: random.between(1_000, 9_000) };
      const id = await payWhileFrozen(stage, asked);
      await poisonPayout(stage.behind, parsePublicId('payout', id)!);
      for (const one of stage.workers) one.thaw();
      await untilThat('the payout is stuck', async () => (await readStuck(stage.behind)).length > 0);
      await load.untilMore(200);
      const stuck = await readStuck(stage.behind);
      expectThat(
        stuck.length === 1 && publicId('payout', stuck[0]!.id) === id,
        `Stuck are ${JSON.stringify(stuck)}, and not ${id} alone`,
      );
      const { status } = await client!.read<Payout>(`/v1/payouts/${id}`);
      expectThat(status === 'pending', `The poisoned payout is ${status}`);
      expectThat(poisoned.running, 'The worker ended');
      await curePayouts(stage.behind);
      await retryStuck(stage.behind);
    },
  },
];
