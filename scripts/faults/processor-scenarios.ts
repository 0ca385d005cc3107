/** A worker dies around an order at the processor, or around its question about one: each card is made once, and is issued. */
import { randomUUID } from 'node:crypto';
import type { Failpoint } from '../../src/process/failpoints.ts';
import { succeeded } from '../harness/client.ts';
import { makeRowsDue } from '../harness/database-store.ts';
import { countMade, countOfProcessor } from './card-records-store.ts';
import { certainAnswer } from './certain-answer.ts';
import { untilEnded } from './kill-scenarios.ts';
import { expectThat, type Play, type Scenario, untilThat } from './scenario.ts';
import { ALL_POOLS, type Stage } from './stage.ts';

/** The other worker takes some of their jobs: the point comes at one of the first few that the victim takes. */
const CARDS = 40;
const HITS_MAX = 5;

export const processorScenarios: readonly Scenario[] = (
  ['processor.submit.before', 'processor.submit.after', 'processor.inquire.before', 'processor.inquire.after'] as const
).map((point) => ({
  name: `kill-payments-at-${point}`,
  about: `kill -9 of a worker of the payments pool at ${point}`,
  diesAt: point,
  play: (play) => killAroundTheOrder(play, point),
}));

async function killAroundTheOrder({ stage, random }: Play, point: Failpoint): Promise<void> {
  const { id: account } = await stage.clients[0]!.openAccount({ currency: 'USD', funds: 0 });
  const [victim] = stage.workers;
  await victim.kill();
  await victim.start({ failpoints: `${point}=kill@${random.between(1, HITS_MAX)}`, pools: ['payments'] });
  const before = await countOfProcessor(stage.behind);
  // An order that is answered is not asked about.
  const reference = point.startsWith('processor.inquire') ? 'TIMEOUT' : undefined;
  const cards = await Promise.all(Array.from({ length: CARDS }, () => order(stage, account, reference)));
  await untilEnded(stage, victim);
  expectThat(victim.output.includes(`failpoint ${point}: SIGKILL`), `It died elsewhere:\n${victim.output}`);
  await victim.start({ pools: ALL_POOLS });
  await untilThat('every card to be issued', async () => {
    await makeRowsDue(stage.behind);
    return Number((await countMade(stage.behind, cards)).issued) === CARDS;
  });
  const { references, known, orders } = await countMade(stage.behind, cards);
  expectThat(Number(references) === CARDS, `${references} references of ${CARDS} cards`);
  expectThat(
    Number(known) === CARDS && Number(orders) === CARDS,
    `The processor knows ${known} cards, of ${orders} orders`,
  );
  const made = (await countOfProcessor(stage.behind)) - before;
  expectThat(Number(made) === CARDS, `The processor has made ${made} cards for ${CARDS} orders`);
}

/** Nobody waits for the processor. */
async function order({ clients }: Stage, account: string, reference: string | undefined): Promise<string> {
  const cardholder = { name: 'Ada Lovelace', ...(reference && { reference }) };
  const body = { account, type: 'virtual', cardholder };
  const headers = { Prefer: 'respond-async' };
  const made = await certainAnswer<{ id: string }>(clients, { path: '/v1/cards', key: randomUUID(), body, headers });
  return succeeded(made).id;
}
