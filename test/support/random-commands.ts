/**
 * Random commands over one book: accounts opened, funded, frozen; payouts accepted, reserved, settled, canceled,
 * returned, in any order, with rail reports that are late, repeated or contradictory. A first run in memory gives the
 * commands fixed ids. They can then run again in other batches, or on a real database, and be compared.
 */
import fc from 'fast-check';
import { changeAccountStatus } from '../../src/accounts/account/change-account.ts';
import { openAccount } from '../../src/accounts/account/open-account.ts';
import { receiveTransfer } from '../../src/accounts/inbound-transfers/receive-transfer.ts';
import { GROUPS } from '../../src/groups.ts';
import { once } from '../../src/idempotency/once.ts';
import { available } from '../../src/ledger/account/account.ts';
import { accounts } from '../../src/ledger/account/account-table.ts';
import type { Command } from '../../src/ledger/command/command.ts';
import type { Decision } from '../../src/ledger/commit/batch.ts';
import { holds } from '../../src/ledger/hold/hold-table.ts';
import { applyRailReport } from '../../src/payouts/outcomes/apply-rail-report.ts';
import { recordUnknown } from '../../src/payouts/outcomes/await-outcome.ts';
import { acceptPayout } from '../../src/payouts/payout/accept-payout.ts';
import { cancelPayout } from '../../src/payouts/payout/cancel-payout.ts';
import { approvePayout, rejectPayout } from '../../src/payouts/payout/judge-payout.ts';
import type { Payout } from '../../src/payouts/payout/payout.ts';
import { payouts } from '../../src/payouts/payout/payout-table.ts';
import { releasePayouts } from '../../src/payouts/payout/release-payouts.ts';
import { reservePayout } from '../../src/payouts/payout/reserve-payout.ts';
import { updatePayout } from '../../src/payouts/payout/update-payout.ts';
import { returnPayout } from '../../src/payouts/returns/return-payout.ts';
import { encodeActor } from '../../src/values/actor.ts';
import type { Uuid } from '../../src/values/ids.ts';
import { newId } from '../../src/values/ids.ts';
import { increaseHold, placeHold, releaseHold } from '../model/parts/holds/commands.ts';
import { PLAIN_FINGERPRINTS } from './fingerprints.ts';
import type { MemoryBook } from './memory-book.ts';
import { UNCHANGED_ROUTE } from './memory-payouts.ts';

const BLOCKERS = GROUPS.flatMap((group) => group.blocksClosing);

export type Action =
  | { do: 'open'; overdraft: number }
  | { do: 'fund'; account: number; amount: number }
  | { do: 'status'; account: number; action: 'freeze' | 'unfreeze' | 'close' }
  | { do: 'accept'; account: number; to: number | null; amount: number | 'all'; fee: number; key: number }
  | { do: 'reserve' | 'cancel' | 'unknown' | 'approve' | 'reject' | 'update' | 'due'; payout: number }
  | { do: 'settle'; payout: number; word: 'paid' | 'rejected' | 'pending' }
  | { do: 'return'; payout: number; amount: number; notice: number }
  | { do: 'hold'; account: number; amount: number }
  | { do: 'increase' | 'release'; hold: number; amount: number };

const CURRENCIES = ['EUR', 'JOD'];
const REQUEST_ID = '018f4d3e-7b2a-7000-8000-000000000000';
const index = fc.nat({ max: 5 });
const amount = fc.integer({ min: 1, max: 1_000 });
/** Often so little that more may come back. */
const part = fc.oneof(amount, fc.integer({ min: 1, max: 20 }));

export const anyAction: fc.Arbitrary<Action> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('open'), overdraft: fc.constantFrom(0, 0, 300) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('fund'), account: index, amount }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('status'),
      account: index,
      action: fc.constantFrom('freeze', 'unfreeze', 'close'),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('accept'),
      account: index,
      to: fc.option(index),
      amount: fc.oneof({ weight: 4, arbitrary: amount }, { weight: 1, arbitrary: fc.constant('all') }),
      fee: fc.constantFrom(0, 0, 3, 50),
      key: fc.nat({ max: 200 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'reserve',
        'reserve',
        'reserve',
        'cancel',
        'unknown',
        'approve',
        'approve',
        'reject',
        'update',
        'due',
      ),
      payout: index,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('settle'),
      payout: index,
      word: fc.constantFrom('paid', 'paid', 'rejected', 'pending'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('return'), payout: index, amount: part, notice: fc.nat({ max: 30 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('hold'), account: index, amount }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('increase', 'increase', 'release'), hold: index, amount }),
  },
) as fc.Arbitrary<Action>;

/** A command, and its answer when it was alone in its batch. */
export interface Played {
  command: Command<unknown>;
  decision: Decision;
}

/** Runs actions one by one. Actions on an account or payout that does not exist yet are left out. */
export function play(
  memory: MemoryBook,
  actions: readonly Action[],
  tick: (at: number) => void = () => undefined,
): Played[] {
  const played: Played[] = [];
  actions.forEach((action, at) => {
    const command = commandOf(memory, action);
    if (!command) return;
    tick(at);
    played.push({ command, decision: memory.run([command])[0]! });
  });
  return played;
}

