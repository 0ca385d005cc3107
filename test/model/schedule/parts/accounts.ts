/** Money that arrives, and accounts frozen and unfrozen. */
import { changeAccountStatus } from '../../../../src/accounts/account/change-account.ts';
import { receiveTransfer } from '../../../../src/accounts/inbound-transfers/receive-transfer.ts';
import { runOnce } from '../../../../src/idempotency/run-once.ts';
import type { Uuid } from '../../../../src/values/ids.ts';
import { amountIn, CURRENCY, wishesOf } from '../clients.ts';
import type { SchedulePart, Wish, WishKind } from '../part.ts';

interface Fund extends Wish {
  readonly do: 'fund';
  readonly account: Uuid;
  readonly amount: bigint;
}

interface Status extends Wish {
  readonly do: 'status';
  readonly account: Uuid;
  readonly action: 'freeze' | 'unfreeze';
}

const SALT = Buffer.alloc(16, 7);

const fund: WishKind<Fund> = {
  do: 'fund',
  weight: 3,
  draw: ({ accounts }, random) => ({ do: 'fund', account: random.pick(accounts), amount: amountIn(random) }),
  carryOut(runtime, asked, { account: accountId, amount }) {
    const transfer = { ...asked, accountId, amount, currency: CURRENCY, salt: SALT, description: null };
    return runOnce(runtime, { ...asked, command: receiveTransfer(transfer) });
  },
};

const status: WishKind<Status> = {
  do: 'status',
  weight: 1,
  draw: ({ accounts }, random) => ({
    do: 'status',
    account: random.pick(accounts),
    action: random.chance(0.4) ? 'freeze' : 'unfreeze',
  }),
  carryOut(runtime, asked, { account: accountId, action }) {
    const change = { ...asked, accountId, currency: CURRENCY };
    return runOnce(runtime, { ...asked, command: changeAccountStatus(action, change, runtime.blocksClosing) });
  },
};

export const accountsPart: SchedulePart = {
  kinds: [fund, status],
  async balance({ clients }, add) {
    for (const { wish, answers } of wishesOf<Fund>(clients, 'fund')) {
      if (answers[0]?.status !== 201) continue;
      add(wish.account, wish.amount);
      add('pool', wish.amount);
    }
  },
};
