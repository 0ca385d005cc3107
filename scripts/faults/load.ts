/**
 * A careful integrator: sends each payout under a key of its own. When the answer is lost or says "later", sends the
 * same request under the same key until the answer is certain.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Account, type Client, type List, type Payout, until } from '../harness/client.ts';
import { FAULT_PATIENCE_MS } from '../harness/until.ts';
import { certainAnswer, expectFirstAnswerAgain, type Sent } from './certain-answer.ts';

/** A book that payouts are made from, as its owner reaches it. */
export interface Payer {
  /** One for each API. */
  readonly clients: readonly Client[];
  readonly accounts: readonly Account[];
}

export interface Load {
  /** Ids of all payouts that were accepted. */
  payouts(): string[];
  /** Every request so far that has a certain answer. */
  sent(): readonly Sent[];
  untilAccepted(count: number): Promise<void>;
  /** Waits until this many more are accepted. */
  untilMore(count: number): Promise<void>;
  /** Waits until each of these books has this many more. */
  untilEachHasMore(payers: readonly Payer[], count: number): Promise<void>;
  /** How many of a book's payouts were accepted. */
  acceptedOf(payer: Payer): number;
  /** Sends nothing new. Resolves when each request has a certain answer. */
  stop(): Promise<void>;
  /** Sends nothing more and waits for no answer: the product has failed. */
  giveUp(): Promise<void>;
  /** Sends some of the requests again, and expects the first answers, byte for byte. */
  expectFirstAnswersAgain(): Promise<void>;
}

export interface LoadOptions {
  /** Without them, the load opens accounts of its own. */
  accounts?: readonly Account[];
  /** How long each caller waits before its next payout. */
  thinkMs?: number;
  /** Books that pay in place of the clients' own, each with callers of its own: one book's trouble stops no other. */
  payers?: readonly Payer[];
}

/** Concurrent callers of one book alone, and of each of several. */
const CALLERS = 8;
const CALLERS_EACH = 2;
const THINK_MS = 40;
/** The load adapts to the machine: while more than this many payouts are pending, it trickles. It never stops. */
const BACKLOG = 50;
const TRICKLE_MS = 400;
const LOOK_EVERY_MS = 200;
const REPEATED = 40;
/** Most aliases pay at once. The others end by inquiry, in a refusal, or with a return. */
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

/** Opens the accounts that a load pays from. */
export function openLoadAccounts(client: Client): Promise<Account[]> {
  return Promise.all([
    client.openAccount({ funds: 1_000_000_000 }),
    client.openAccount({ funds: 1_000_000_000, currency: 'KWD' }),
    // Runs dry. From then on its payouts are refused, or paid from what has come back.
    client.openAccount({ funds: 300_000 }),
  ]);
}

export async function startLoad(
  clients: readonly Client[],
  { accounts: given, thinkMs = THINK_MS, payers: several }: LoadOptions = {},
): Promise<Load> {
  const payers = several ?? [{ clients, accounts: given ?? (await openLoadAccounts(clients[0]!)) }];
  const sent: (Sent & { readonly payer: Payer })[] = [];
  let asked = 0;
  let going = true;
  let backlogged = false;
  let gaveUp = false;

  const isGivenUp = () => gaveUp;

  async function caller(payer: Payer): Promise<void> {
    while (going) {
      const request = { path: '/v1/payouts', key: randomUUID(), body: payoutNumber(asked++, payer.accounts) };
      const answer = await certainAnswer(payer.clients, request, { first: asked, isGivenUp });
      sent.push({ ...request, answer, payer });
      await pause(backlogged ? TRICKLE_MS : thinkMs);
    }
  }

  /** Looks at one book after the other: a backlog of one counts as a backlog of all. */
  async function watchBacklog(): Promise<void> {
    const limit = Math.ceil(BACKLOG / payers.length);
    for (let look = 0; going; look++) {
      const [client] = payers[look % payers.length]!.clients;
      const pending = await client!
        .get<List<Payout>>(`/v1/payouts?status=pending&limit=${limit}`)
        .catch(() => undefined);
      backlogged = pending?.body.has_more !== false;
      await pause(LOOK_EVERY_MS);
    }
  }

  const callersOf = (payer: Payer) => Array.from({ length: several ? CALLERS_EACH : CALLERS }, () => caller(payer));
  const callers = Promise.all([...payers.flatMap(callersOf), watchBacklog()]);
  // Reported by stop(), which every test awaits.
  callers.catch(() => undefined);
  const accepted = () => sent.filter(({ answer }) => answer.status === 202);

  const load: Load = {
    sent: () => sent,
    payouts: () => accepted().map(({ answer }) => answer.body.id),
    acceptedOf: (payer) => accepted().filter((one) => one.payer === payer).length,
    async untilMore(count) {
      const before = accepted().length;
      await load.untilAccepted(before + count);
    },
    async untilEachHasMore(some, count) {
      const before = some.map(load.acceptedOf);
      await until(
        () => some.map((payer, at) => load.acceptedOf(payer) - before[at]!),
        (more) => more.every((now) => now >= count),
        { timeoutMs: FAULT_PATIENCE_MS },
      );
    },
    async untilAccepted(count) {
      await until(
        () => accepted().length,
        (now) => now >= count,
        { timeoutMs: FAULT_PATIENCE_MS },
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
        await expectFirstAnswerAgain(one.payer.clients, one, { first: asked, isGivenUp });
      }
    },
  };
  return load;
}

/** The same number gives the same payout: small amounts, every account, every outcome. */
function payoutNumber(number: number, accounts: readonly Account[]): Record<string, unknown> {
  const account = accounts[number % accounts.length]!;
  const [main, small] = [accounts[0]!, accounts.at(-1)!];
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
