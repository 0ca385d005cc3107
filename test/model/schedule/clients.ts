/**
 * Integrators: they send requests, repeat them when no answer comes, send them twice at once, and keep every answer.
 * The product must keep to each answer.
 */
import { changeAccountStatus } from '../../../src/accounts/change-account.ts';
import { receiveTransfer } from '../../../src/accounts/receive-transfer.ts';
import { ApiError } from '../../../src/errors.ts';
import { Following } from '../../../src/idempotency/following.ts';
import { idempotencyKeys } from '../../../src/idempotency/idempotency-table.ts';
import { voidKey } from '../../../src/idempotency/once.ts';
import { runOnce } from '../../../src/idempotency/run-once.ts';
import { carryOut } from '../../../src/idempotency/use-case.ts';
import { newId, type Uuid } from '../../../src/ids.ts';
import { cancelPayout } from '../../../src/payouts/cancel-payout.ts';
import { payouts } from '../../../src/payouts/payout-table.ts';
import { requestPayout } from '../../../src/payouts/request-payout.ts';
import { type Simulation, simulatePayout } from '../../../src/payouts/simulate-payout.ts';
import type { Runtime } from '../../../src/runtime.ts';
import type { SeededRandom } from './seeded-random.ts';

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly resourceId?: Uuid;
}

export type Wish =
  | { readonly do: 'fund'; readonly account: Uuid; readonly amount: bigint }
  | {
      readonly do: 'pay';
      readonly account: Uuid;
      readonly amount: bigint;
      readonly destination: { type: 'cliq'; alias: string } | { type: 'account'; account: Uuid };
    }
  | { readonly do: 'cancel'; readonly payout: Uuid }
  | { readonly do: 'status'; readonly account: Uuid; readonly action: 'freeze' | 'unfreeze' }
  | { readonly do: 'simulate'; readonly payout: Uuid; readonly simulation: Simulation }
  | { readonly do: 'void'; readonly key: string };

/** A request of a client, under its own key. */
export interface Intent {
  readonly key: string;
  readonly wish: Wish;
  readonly answers: Answer[];
}

const ALIASES = [
  'ANNA',
  'ANNA',
  'BERT',
  'PENDING',
  'PENDING',
  'NOALIAS',
  'TIMEOUT',
  'TIMEOUTFAIL',
  'RETURN',
  'RETURN',
  'RETURNHALF',
];
const CURRENCY = 'EUR';
const SALT = Buffer.alloc(16, 7);

export class Clients {
  readonly intents: Intent[] = [];
  readonly #random: SeededRandom;
  readonly #bookId: Uuid;
  readonly #accounts: readonly Uuid[];

  constructor(random: SeededRandom, book: { bookId: Uuid; accounts: readonly Uuid[] }) {
    this.#random = random;
    this.#bookId = book.bookId;
    this.#accounts = book.accounts;
  }

  get unanswered(): Intent[] {
    return this.intents.filter(({ answers }) => answers.length === 0);
  }

  /** Payouts that were answered with 202. */
  get promised(): { intent: Intent; answer: Answer }[] {
    return this.intents
      .filter(({ wish, answers }) => wish.do === 'pay' && answers[0]?.status === 202)
      .map((intent) => ({ intent, answer: intent.answers[0]! }));
  }

