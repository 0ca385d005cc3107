/** The steps of holds in a draft: the hold, the held total of its account, and the row of the step. */
import type { Instant, Moment } from '../../values/clock.ts';
import type { ResourceName, Uuid } from '../../values/ids.ts';
import { type Account, covers, withHeld } from '../account/account.ts';
import { accounts } from '../account/account-table.ts';
import {
  type Hold,
  type HoldStepKind,
  increaseHold as increased,
  type TakingKind,
  takeFromHold as taken,
} from '../hold/hold.ts';
import { holdSteps, holds } from '../hold/hold-table.ts';
import type { Log, Table } from '../rows/table.ts';

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
  /**
   * Held whatever is available: another party has decided it. The step is flagged where it leaves less than the floor
   * allows.
   */
  overrideFloor?: boolean;
}

export function placeHold(draft: Rows, request: HoldRequest): Hold | false {
  const account = draft.account(request.accountId);
  const floorOverridden = !covers(account, request.amount);
  if (floorOverridden && !request.overrideFloor) return false;
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
  write(draft, hold, { kind: 'created', amount: hold.amount, held: hold.amount, floorOverridden });
  return hold;
}

export function increaseHold(
  draft: Rows,
  holdId: Uuid,
  { amount, overrideFloor }: Pick<HoldRequest, 'amount' | 'overrideFloor'>,
): Hold | false {
  const hold = holdOf(draft, holdId);
  const changed = increased(hold, { amount, moment: draft.moment.book });
  const floorOverridden = !covers(draft.account(hold.accountId), amount);
  if (floorOverridden && !overrideFloor) return false;
  write(draft, changed, { kind: 'increased', amount, held: amount, floorOverridden });
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
  write(draft, changed, { kind, amount: less, held: -less, floorOverridden: false });
  return changed;
}

/** Captures part of a hold. The caller writes the account: with the amount no longer held, and posted. */
export function captureHeld(draft: Rows, holdId: Uuid, amount: bigint): void {
  const changed = taken(holdOf(draft, holdId), { kind: 'captured', amount, moment: draft.moment.book });
  writeStep(draft, changed, { kind: 'captured', amount, floorOverridden: false });
}

function holdOf(draft: Rows, holdId: Uuid): Hold {
  const hold = draft.get(holds, holdId);
  if (!hold) throw new Error(`Hold ${holdId} does not exist`);
  return hold;
}

/** `held` is the change of the account's held total. */
function write(
  draft: Rows,
  hold: Hold,
  step: { kind: HoldStepKind; amount: bigint; held: bigint; floorOverridden: boolean },
): void {
  draft.put(accounts, hold.accountId, withHeld(draft.account(hold.accountId), step.held));
  writeStep(draft, hold, step);
}

function writeStep(
  draft: Rows,
  hold: Hold,
  step: { kind: HoldStepKind; amount: bigint; floorOverridden: boolean },
): void {
  draft.put(holds, hold.id, hold);
  draft.append(holdSteps, {
    holdId: hold.id,
    ordinal: hold.steps,
    kind: step.kind,
    amount: step.amount,
    floorOverridden: step.floorOverridden,
    createdAt: draft.moment.book,
  });
}
