/** An API dies around its question to a decision endpoint: nothing of the purchase is there, and it is decided once when it comes again. */
import { randomUUID } from 'node:crypto';
import type { Failpoint } from '../../src/process/failpoints.ts';
import { startApprovingEndpoint } from '../harness/approving-endpoint.ts';
import { succeeded } from '../harness/client.ts';
import { certainAnswer, expectFirstAnswerAgain } from './certain-answer.ts';
import { expectThat, type Play, type Scenario } from './scenario.ts';
import type { Tenant } from './tenants.ts';

const FUNDS = 1_000_000;
/** The point comes at one of the first of them. */
const PURCHASES = 12;

export const decisionScenarios: readonly Scenario[] = (['endpoint.ask.before', 'endpoint.ask.after'] as const).map(
  (point) => ({
    name: `kill-api-at-${point}`,
    about: `kill -9 of an API at ${point}`,
    diesAt: point,
    play: (play) => killAroundTheQuestion(play, point),
  }),
);

async function killAroundTheQuestion({ stage, random }: Play, point: Failpoint): Promise<void> {
  // Of a book of its own: the purchases of the load are decided without an endpoint.
  const [tenant] = (await stage.openTenants()) as [Tenant];
  const endpoint = await startApprovingEndpoint();
  try {
    const { account, card } = await openCard(tenant, endpoint.url);
    const [victim] = stage.apis;
    await victim!.kill();
    await victim!.start({ failpoints: `${point}=kill@${random.between(1, PURCHASES - 2)}` });
    const before = endpoint.asked.length;
    const bought: Decided[] = [];
    for (let number = 1; number <= PURCHASES; number++) bought.push(await buy(tenant, { card, amount: 100 + number }));
    await victim!.ended();
    expectThat(victim!.output.includes(`failpoint ${point}: SIGKILL`), `It died elsewhere:\n${victim!.output}`);

    const questions = endpoint.asked.slice(before);
    const repeated = questions.length - new Set(questions).size;
    expectThat(new Set(questions).size === PURCHASES, `${questions.length} questions about ${PURCHASES} purchases`);
    const expected = point === 'endpoint.ask.after' ? 1 : 0;
    expectThat(repeated === expected, `${repeated} questions were asked again under their id, and not ${expected}`);
    const spent = bought.reduce((sum, { approved_amount: approved }) => sum + approved, 0);
    await expectAvailable(tenant, account, FUNDS - spent);
    // Nothing waits for its expiry.
    for (const { id } of bought) await reverse(tenant, id);
    await expectAvailable(tenant, account, FUNDS);
    await victim!.start();
  } finally {
    await updateProgram(tenant, null);
    await endpoint.close();
  }
}

async function expectAvailable({ clients }: Tenant, account: string, expected: number): Promise<void> {
  const { balance } = await clients[1]!.read<{ balance: { available: number } }>(`/v1/accounts/${account}`);
  expectThat(balance.available === expected, `${balance.available} is available, and not ${expected}`);
}

async function reverse({ clients }: Tenant, id: string): Promise<void> {
  succeeded(await clients[1]!.post(`/v1/transactions/${id}/reverse`, { message_reference: randomUUID() }));
}

/** Asks the API that is to die first, and the other one where no answer comes. Returns the purchase once it is approved. */
async function buy({ clients }: Tenant, { card, amount }: { card: string; amount: number }): Promise<Decided> {
  const reference = randomUUID();
  const body = {
    ...{ card, amount, currency: 'USD', message_reference: reference, network_reference: `net-${reference}` },
    merchant: { id: 'M1', name: 'Corner Shop', city: 'Reno', country: 'US', mcc: '5411' },
    entry_mode: 'chip',
  };
  const request = { path: '/v1/transactions', key: reference, body };
  const answer = await certainAnswer<Decided>(clients, request);
  const { decision, decision_source: decidedBy, approved_amount: approved } = answer.body;
  expectThat(
    answer.status === 200 && decidedBy === 'endpoint',
    `A purchase was answered ${answer.status} ${answer.text}`,
  );
  expectThat(decision === 'approved' && approved === amount, `A purchase was answered ${answer.text}`);
  await expectFirstAnswerAgain(clients, { ...request, answer }, { first: 1 });
  return answer.body;
}

interface Decided {
  readonly id: string;
  readonly decision: string;
  readonly decision_source: string;
  readonly approved_amount: number;
}

async function openCard(tenant: Tenant, url: string): Promise<{ account: string; card: string }> {
  await updateProgram(tenant, { url, default: 'decline', timeout_ms: 2_000 });
  const { id: account } = await tenant.clients[1]!.openAccount({ currency: 'USD', funds: FUNDS });
  const asked = { account, type: 'virtual', cardholder: { name: 'Ada Lovelace' } };
  const made = await certainAnswer<{ id: string }>(tenant.clients, {
    path: '/v1/cards',
    key: randomUUID(),
    body: asked,
  });
  return { account, card: succeeded(made).id };
}

async function updateProgram({ clients }: Tenant, decision: object | null): Promise<void> {
  succeeded(await clients[1]!.patch('/v1/cards/program', { decision }));
}
