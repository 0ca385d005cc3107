/** What an authorization passes through: a program with controls, cards with controls of their own, and one API process. */
import type { Pool } from '../../../src/db/pool.ts';
import type { BookId } from '../../../src/ledger/book/book.ts';
import { say } from '../../harness/progress.ts';
import { type ApiClient, createApiClient, openFundedAccounts } from '../api-client.ts';
import type { BenchContext } from '../bench.ts';
import { CURRENCY, issueKey, openBook } from '../book.ts';
import { type ProductProcess, startApiProcess, startHelper } from '../children.ts';
import { UNIQUE } from '../http-load.ts';
import { type Stage, setStage } from '../stage.ts';

export const PATH = '/v1/transactions';
export const CARDS = 1_000;
export const AMOUNT = 4_000;
/** Out of reach, and evaluated all the same. */
const LIMIT = 9_000_000_000_000_000;
/** Requests of the setup at a time: within what a client of the API may have under way. */
const AT_ONCE = 50;

export interface AuthorizeWorld {
  readonly stage: Stage;
  readonly pool: Pool;
  readonly bookId: BookId;
  readonly api: ProductProcess;
  readonly client: ApiClient;
  /** Where the bare Express app answers the same. */
  readonly bareUrl: string;
  readonly bareCpuSeconds: () => number;
  /** Requests with each of CARDS cards, on an account each. */
  readonly spread: readonly unknown[];
  /** The same with cards of one account. */
  readonly onOneAccount: readonly unknown[];
}

/** `environment`: of the product's processes, beside the usual one. */
export async function openAuthorizeWorld(
  { closing, queue, profile }: BenchContext,
  environment: NodeJS.ProcessEnv,
): Promise<AuthorizeWorld> {
  const plain = await setStage(closing, { queue, profile });
  const stage = { ...plain, environment: { ...plain.environment, ...environment } };
  const bookId = await openBook(stage.pool, 'Authorize');
  const key = await issueKey(stage.pool, bookId);
  const api = await startApiProcess(stage);
  const client = createApiClient(api.url, key);
  // Five rules, over card and program: amount, month and country of the program, day and category of each card.
  await client.post('/v1/cards/controls', {
    ...{ program: true, status: 'active', countries: { allow: ['JO', 'US'] } },
    limits: [
      { window: 'authorization', amount: LIMIT },
      { window: 'month', amount: LIMIT },
    ],
  });
  say(`${2 * CARDS} cards with controls`);
  const accounts = await inTurns(CARDS / AT_ONCE, () => openFundedAccounts(client, AT_ONCE));
  const spread = await openCards(client, accounts);
  const [one] = await openFundedAccounts(client, 1);
  const onOneAccount = await openCards(
    client,
    Array.from({ length: CARDS }, () => one!),
  );
  const bare = startHelper(closing, 'bare-express');
  const answer = await client.post(PATH, unique(spread[0]!));
  const barePort = await bare.ask<number>(answer);
  return {
    ...{ stage, pool: stage.pool, bookId, api, client, bareUrl: `http://127.0.0.1:${barePort}` },
    ...{ bareCpuSeconds: () => bare.cpuSeconds(), spread, onOneAccount },
  };
}

/** An authorization with each card. */
export async function openCards(client: ApiClient, accounts: readonly string[]): Promise<unknown[]> {
  const bodies: unknown[] = [];
  for (let from = 0; from < accounts.length; from += AT_ONCE)
    bodies.push(
      ...(await Promise.all(accounts.slice(from, from + AT_ONCE).map((account) => openCard(client, account)))),
    );
  return bodies;
}

async function openCard(client: ApiClient, account: string): Promise<unknown> {
  const { id } = await client.post<{ id: string }>(
    '/v1/cards',
    {
      ...{ account, type: 'virtual', cardholder: { name: 'Ada Lovelace' } },
      controls: { limits: [{ window: 'day', amount: LIMIT }], mcc: { block: ['7995', '6051'] } },
    },
    { prefer: 'respond-async' },
  );
  return authorizationRequest(id);
}

/** As a processor's system sends it. */
function authorizationRequest(card: string) {
  return {
    ...{
      card,
      amount: AMOUNT,
      currency: CURRENCY,
      message_reference: `msg-${UNIQUE}`,
      network_reference: `net-${UNIQUE}`,
    },
    merchant: { id: 'M1041', acquirer_id: 'Q7', name: 'Corner Shop', city: 'Amman', country: 'JO', mcc: '5411' },
    entry_mode: 'contactless',
  };
}

let made = 0;
/** One request, with references of its own. */
export function unique<Body>(body: Body): Body {
  made += 1;
  return JSON.parse(JSON.stringify(body).replaceAll(UNIQUE, `one-${made}`)) as Body;
}

async function inTurns<Result>(times: number, work: () => Promise<readonly Result[]>): Promise<Result[]> {
  const results: Result[] = [];
  for (let time = 0; time < times; time++) results.push(...(await work()));
  return results;
}