function commandOf(memory: MemoryBook, action: Action): Command<unknown> | undefined {
  const bookId = memory.book.id;
  const request = { requestId: REQUEST_ID, actor: 'api_key:key_1' };
  switch (action.do) {
    case 'open': {
      const currency = CURRENCIES[customers(memory).length % 2]!;
      const overdraftLimit = BigInt(action.overdraft);
      return openAccount({ currency, name: 'Any', overdraftLimit, externalId: null, metadata: {}, ...request });
    }
    case 'fund': {
      const account = pick(customers(memory), action.account);
      if (!account) return undefined;
      const { id: accountId, currency } = account;
      const salt = Buffer.alloc(16, 7);
      return receiveTransfer({
        bookId,
        accountId,
        amount: BigInt(action.amount),
        currency,
        description: 'rent',
        salt,
        ...request,
      });
    }
    case 'status': {
      const account = pick(customers(memory), action.account);
      if (!account) return undefined;
      return changeAccountStatus(
        action.action,
        { accountId: account.id, currency: account.currency, ...request },
        BLOCKERS,
      );
    }
    case 'hold': {
      const account = pick(customers(memory), action.account);
      return account && placeHold({ accountId: account.id, amount: BigInt(action.amount), expiresAt: null });
    }
    case 'increase':
    case 'release': {
      const own = [...memory.rows(holds).values()].filter(({ resource }) => resource === 'hold');
      const hold = pick(own, action.hold);
      if (!hold) return undefined;
      const asked = { holdId: hold.id, accountId: hold.accountId };
      const by = BigInt(action.amount);
      return action.do === 'increase' ? increaseHold({ ...asked, by }) : releaseHold({ ...asked, amount: by });
    }
    case 'accept':
      return acceptOf(memory, action, request);
    default: {
      const payout = pick([...memory.rows(payouts).values()], action.payout);
      return payout && payoutCommand(memory, payout, action);
    }
  }
}

function acceptOf(memory: MemoryBook, action: Action & { do: 'accept' }, request: { requestId: Uuid; actor: string }) {
  const source = pick(customers(memory), action.account);
  if (!source) return undefined;
  const target = action.to === null ? undefined : pick(customers(memory), action.to);
  const key = `key-${action.key}`;
  const command = acceptPayout({
    payoutId: newId(),
    bookId: memory.book.id,
    accountId: source.id,
    amount: action.amount === 'all' ? max(available(source) - BigInt(action.fee), 1n) : BigInt(action.amount),
    fee: BigInt(action.fee),
    currency: source.currency,
    destination: target
      ? { type: 'account', accountId: target.id }
      : {
          type: 'cliq',
          sealed: Buffer.from('sealed'),
          masked: 'A**N',
          provider: null,
          details: null,
          accountSealed: null,
        },
    rail: target ? 'book' : 'sandbox',
    description: action.key % 2 === 0 ? null : `rent "${key}"`,
    externalId: action.key % 3 === 0 ? `invoice ${action.key}` : null,
    metadata: action.key % 5 === 0 ? { of: key } : {},
    idempotencyKey: key,
    dryRun: false,
    approvalRequested: action.key % 4 === 0,
    ...request,
  });
  // Keys sometimes repeat: then the answer is the first one, or a refusal for another request.
  return once(command, {
    key,
    fingerprint: Buffer.from(JSON.stringify(action)),
    fingerprints: PLAIN_FINGERPRINTS,
    publicUrl: 'https://api.test',
  });
}

const PERSON = encodeActor({ type: 'person', id: REQUEST_ID, keyId: REQUEST_ID });

function payoutCommand(
  memory: MemoryBook,
  payout: Payout,
  action: Action & { payout: number },
): Command<unknown> | undefined {
  const bookId = memory.book.id;
  const byPerson = { requestId: REQUEST_ID, actor: PERSON };
  switch (action.do) {
    case 'reserve':
      return reservePayout(bookId, payout);
    case 'cancel':
      return cancelPayout(bookId, payout, { requestId: REQUEST_ID, actor: 'api_key:key_1' });
    case 'approve':
      return approvePayout(bookId, payout, byPerson, UNCHANGED_ROUTE);
    case 'reject':
      return rejectPayout(bookId, payout, { ...byPerson, reason: 'Nobody knows it.' });
    case 'due':
      return releasePayouts(bookId, [payout], {
        route: UNCHANGED_ROUTE,
        keptBack: () => payout.amount % 2n === 0n,
      });
    case 'update': {
      const remittance = payout.version > 2 ? undefined : 'Invoice 18';
      const change = { description: `rent ${payout.version}`, metadata: { of: 'update' }, remittance };
      return updatePayout({ requestId: REQUEST_ID, actor: 'api_key:key_1', payoutId: payout.id, ...change });
    }
    case 'unknown':
      return recordUnknown(bookId, payout, { call: 'submit', nextInquiryMs: 1_000, raw: {} });
    case 'settle':
      return applyRailReport(bookId, payout, { call: 'inquire', status: action.word, nextInquiryMs: 1_000, raw: {} });
    case 'return': {
      const id = `018f4d3e-7b2a-7000-9000-${String(action.notice).padStart(12, '0')}`;
      return returnPayout(bookId, payout, { id, amount: BigInt(action.amount), reason: null, raw: {} });
    }
    default:
      throw new Error(`${action.do} is not about a payout`);
  }
}

const max = (a: bigint, b: bigint) => (a > b ? a : b);

function customers(memory: MemoryBook) {
  return [...memory.rows(accounts).values()].filter(({ code }) => code === 'customer');
}

function pick<Row>(rows: readonly Row[], at: number): Row | undefined {
  return rows.length === 0 ? undefined : rows[at % rows.length];
}

/** Cuts a list into batches of the given sizes, which repeat. */
export function inBatches<Item>(items: readonly Item[], sizes: readonly number[]): Item[][] {
  const batches: Item[][] = [];
  for (let from = 0; from < items.length; ) {
    const size = sizes[batches.length % sizes.length]!;
    batches.push(items.slice(from, from + size));
    from += size;
  }
  return batches;
}
