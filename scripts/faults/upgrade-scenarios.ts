/**
 * The last version is replaced by this code while both work, process by process, and then put back. Each reads the
 * other's rows, and no row is forgotten that only one of them would enqueue. What only this code knows is refused. In the
 * end only this code runs, the installation is contracted, and cards are paid with.
 */

import { parsePublicId } from '../../src/values/ids.ts';
import { ROOT } from '../harness/build.ts';
import {
  countCheckpoints,
  countUnderWayBefore,
  countWaiting,
  hurryDeliveries,
  makeRowsDue,
} from '../harness/database-store.ts';
import type { ProductProcess } from '../harness/processes.ts';
import { say } from '../harness/progress.ts';
import { type CardLoad, startCardLoad } from './card-load.ts';
import { expectFirstAnswerAgain, type Sent } from './certain-answer.ts';
import { judge } from './judge.ts';
import { type BuiltVersion, lastVersion, runCommand } from './last-version.ts';
import { type Load, startLoad } from './load.ts';
import { expectOtherBodyRefused, isPayout, startMixedLoad } from './mixed-load.ts';
import { expectThat, type Play, type Scenario, untilThat } from './scenario.ts';
import { environmentOfCommands, type Stage, WORKERS_OF_VERSION } from './stage.ts';

/** So slow that every key can be sent again to both versions: some thousand keys. */
const THINK_MS = 500;
/** Payouts between two replacements, so that both versions meet each other's rows. */
const PAYOUTS_BETWEEN = 4;
/** Deliveries that fail before their receiver recovers. */
const WAITING = 5;
const MAKE_DUE_EVERY_MS = 500;
const ASKED_AT_ONCE = 16;
/** Enough to look for the cause. */
const WRONG_MOST = 5;
/** A migration stops waiting for locks after five seconds; the operator tries again. */
const MIGRATE_TRIES = 5;
const START_TRIES = 3;
/** Payouts before the contract, and as many after it. */
const PAYOUTS_AROUND_CONTRACT = 40;
const PURCHASES_AFTER_CONTRACT = 20;

/** Ends a process that was replaced. */
type Retire = (one: ProductProcess) => Promise<void>;

export const upgradeScenarios: readonly Scenario[] = [
  {
    name: 'upgraded-under-load',
    about:
      'the last release is replaced by this code, process by process, and put back, while both work on one database. What only this code knows is refused; after the contract cards are paid with',
    lastVersion,
    load: { thinkMs: THINK_MS },
    async play(play) {
      const { stage, load, random, afterwards } = play;
      const { workers, apis } = stage;
      const version = await lastVersion();
      const mixed = startMixedLoad(stage.clients, { account: stage.accounts[0]!, load, random });
      await migrateUnderLoad(play);
      await load.untilMore(PAYOUTS_BETWEEN);

      const successors: ProductProcess[] = [];
      const inOrder: Retire = (one) => one.terminate();
      await replaceAll(play, 'upgraded', [
        ...apis.map((api) => () => replaceInPlace(api, ROOT, inOrder)),
        ...WORKERS_OF_VERSION.map((pools, at) => async () => {
          successors[at] = await supervised(() => stage.startSuccessor(pools, { root: ROOT }));
          await load.untilMore(PAYOUTS_BETWEEN);
          await inOrder(workers[at]!);
        }),
      ]);
      await untilCheckpoint(play);

      // A version is put back when something fails, so half of the processes are killed.
      const anyhow: Retire = (one) => (random.between(0, 1) === 0 ? one.kill() : one.terminate());
      await replaceAll(play, 'put-back', [
        ...apis.map((api) => () => replaceInPlace(api, version.root, anyhow)),
        ...WORKERS_OF_VERSION.map((_, at) => async () => {
          await supervised(() => workers[at]!.start());
          await load.untilMore(PAYOUTS_BETWEEN);
          await anyhow(successors[at]!);
        }),
      ]);

      // An API of each version answers now. This code continues with the rows that only this code keeps.
      await replaceInPlace(apis[0]!, ROOT, inOrder);
      await supervised(() => stage.startSuccessor(WORKERS_OF_VERSION.flat(), { root: ROOT }));
      await untilCheckpoint(play);
      await mixed.stop();
      for (const id of mixed.payouts()) stage.accepted.add(id);
      await expectLaterRefused(stage);
      await expectContractRefused(stage);
      afterwards(() => notAnsweredByBoth(play, [...load.sent(), ...mixed.sent()]));
      afterwards(() => foundByVerifyOf(version, stage));
      afterwards(() => wrongOnceContracted(play, [...load.sent(), ...mixed.sent()]));
    },
  },
];

