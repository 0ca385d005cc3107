/**
 * Batches, approvals and pauses: processes die around the commands that make payouts of a batch, two persons approve at once, and a
 * pause keeps payouts back while workers die. Every item is one payout, every payout is approved once, and none leaves while it is kept back.
 */
import { randomUUID } from 'node:crypto';
import { findOrganisationOfBook } from '../../src/organisations/organisation-store.ts';
import { newPerson } from '../../src/organisations/person.ts';
import { insertPeople } from '../../src/organisations/person-store.ts';
import type { Failpoint } from '../../src/process/failpoints.ts';
import { systemClock } from '../../src/values/clock.ts';
import { parsePublicId, publicId } from '../../src/values/ids.ts';
import { ROOT } from '../harness/build.ts';
import { Client, type List, type Payout, succeeded } from '../harness/client.ts';
import { makeRowsDue } from '../harness/database-store.ts';
import { issueApiKey } from '../harness/issue-api-key.ts';
import { countInstructions, readBatch } from './batch-records-store.ts';
import { certainAnswer } from './certain-answer.ts';
import { untilEnded } from './kill-scenarios.ts';
import { runCommand } from './last-version.ts';
import { expectThat, type Play, pause, type Scenario, untilThat } from './scenario.ts';
import { ALL_POOLS, environmentOfCommands, type Stage } from './stage.ts';

interface Batch {
  readonly id: string;
  readonly status: string;
  readonly version: number;
  readonly counts: Readonly<Record<string, number>>;
}

const BATCHES = '/v1/payouts/batches';
/** Two commands of payouts. */
const ITEMS = 500;
const ITEM_AMOUNT = 1_000;
const APPROVED = 8;
/** "Obeyed within 2 s", and a machine that is busy. */
const PAUSE_OBEYED_MS = 5_000;

export const batchScenarios: readonly Scenario[] = [
  killAround('payout_batch.items.read'),
  killAround('payout_batch.payouts.made'),
  {
    name: 'kill-api-at-payout_batch.page.kept',
    about: 'kill -9 of an API between the pages of an upload: no batch is there, and the same key makes one',
    diesAt: 'payout_batch.page.kept',
    play: killUpload,
  },
  {
    name: 'approvals-raced',
    about: 'two persons approve the same version at two APIs, one of which is killed: each payout is approved once',
    diesAt: 'ledger.commit.after',
    play: raceApprovals,
  },
  {
    name: 'paused-and-killed',
    about: 'an operator pauses the book, and the workers are killed: nothing is sent before the pause ends',
    play: killWhilePaused,
  },
];

function killAround(point: Failpoint): Scenario {
  return {
    name: `kill-ledger-at-${point}`,
    about: `kill -9 of a worker of the ledger pool at ${point}: each item of the batch is paid once`,
    diesAt: point,
    async play({ stage, random }) {
      const [victim, other] = stage.workers;
      await Promise.all([victim.kill(), other.kill()]);
      await victim.start({ failpoints: `${point}=kill@${random.between(1, 2)}`, pools: ALL_POOLS });
      const batch = await upload(stage, {});
      await untilEnded(stage, victim);
      expectThat(victim.output.includes(`failpoint ${point}: SIGKILL`), `It died elsewhere:\n${victim.output}`);
      await Promise.all([victim.start({ pools: ALL_POOLS }), other.start()]);
      await untilPaidOnce(stage, batch);
    },
  };
}

async function killUpload({ stage }: Play): Promise<void> {
  const [victim] = stage.apis;
  await untilPaidOnce(stage, await upload(stage, { items: 2 }));
  await victim!.kill();
  await victim!.start({ failpoints: 'payout_batch.page.kept=kill@2' });
  const key = randomUUID();
  const rows = Array.from({ length: 2 * ITEMS }, () => `${ITEM_AMOUNT},JOD,cliq,SHOP1`);
  const body = ['amount,currency,type,alias', ...rows].join('\n');
  const send = (client: Client) =>
    client.send<Batch>('POST', `${BATCHES}?account=${stage.accounts[0]!.id}`, {
      rawBody: body,
      headers: { 'content-type': 'text/csv' },
      idempotencyKey: key,
    });
  await send(stage.clients[0]!).then(
    ({ status }) => expectThat(false, `An API that dies answered ${status}`),
    () => undefined,
  );
  await victim!.ended();
  const { status } = await stage.clients[1]!.get(`/v1/idempotency_keys/${key}`);
  expectThat(status === 404, `A key without a batch is answered ${status}`);
  await victim!.start();
  await untilPaidOnce(stage, succeeded(await send(stage.clients[0]!)), 2 * ITEMS);
}

/** Resolves once the batch is accepted. */
async function upload(
  stage: Stage,
  { items = ITEMS, approval }: { items?: number; approval?: 'required' },
): Promise<Batch> {
  const item = { amount: ITEM_AMOUNT, currency: 'JOD', destination: { type: 'cliq', alias: 'SHOP1' } };
  const body = {
    account: stage.accounts[0]!.id,
    allow_duplicate: true,
    items: Array.from({ length: items }, () => item),
    ...(approval && { approval }),
  };
  return succeeded(await certainAnswer<Batch>(stage.clients, { path: BATCHES, key: randomUUID(), body }));
}

