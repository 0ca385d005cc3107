/**
 * A client that does what a careful integrator does: sends each payout under a key of its own, and when the answer is lost
 * or says "later", sends the same again under the same key until it is certain.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { certainAnswer, expectFirstAnswerAgain, type Sent } from './certain-answer.ts';
import { type Account, type Client, type List, type Payout, until } from './client.ts';

export interface Load {
  /** Ids of all payouts that were accepted. */
  payouts(): string[];
  /** Every request so far that has its certain answer. */
  sent(): readonly Sent[];
  untilAccepted(count: number): Promise<void>;
  /** So many more than now. */
  untilMore(count: number): Promise<void>;
  /** Nothing new; resolves when each request has its certain answer. */
  stop(): Promise<void>;
  /** Nothing more, whatever the answers: the product is not what it should be. */
  giveUp(): Promise<void>;
  /** Sends some of the requests once more: the same bytes as the first time. */
  expectFirstAnswersAgain(): Promise<void>;
}

export interface LoadOptions {
  /** Opened for this load alone without them. */
  accounts?: readonly Account[];
  /** How long each caller thinks before its next payout. */
  thinkMs?: number;
}

/** Callers side by side. */
const CALLERS = 8;
const THINK_MS = 40;
/** The load follows the machine: while this many wait for somebody to move them, it only trickles. It never stops. */
const BACKLOG = 50;
const TRICKLE_MS = 400;
const LOOK_EVERY_MS = 200;
const REPEATED = 40;

/** Most pay at once; the others end by inquiry, in a refusal, or come back. */
const ALIASES = [
  'SHOP1',
  'SHOP2',
  'SHOP3',
  'SHOP4',
  'SHOP5',
  'NOALIAS',
  'TIMEOUT',
  'TIMEOUTFAIL',
  'RETURN',
  'RETURNHALF',
];

/** The accounts that a load pays from. */
export function openLoadAccounts(client: Client): Promise<Account[]> {
  return Promise.all([
    client.openAccount({ funds: 1_000_000_000 }),
    client.openAccount({ funds: 1_000_000_000, currency: 'KWD' }),
    // Runs dry: from then on it is refused, or pays with what has come back.
    client.openAccount({ funds: 300_000 }),
  ]);
}

export async function startLoad(
  clients: readonly Client[],
  { accounts: given, thinkMs = THINK_MS }: LoadOptions = {},
): Promise<Load> {
  const first = clients[0]!;
  const accounts = given ?? (await openLoadAccounts(first));
  const sent: Sent[] = [];
  let asked = 0;
  let going = true;
  let backlogged = false;
  let gaveUp = false;

  const isGivenUp = () => gaveUp;

  async function caller(): Promise<void> {
    while (going) {
      const request = { path: '/v1/payouts', key: randomUUID(), body: payoutNumber(asked++, accounts) };
      const answer = await certainAnswer(clients, request, { first: asked, isGivenUp });
      sent.push({ ...request, answer });
      await pause(backlogged ? TRICKLE_MS : thinkMs);
    }
  }

  async function watchBacklog(): Promise<void> {
    while (going) {
      const pending = await first
        .get<List<Payout>>(`/v1/payouts?status=pending&limit=${BACKLOG}`)
        .catch(() => undefined);
      backlogged = pending?.body.has_more !== false;
      await pause(LOOK_EVERY_MS);
    }
  }

  const callers = Promise.all([...Array.from({ length: CALLERS }, caller), watchBacklog()]);
  // Reported by stop(), which every test awaits.
  callers.catch(() => undefined);
  const accepted = () => sent.filter(({ answer }) => answer.status === 202);

  const load: Load = {
    sent: () => sent,
    payouts: () => accepted().map(({ answer }) => answer.body.id),
    async untilMore(count) {
      const before = accepted().length;
      await load.untilAccepted(before + count);
    },
    async untilAccepted(count) {
      await until(
        () => accepted().length,
        (now) => now >= count,
        { timeoutMs: 120_000 },
      );
    },
    async stop() {
      going = false;
      await callers;
    },
    async giveUp() {
      going = false;
      gaveUp = true;
      await callers.catch(() => undefined);
    },
    async expectFirstAnswersAgain() {
      const step = Math.max(1, Math.floor(sent.length / REPEATED));
      for (const one of sent.filter((_, at) => at % step === 0)) {
        await expectFirstAnswerAgain(clients, one, { first: asked, isGivenUp });
      }
    },
  };
  return load;
}

/** The same number is the same payout: small amounts, every account, every fate. */
function payoutNumber(number: number, accounts: readonly Account[]): Record<string, unknown> {
  const account = accounts[number % accounts.length]!;
  const [main, , small] = accounts as [Account, Account, Account];
  const within = account === main && number % 4 === 0;
  return {
    account: account.id,
    currency: account.currency,
    amount: 1_000 + (number % 997),
    destination: within
      ? { type: 'account', account: small.id }
      : { type: 'cliq', alias: ALIASES[number % ALIASES.length]! },
    description: `Payout ${number}`,
    metadata: { number: String(number) },
  };
}
