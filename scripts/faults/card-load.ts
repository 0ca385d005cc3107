/**
 * A careful processor: sends the messages of card purchases, each under a reference of its own, until each answer is certain. Every purchase
 * comes to its end, so that what its account has left is known to the minor unit.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Client, type List, NotAsPromised, succeeded, until } from '../harness/client.ts';
import type { Random } from '../harness/random.ts';
import { FAULT_PATIENCE_MS } from '../harness/until.ts';
import { CARD_PLANS, type CardPlan, type CardStep } from './card-plans.ts';
import { certainAnswer, expectFirstAnswerAgain, type Sent } from './certain-answer.ts';
import type { Payer } from './load.ts';

/** Concurrent purchases in all: they stand beside payouts, which are many more. */
const CALLERS = 2;
const THINK_MS = 100;
const FUNDS = 10_000_000;
const CURRENCY = 'USD';
const MERCHANT = { id: 'M1', name: 'Corner Shop', city: 'Reno', country: 'US', mcc: '5812' };
const REPEATED = 20;
const PAGE = 100;

/** What a card shows to whoever may read it, and to nobody else. */
export interface RevealedCard {
  readonly number: string;
  readonly cvc: string;
}

export interface CardLoad {
  /** The cards that are paid with, as they were issued. */
  readonly revealed: readonly RevealedCard[];
  /** Waits until this many more purchases have come to their end. */
  untilMore(count: number): Promise<void>;
  /** Begins no new purchase, and brings each to its end. */
  stop(): Promise<void>;
  /** Sends nothing more and waits for no answer: the product has failed. */
  abandon(): Promise<void>;
  /** Sends some of the messages again, and expects the first answers, byte for byte. */
  expectFirstAnswersAgain(): Promise<void>;
  /** Compares accounts and purchases with the answers. Returns what is wrong, a line each. */
  broken(): Promise<string[]>;
}

export const NO_CARDS: CardLoad = {
  revealed: [],
  untilMore: () => Promise.resolve(),
  stop: () => Promise.resolve(),
  abandon: () => Promise.resolve(),
  expectFirstAnswersAgain: () => Promise.resolve(),
  broken: () => Promise.resolve([]),
};

interface Transaction {
  readonly id: string;
  readonly status: string;
  readonly decision: string | null;
  readonly amounts: Readonly<Record<string, number>>;
}

/** A card on an account that nothing else moves. */
interface Cardholder {
  readonly clients: readonly Client[];
  readonly account: string;
  readonly card: string;
  readonly revealed: RevealedCard;
  readonly purchases: Set<string>;
  spent: number;
}

