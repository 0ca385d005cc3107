/**
 * Requests sent while two versions answer, beside the payouts of the load: payouts that are canceled at once, requests
 * that are repeated to any process, and keys that are sent with another body, which is refused.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Account, type Client, NotAsPromised, type Problem } from '../harness/client.ts';
import type { Random } from '../harness/random.ts';
import { certainAnswer, expectFirstAnswerAgain, type Sent } from './certain-answer.ts';
import type { Load } from './load.ts';

export interface MixedLoad {
  /** Every request so far that has a certain answer. */
  sent(): readonly Sent[];
  /** Ids of all payouts that were accepted. */
  payouts(): string[];
  /** Sends nothing new. Throws the first broken promise. */
  stop(): Promise<void>;
}

const CANCEL_EVERY_MS = 250;
const REPEAT_EVERY_MS = 100;
/** Repetitions with the first body for each one with another body. */
const FAITHFUL = 3;
const PAYOUTS = '/v1/payouts';

export function startMixedLoad(
  clients: readonly Client[],
  { account, load, random }: { account: Account; load: Load; random: Random },
): MixedLoad {
  const sent: Sent[] = [];
  let going = true;
  let asked = 0;

  async function ask(path: string, body: Record<string, unknown>): Promise<Sent> {
    const request = { path, key: randomUUID(), body };
    const one = { ...request, answer: await certainAnswer(clients, request, { first: asked++ }) };
    sent.push(one);
    return one;
  }

  async function cancelPayouts(): Promise<void> {
    while (going) {
      const body = { account: account.id, currency: account.currency, amount: 1_000 + (asked % 97) };
      const { answer } = await ask(PAYOUTS, { ...body, destination: { type: 'cliq', alias: 'SHOP1' } });
      // The payout may be on its way already; that answer is as certain.
      if (answer.status === 202) await ask(`${PAYOUTS}/${answer.body.id}/cancel`, {});
      await pause(CANCEL_EVERY_MS);
    }
  }

  async function repeat(): Promise<void> {
    for (let round = 0; going; round++) {
      const all = round % 2 === 0 ? load.sent() : sent;
      const one = all.length > 0 ? random.pick(all) : undefined;
      if (one && round % (FAITHFUL + 1) === 0 && isPayout(one)) await expectOtherBodyRefused(clients, one, asked++);
      else if (one) await expectFirstAnswerAgain(clients, one, { first: asked++ });
      await pause(REPEAT_EVERY_MS);
    }
  }

  const under = Promise.all([cancelPayouts(), repeat()]);
  // Reported by stop().
  under.catch(() => undefined);
  return {
    sent: () => sent,
    payouts: () => sent.filter((one) => isPayout(one) && one.answer.status === 202).map(({ answer }) => answer.body.id),
    async stop() {
      going = false;
      await under;
    },
  };
}

/** Whether the request asked for a payout, not for a cancel. */
export function isPayout({ path }: Sent): boolean {
  return path === PAYOUTS;
}

/** The same key with another amount is refused by every process. Throws NotAsPromised. */
export async function expectOtherBodyRefused(clients: readonly Client[], sent: Sent, first = 0): Promise<void> {
  const body = { ...sent.body, amount: (sent.body.amount as number) + 1 };
  const { status, text, body: answered } = await certainAnswer(clients, { ...sent, body }, { first });
  if (status === 422 && (answered as unknown as Problem).code === 'idempotency_key_reused') return;
  throw new NotAsPromised(`The key ${sent.key} was sent with another body, and answered ${status} ${text}`);
}