  /** A new request, or an earlier one again, with or without an answer. */
  next(limit: number): Intent {
    const random = this.#random;
    if (this.intents.length > 0 && (this.intents.length >= limit || random.chance(0.4))) {
      const { unanswered } = this;
      return random.pick(unanswered.length > 0 && random.chance(0.8) ? unanswered : this.intents);
    }
    const intent = { key: `key-${this.intents.length}`, wish: this.#wish(), answers: [] };
    this.intents.push(intent);
    return intent;
  }

  #wish(): Wish {
    const random = this.#random;
    const account = random.pick(this.#accounts);
    const payouts = this.promised.map(({ answer }) => answer.resourceId!);
    const amount = BigInt(random.chance(0.2) ? 1 : 1 + random.below(800));
    const kind = random.weighted([
      { weight: 12, item: 'pay' as const },
      { weight: 3, item: 'fund' as const },
      { weight: payouts.length > 0 ? 3 : 0, item: 'cancel' as const },
      { weight: payouts.length > 0 ? 3 : 0, item: 'simulate' as const },
      { weight: 1, item: 'status' as const },
      { weight: 1, item: 'void' as const },
    ]);
    switch (kind) {
      case 'fund':
        return { do: 'fund', account, amount };
      case 'cancel':
        return { do: 'cancel', payout: random.pick(payouts) };
      case 'status':
        return { do: 'status', account, action: random.chance(0.4) ? 'freeze' : 'unfreeze' };
      case 'void':
        return { do: 'void', key: `key-${random.below(this.intents.length + 2)}` };
      case 'simulate': {
        const action = random.pick(['complete', 'fail', 'return'] as const);
        return { do: 'simulate', payout: random.pick(payouts), simulation: { action } };
      }
      case 'pay': {
        const to = random.pick(this.#accounts);
        const destination =
          random.chance(0.25) && to !== account
            ? ({ type: 'account', account: to } as const)
            : ({ type: 'cliq', alias: random.pick(ALIASES) } as const);
        return { do: 'pay', account, amount, destination };
      }
    }
  }

  /** Sends the request to a process, and keeps its answer, if any. Resolves in both cases, unless the process dies. */
  async ask(runtime: Runtime, intent: Intent, onBug: (error: unknown) => void): Promise<void> {
    try {
      const following = new Following((error) => isKnown(error) || onBug(error));
      intent.answers.push(await this.#carryOut(runtime, following, intent));
    } catch (error) {
      if (!isKnown(error)) onBug(error);
      if (intent.wish.do === 'simulate' && error instanceof ApiError && error.code === 'state_conflict')
        intent.answers.push({ status: 409, body: '' });
    }
  }

  async #carryOut(runtime: Runtime, following: Following, { key, wish }: Intent): Promise<Answer> {
    const bookId = this.#bookId;
    const by = { requestId: newId(), actor: 'api_key:key_1' };
    const fingerprint = Buffer.from(key);
    const asked = { bookId, key, fingerprint, requestId: by.requestId };
    switch (wish.do) {
      case 'pay': {
        const { account: accountId, amount, destination } = wish;
        const wanted = { mode: 'test', accountId, amount, currency: CURRENCY, destination } as const;
        const input = { bookId, idempotencyKey: key, fingerprint, ...wanted, ...by };
        return carryOut(runtime, requestPayout, input, following);
      }
      case 'fund': {
        const transfer = { bookId, accountId: wish.account, amount: wish.amount, currency: CURRENCY, salt: SALT };
        return runOnce(runtime, { ...asked, command: receiveTransfer({ ...transfer, description: null, ...by }) });
      }
      case 'cancel': {
        const payout = (await payouts.load(runtime.pool, bookId, [wish.payout])).get(wish.payout)!;
        return runOnce(runtime, { ...asked, command: cancelPayout(bookId, payout, by) });
      }
      case 'status': {
        const change = { accountId: wish.account, currency: CURRENCY, ...by };
        return runOnce(runtime, { ...asked, command: changeAccountStatus(wish.action, change, runtime.blocksClosing) });
      }
      case 'simulate': {
        const { payout: payoutId, simulation } = wish;
        const input = { bookId, idempotencyKey: key, fingerprint, payoutId, simulation, ...by };
        return carryOut(runtime, simulatePayout, input, following);
      }
      case 'void': {
        await runtime.committer.submit(bookId, voidKey({ key: wish.key, ...by }));
        const record = (await idempotencyKeys.find(runtime.pool, bookId, wish.key))!;
        return { status: record.voidedAt === null ? 200 : 204, body: record.body ?? '' };
      }
    }
  }
}

/** 503 and 409 are repeated. A refusal before the decision is not stored, so the next answer may differ. */
function isKnown(error: unknown): boolean {
  return error instanceof ApiError || /Connection terminated|RailUnreachable|gave no answer/.test(String(error));
}