/** Opens an account with a card for each payer. No fault has begun. */
export async function startCardLoad(payers: readonly Payer[], random: Random): Promise<CardLoad> {
  const holders = await Promise.all(payers.map(openCard));
  const sent: (Sent<Transaction> & { readonly holder: Cardholder })[] = [];
  let asked = random.between(0, CARD_PLANS.length - 1);
  let ended = 0;
  let going = true;
  let abandoned = false;
  const isAbandoned = () => abandoned;

  async function caller(holder: Cardholder): Promise<void> {
    while (going) {
      await buy(holder, CARD_PLANS[asked++ % CARD_PLANS.length]!);
      ended += 1;
      await pause(THINK_MS);
    }
  }

  async function buy(holder: Cardholder, plan: CardPlan): Promise<void> {
    const network = `net-${randomUUID()}`;
    const references = plan.steps.map(() => randomUUID());
    let last: Transaction | undefined;
    for (const [at, step] of plan.steps.entries()) {
      last = await send(holder, step, {
        network,
        reference: references[at]!,
        reverses: references[step.reverses ?? -1],
      });
      holder.purchases.add(last.id);
    }
    holder.spent += plan.spent;
    if (last!.amounts.held !== 0)
      throw new NotAsPromised(`${last!.id} has come to its end, and something of it is held`);
  }

  async function send(
    holder: Cardholder,
    { path, body, decision }: CardStep,
    { network, reference, reverses }: { network: string; reference: string; reverses: string | undefined },
  ): Promise<Transaction> {
    const message = {
      ...{ message_reference: reference, network_reference: network, card: holder.card, merchant: MERCHANT },
      ...{ currency: CURRENCY, ...body, ...(reverses !== undefined && { reverses }) },
    };
    const request = { path: `/v1/transactions${path}`, key: reference, body: message };
    const answer = await certainAnswer<Transaction>(holder.clients, request, { first: asked, isAbandoned });
    const isExpected = answer.status === 200 && (decision === undefined || answer.body.decision === decision);
    if (!isExpected) throw new NotAsPromised(`${request.path} was answered ${answer.status} ${answer.text}`);
    sent.push({ ...request, answer, holder });
    return answer.body;
  }

  const callers = Promise.all(Array.from({ length: CALLERS }, (_, at) => caller(holders[at % holders.length]!)));
  // Reported by stop(), which every run awaits.
  let failed: unknown;
  callers.catch((error: unknown) => {
    failed = error;
  });

  return {
    revealed: holders.map(({ revealed }) => revealed),
    async untilMore(count) {
      const before = ended;
      const enough = () => {
        if (failed !== undefined) throw failed;
        return ended - before;
      };
      await until(enough, (more) => more >= count, { timeoutMs: FAULT_PATIENCE_MS });
    },
    async stop() {
      going = false;
      await callers;
    },
    async abandon() {
      going = false;
      abandoned = true;
      await callers.catch(() => undefined);
    },
    async expectFirstAnswersAgain() {
      const step = Math.max(1, Math.floor(sent.length / REPEATED));
      for (const one of sent.filter((_, at) => at % step === 0))
        await expectFirstAnswerAgain(one.holder.clients, one, { first: asked, isAbandoned });
    },
    async broken() {
      const wrong: string[] = [];
      // One after the other: the product reads a few lists at a time, and refuses more.
      for (const holder of holders) wrong.push(...(await brokenOf(holder)));
      return wrong;
    },
  };
}

async function openCard({ clients }: Payer): Promise<Cardholder> {
  const [client] = clients;
  const { id: account } = await client!.openAccount({ currency: CURRENCY, funds: FUNDS });
  const body = { account, type: 'virtual', cardholder: { name: 'Ada Lovelace' } };
  const made = await certainAnswer<{ id: string }>(clients, { path: '/v1/cards', key: randomUUID(), body });
  const { id: card } = succeeded(made);
  const revealed = await until(
    () => client!.get<RevealedCard>(`/v1/cards/${card}/details`),
    ({ status }) => status === 200,
    { timeoutMs: FAULT_PATIENCE_MS },
  );
  return { clients, account, card, revealed: revealed.body, purchases: new Set(), spent: 0 };
}

async function brokenOf({ clients, account, purchases, spent }: Cardholder): Promise<string[]> {
  const [client] = clients;
  const { balance } = await client!.read<{ balance: Readonly<Record<string, number>> }>(`/v1/accounts/${account}`);
  const wrong: string[] = [];
  const left = FUNDS - spent;
  if (balance.posted !== left || balance.held !== 0)
    wrong.push(`${account} has ${balance.posted} with ${balance.held} held: its purchases have left ${left}`);
  const there = await transactionsOf(client!, account);
  const lost = [...purchases].filter((id) => !there.has(id)).map((id) => `${id} was answered, and is not there`);
  const invented = [...there].filter((id) => !purchases.has(id)).map((id) => `${id} is there, and was never answered`);
  return [...wrong, ...lost, ...invented].slice(0, 5);
}

async function transactionsOf(client: Client, account: string): Promise<Set<string>> {
  const found = new Set<string>();
  for (let after = ''; ; ) {
    const path = `/v1/transactions?account=${account}&limit=${PAGE}${after}`;
    const { data, has_more } = await client.read<List<Transaction>>(path);
    for (const { id } of data) found.add(id);
    const last = data.at(-1);
    if (!has_more || last === undefined) return found;
    after = `&starting_after=${last.id}`;
  }
}