async function untilPaidOnce(stage: Stage, { id }: Batch, items?: number): Promise<void> {
  let batch: Batch | undefined;
  await untilThat(`the end of ${id}`, async () => {
    await makeRowsDue(stage.behind);
    batch = await stage.clients[1]!.read<Batch>(`${BATCHES}/${id}`);
    return batch.status !== 'processing';
  });
  const { payouts, rows, carried } = await readBatch(stage.behind, parsePublicId('payoutBatch', id)!);
  for (const payout of payouts) stage.accepted.add(publicId('payout', payout));
  const paid = items ?? payouts.length;
  const isWhole = payouts.length === paid && rows === paid && carried === paid && batch!.counts.paid === paid;
  expectThat(
    batch!.status === 'completed' && isWhole && batch!.counts.waiting === 0,
    `${payouts.length} payouts of ${rows} rows, ${carried} at the rail: ${JSON.stringify(batch)}`,
  );
}

async function raceApprovals({ stage, random }: Play): Promise<void> {
  const persons = await Promise.all(stage.apis.map((api, at) => personAt(stage, api.url, `Person ${at + 1}`)));
  try {
    const payouts: Payout[] = [];
    for (let number = 0; number < APPROVED; number++) payouts.push(await waitingPayout(stage));
    const batch = await upload(stage, { items: 20, approval: 'required' });
    const [victim] = stage.apis;
    await victim!.kill();
    await victim!.start({ failpoints: `ledger.commit.after=kill@${random.between(2, APPROVED)}` });
    const waiting = [...payouts.map(({ id, version }) => ({ path: `/v1/payouts/${id}`, version }))];
    waiting.push({ path: `${BATCHES}/${batch.id}`, version: batch.version });
    await Promise.all(waiting.flatMap((one) => persons.map((person) => approve(person, one))));
    // Whether or not the point came at an approval: the load commits at this API too.
    await untilEnded(stage, victim!);
    await victim!.start();
    await Promise.all(waiting.map((one) => approve(persons[1]!, one)));
    for (const { path } of waiting) {
      const id = path.split('/').at(-1)!;
      const { data } = await stage.clients[1]!.read<List<{ type: string }>>(`/v1/events?object=${id}&limit=100`);
      const approved = data.filter(({ type }) => type.endsWith('.approved')).length;
      expectThat(approved === 1, `${id} was approved ${approved} times`);
    }
    await untilPaidOnce(stage, batch);
  } finally {
    await Promise.all(persons.map((person) => person.close()));
  }
}

async function waitingPayout(stage: Stage): Promise<Payout> {
  const body = {
    ...{ account: stage.accounts[0]!.id, amount: ITEM_AMOUNT, currency: 'JOD', approval: 'required' },
    destination: { type: 'cliq', alias: 'SHOP1' },
  };
  const payout = succeeded(await certainAnswer(stage.clients, { path: '/v1/payouts', key: randomUUID(), body }));
  stage.accepted.add(payout.id);
  return payout;
}

async function personAt({ keys, behind }: Stage, url: string, name: string): Promise<Client> {
  const bookId = keys.testBookId;
  const person = newPerson((await findOrganisationOfBook(behind, bookId))!, name, systemClock.now());
  await insertPeople(behind, [person]);
  const of = { bookId, mode: 'test' as const, name, scopes: ['*'], personId: person.id };
  return new Client(url, (await issueApiKey(behind, systemClock, of)).token);
}

/** Until the answer is certain: approved by this person, or not theirs to approve any more. A killed API is another one's. */
async function approve(person: Client, { path, version }: { path: string; version: number }): Promise<void> {
  for (let attempt = 0; attempt < 3; attempt++) {
    const answer = await person.post(`${path}/approve`, { version }).catch(() => undefined);
    if (answer === undefined) {
      await pause(100);
      continue;
    }
    const isCertain = answer.status === 200 || [409, 412].includes(answer.status);
    expectThat(isCertain, `An approval was answered ${answer.status} ${answer.text}`);
    return;
  }
}

async function killWhilePaused({ stage, load, random }: Play): Promise<void> {
  const { behind, database, keys } = stage;
  const book = publicId('book', keys.testBookId);
  const ops = (word: 'pause' | 'resume') =>
    runCommand(ROOT, ['ops', word, 'book', book], environmentOfCommands(database));
  await ops('pause');
  try {
    await pause(PAUSE_OBEYED_MS);
    const before = await countInstructions(behind);
    const [first, other] = stage.workers;
    await Promise.all([first.kill(), other.kill()]);
    await Promise.all([first.start(), other.start()]);
    await Promise.all([load.untilMore(10), pause(random.between(500, 2_000))]);
    await makeRowsDue(behind);
    await load.untilMore(5);
    const after = await countInstructions(behind);
    expectThat(after === before, `${after - before} payouts were sent while their book was paused`);
  } finally {
    await ops('resume');
  }
}