/** Migrates to this code's schema under the last version's processes and their load. */
async function migrateUnderLoad({ stage: { database } }: Play): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      await runCommand(ROOT, ['migrate'], environmentOfCommands(database));
      return;
    } catch (error) {
      if (tried === MIGRATE_TRIES) throw error;
    }
  }
}

const contract = ({ database }: Stage) => runCommand(ROOT, ['migrate', '--contract'], environmentOfCommands(database));

async function expectContractRefused(stage: Stage): Promise<void> {
  const refusal = await contract(stage).then(
    () => '',
    (error: Error & { stderr?: string }) => error.stderr ?? error.message,
  );
  expectThat(refusal.includes('Not contracted'), `A contract beside the last release was answered: ${refusal}`);
}

/** Operations and members that only this code has, asked of each API that runs it. */
async function expectLaterRefused({ clients, apis, accounts }: Stage): Promise<void> {
  const { id: account, currency } = accounts[0]!;
  const payout = {
    account,
    currency,
    amount: 1_000,
    destination: { type: 'cliq', alias: 'SHOP1' },
    remittance: 'Rent',
  };
  for (const [at, client] of clients.entries()) {
    if (apis[at]!.root !== ROOT) continue;
    for (const [path, body] of [
      ['/v1/payees', {}],
      ['/v1/payouts', payout],
    ] as const) {
      const { status, text } = await client.post(path, body);
      expectThat(status === 503, `Before the contract, ${path} was answered ${status} ${text}`);
    }
  }
}

/** Each API reads the contract by itself, within seconds. */
async function untilContractIsRead({ clients }: Stage): Promise<void> {
  await untilThat('APIs that have read the contract', async () => {
    const answers = await Promise.all(clients.map((client) => client.get('/v1/cards')));
    return answers.every(({ status }) => status === 200);
  });
}

/**
 * Ends the last version and contracts the installation under the load of this code. Every key must have its first
 * answer, as before.
 */
async function wrongOnceContracted(play: Play, sent: readonly Sent[]): Promise<string[]> {
  const { stage } = play;
  const { apis, workers, clients, accounts, accepted } = stage;
  let load: Load | undefined;
  let cards: CardLoad | undefined;
  try {
    for (const one of [...apis, ...workers].filter(({ root }) => root !== ROOT))
      await replaceInPlace(one, ROOT, () => one.terminate());
    load = await startLoad(clients, { accounts, thinkMs: THINK_MS });
    await load.untilMore(PAYOUTS_AROUND_CONTRACT);
    await contract(stage);
    say(`contracted, jobs on ${stage.backend}`);
    await untilContractIsRead(stage);
    // Cards are made at their processor by a pool that nothing needed before.
    await supervised(() => stage.startSuccessor(['payments'], { root: ROOT }));
    cards = await startCardLoad([{ clients, accounts }], play.random);
    stage.reveal(cards.revealed);
    await Promise.all([load.untilMore(PAYOUTS_AROUND_CONTRACT), cards.untilMore(PURCHASES_AFTER_CONTRACT)]);
    await Promise.all([load.stop(), cards.stop()]);
    for (const id of load.payouts()) accepted.add(id);
    const wrong = [
      ...(await judge(stage, { load, payments: play.payments, cards })),
      ...(await notAnsweredByBoth(play, [...sent, ...load.sent()])),
    ];
    return wrong.map((line) => `contracted: ${line}`);
  } catch (error) {
    await Promise.all([load?.abandon(), cards?.abandon()]);
    return [`contracted: ${(error as Error).stack}`];
  }
}

