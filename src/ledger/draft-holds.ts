/** The steps of holds in a draft: the hold, the held total of its account, and the row of the step. */
import type { Instant, Moment } from '../values/clock.ts';
import type { ResourceName, Uuid } from '../values/ids.ts';
import { type Account, covers, withHeld } from './account.ts';
import { accounts } from './account-table.ts';
import {
  type Hold,
  type HoldStepKind,
  increaseHold as increased,
  type TakingKind,
  takeFromHold as taken,
} from './hold.ts';
import { holdSteps, holds } from './hold-table.ts';
import type { Log, Table } from './rows/table.ts';

/** The part of a draft that these steps use. */
interface Rows {
  readonly moment: Moment;
  get<Row>(table: Table<Row>, id: string): Row | undefined;
  put<Row>(table: Table<Row>, id: string, row: Row): void;
  append<Row>(log: Log<Row>, row: Row): void;
  account(id: Uuid): Account;
}

export interface HoldRequest {
  id: Uuid;
  accountId: Uuid;
  resource: ResourceName;
  resourceId: Uuid;
  amount: bigint;
  expiresAt?: Instant;
}

export function placeHold(draft: Rows, request: HoldRequest): Hold | false {
  const account = draft.account(request.accountId);
  if (!covers(account, request.amount)) return false;
  const { book: createdAt } = draft.moment;
  const hold: Hold = {
    id: request.id,
    accountId: request.accountId,
    resource: request.resource,
    resourceId: request.resourceId,
    currency: account.currency,
    amount: request.amount,
    remaining: request.amount,
    status: 'open',
    expiresAt: request.expiresAt ?? null,
    steps: 1,
    createdAt,
    updatedAt: createdAt,
  };
  write(draft, hold, { kind: 'created', amount: hold.amount, held: hold.amount });
  return hold;
}

export function increaseHold(draft: Rows, holdId: Uuid, amount: bigint): Hold | false {
  const hold = holdOf(draft, holdId);
  const changed = increased(hold, { amount, moment: draft.moment.book });
  if (!covers(draft.account(hold.accountId), amount)) return false;
  write(draft, changed, { kind: 'increased', amount, held: amount });
  return changed;
}

export function takeFromHold(
  draft: Rows,
  holdId: Uuid,
  { kind, amount }: { kind: TakingKind; amount: bigint | undefined },
): Hold {
  const hold = holdOf(draft, holdId);
  const less = amount ?? hold.remaining;
  if (less === 0n) return hold;
  const changed = taken(hold, { kind, amount: less, moment: draft.moment.book });
  write(draft, changed, { kind, amount: less, held: -less });
  return changed;
}

function holdOf(draft: Rows, holdId: Uuid): Hold {
  const hold = draft.get(holds, holdId);
  if (!hold) throw new Error(`Hold ${holdId} does not exist`);
  return hold;
}

/** `held` is the change of the account's held total. */
function write(draft: Rows, hold: Hold, step: { kind: HoldStepKind; amount: bigint; held: bigint }): void {
  draft.put(holds, hold.id, hold);
  draft.put(accounts, hold.accountId, withHeld(draft.account(hold.accountId), step.held));
  draft.append(holdSteps, {
    holdId: hold.id,
    ordinal: hold.steps,
    kind: step.kind,
    amount: step.amount,
    createdAt: draft.moment.book,
  });
}
