/** Payouts over a rail and within the book: asked for, canceled, simulated. */

import { runOnce } from '../../../../src/idempotency/run-once.ts';
import { carryOut } from '../../../../src/idempotency/use-case.ts';
import { type Simulation, simulatePayout } from '../../../../src/payouts/notices/simulate-payout.ts';
import { requestPayout } from '../../../../src/payouts/payout/accept-payout.ts';
import { cancelPayout } from '../../../../src/payouts/payout/cancel-payout.ts';
import { payouts } from '../../../../src/payouts/payout/payout-table.ts';
import type { Uuid } from '../../../../src/values/ids.ts';
import { amountIn, type Clients, CURRENCY, type Intent, wishesOf } from '../clients.ts';
import type { SchedulePart, Wish, WishKind } from '../part.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { addPayouts, countOpenPayouts, faultsOfPayouts } from './payouts-outcome.ts';

interface Pay extends Wish {
  readonly do: 'pay';
  readonly account: Uuid;
  readonly amount: bigint;
  readonly destination: { type: 'cliq'; alias: string } | { type: 'account'; account: Uuid };
}

interface Cancel extends Wish {
  readonly do: 'cancel';
  readonly payout: Uuid;
}

interface Simulate extends Wish {
  readonly do: 'simulate';
  readonly payout: Uuid;
  readonly simulation: Simulation;
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

/** Payouts that were answered with 202. */
export function promisedPayouts(clients: Clients): Intent<Pay>[] {
  return wishesOf<Pay>(clients, 'pay').filter(({ answers }) => answers[0]?.status === 202);
}

function onePromised(clients: Clients, random: SeededRandom): Uuid | undefined {
  const promised = promisedPayouts(clients);
  return promised.length === 0 ? undefined : random.pick(promised).answers[0]!.resourceId;
}

const pay: WishKind<Pay> = {
  do: 'pay',
  weight: 12,
  draw({ accounts }, random) {
    const [account, to] = [random.pick(accounts), random.pick(accounts)];
    const destination =
      random.chance(0.25) && to !== account
        ? ({ type: 'account', account: to } as const)
        : ({ type: 'cliq', alias: random.pick(ALIASES) } as const);
    return { do: 'pay', account, amount: amountIn(random), destination };
  },
  carryOut(runtime, { key, following, ...asked }, { account: accountId, amount, destination }) {
    const wanted = { mode: 'test', accountId, amount, currency: CURRENCY, destination } as const;
    return carryOut(runtime, requestPayout, { ...asked, ...wanted, idempotencyKey: key }, following);
  },
};

const cancel: WishKind<Cancel> = {
  do: 'cancel',
  weight: 3,
  draw(clients, random) {
    const payout = onePromised(clients, random);
    return payout === undefined ? undefined : { do: 'cancel', payout };
  },
  async carryOut(runtime, asked, { payout: id }) {
    const payout = (await payouts.load(runtime.pool, asked.bookId, [id])).get(id)!;
    return runOnce(runtime, { ...asked, command: cancelPayout(asked.bookId, payout, asked) });
  },
};

const simulate: WishKind<Simulate> = {
  do: 'simulate',
  weight: 3,
  endedBy: ['state_conflict'],
  draw(clients, random) {
    const payout = onePromised(clients, random);
    const action = random.pick(['complete', 'fail', 'return'] as const);
    return payout === undefined ? undefined : { do: 'simulate', payout, simulation: { action } };
  },
  carryOut(runtime, { key, following, ...asked }, { payout: payoutId, simulation }) {
    const input = { ...asked, payoutId, simulation, idempotencyKey: key };
    return carryOut(runtime, simulatePayout, input, following);
  },
};

export const payoutsPart: SchedulePart = {
  kinds: [pay, cancel, simulate],
  act: ({ rail }) => rail.act(),
  close: ({ rail }) => rail.close(),
  untold: ({ rail }) => rail.openNotices,
  countOpen: countOpenPayouts,
  faultsOf: (book) => faultsOfPayouts(book, promisedPayouts(book.clients)),
  balance: (book, add) => addPayouts(book, promisedPayouts(book.clients), add),
};