async function replaceInPlace(one: ProductProcess, root: string, retire: Retire): Promise<void> {
  await retire(one);
  await supervised(() => one.start({ root }));
}

/**
 * A process that leaves as it starts is started again, as its supervisor does: on a crowded machine Postgres answers
 * too late.
 */
async function supervised<Started>(start: () => Promise<Started>): Promise<Started> {
  for (let tried = 1; ; tried++) {
    try {
      return await start();
    } catch (error) {
      if (tried === START_TRIES) throw error;
    }
  }
}

/**
 * Replaces processes in an order of the seed. One more receiver fails from the first replacement on and recovers in the
 * middle. At the end, everything that was under way has ended.
 */
async function replaceAll(play: Play, name: string, replacements: readonly (() => Promise<void>)[]): Promise<void> {
  const { stage, load, random } = play;
  const { receiver, clients, endpoints, behind } = stage;
  const path = `/${name}`;
  receiver.answer(path, () => ({ status: 500 }));
  const endpoint = await receiver.subscribe(clients[0]!, { path });
  endpoints.add(endpoint);
  const order = random.shuffled(replacements);
  const half = Math.floor(order.length / 2);
  for (const [at, replace] of order.entries()) {
    await replace();
    await load.untilMore(PAYOUTS_BETWEEN);
    if (at !== half) continue;
    const endpointId = parsePublicId('webhookEndpoint', endpoint.id)!;
    await untilThat('deliveries that failed', async () => (await countWaiting(behind, endpointId)) >= WAITING);
    receiver.answer(path, () => ({ status: 200 }));
  }
  await untilEndedSoFar(play);
  say(`${name}: ${order.length} processes replaced, ${load.sent().length} keys so far, jobs on ${stage.backend}`);
}

/** Waits until one more checkpoint is made under the load. */
async function untilCheckpoint({ stage: { behind } }: Play): Promise<void> {
  const made = await countCheckpoints(behind);
  await untilThat('a checkpoint', async () => (await countCheckpoints(behind)) > made);
}

/**
 * Waits until everything under way now has ended, while the load goes on. Due times come earlier; rows without one stay
 * without one.
 */
async function untilEndedSoFar({ stage: { behind } }: Play): Promise<void> {
  const now = new Date();
  let makeDueAt = 0;
  await untilThat('the end of all that was under way', async () => {
    if (performance.now() > makeDueAt) {
      makeDueAt = performance.now() + MAKE_DUE_EVERY_MS;
      await makeRowsDue(behind);
      await hurryDeliveries(behind);
    }
    return (await countUnderWayBefore(behind, now)) === 0n;
  });
}

/** Every key must have its first answer from either version, byte for byte, and refuse another body. */
async function notAnsweredByBoth({ stage: { clients, apis } }: Play, sent: readonly Sent[]): Promise<string[]> {
  const wrong: string[] = [];
  const left = clients.flatMap((client) => sent.map((one) => ({ client, one })));
  const asker = async () => {
    for (let next = left.pop(); next && wrong.length < WRONG_MOST; next = left.pop()) {
      const { client, one } = next;
      try {
        await expectFirstAnswerAgain([client], one);
        if (isPayout(one)) await expectOtherBodyRefused([client], one);
      } catch (error) {
        const asked = apis[clients.indexOf(client)]!.root === ROOT ? 'this code' : 'the last release';
        wrong.push(`${asked}: ${(error as Error).message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: ASKED_AT_ONCE }, asker));
  return wrong;
}

async function foundByVerifyOf({ root, version }: BuiltVersion, { database }: Stage): Promise<string[]> {
  try {
    await runCommand(root, ['verify'], environmentOfCommands(database));
    return [];
  } catch (error) {
    const { stdout, stderr, message } = error as Error & { stdout?: string; stderr?: string };
    return [`not so: \`npm run verify\` of ${version} finds nothing. ${stdout || stderr || message}`];
  }
}
