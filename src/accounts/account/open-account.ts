import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import { newAccount } from '../../ledger/account/chart.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { indexMetadata } from '../../ledger/resources/metadata-store.ts';
import { begin } from '../../ledger/resources/resource.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import { withdrawalOf } from '../../money/withdrawn-currencies.ts';
import { formatInstant, type Moment } from '../../values/clock.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import type { ScheduleName } from '../statements/schedule.ts';
import type { AccountProfile } from './account-profile.ts';
import { defaultAccounts } from './account-profile-table.ts';
import { accountResource } from './account-resource.ts';
import { scheduleStatements } from './change-schedule.ts';
import { CEILING_ID, overdraftCeilings } from './overdraft-ceiling-store.ts';

export interface OpenAccount {
  currency: string;
  name: string;
  /** How far below zero the available balance may go, in minor units; not negative. */
  overdraftLimit: bigint;
  /** An event shows when the available balance falls below it. */
  alertBelow?: bigint | null;
  /** Statements that are made by themselves. */
  statementSchedule?: ScheduleName | null;
  externalId: string | null;
  metadata: Record<string, string>;
  requestId: Uuid;
  actor: string;
}

/** Opens a customer account. The first account of a currency becomes the default. */
export function openAccount(input: OpenAccount): Command<Stored | Refusal> {
  const id = newId();
  const accountId = newId();
  const textSalt = newSalt();
  return {
    id,
    name: 'account.open',
    requestId: input.requestId,
    actor: input.actor,
    touches: [
      { table: defaultAccounts, ids: [input.currency] },
      ...(input.overdraftLimit > 0n ? [{ table: overdraftCeilings, ids: [CEILING_ID] }] : []),
    ],
    decide(state, moment) {
      const draft = new Draft(state, { id, requestId: input.requestId, actor: input.actor }, moment);
      requireInUse(input.currency, moment);
      const refusal = refuseOverdraft(draft, input.overdraftLimit);
      if (refusal) return draft.finish<Refusal>(refusal);
      const account = {
        ...newAccount(accountId, 'customer', input.currency),
        ...{ floor: -input.overdraftLimit, alertBelow: input.alertBelow ?? null },
      };
      const profile: AccountProfile = {
        accountId,
        currency: input.currency,
        name: input.name,
        externalId: input.externalId,
        metadata: input.metadata,
        statementSchedule: input.statementSchedule ?? null,
        textSalt,
        version: 1,
        createdAt: moment.book,
        updatedAt: moment.book,
      };
      draft.put(accounts, accountId, account);
      const isDefault = draft.get(defaultAccounts, input.currency) === undefined;
      if (isDefault) draft.put(defaultAccounts, input.currency, { currency: input.currency, accountId });
      if (profile.statementSchedule !== null) scheduleStatements(draft, undefined, profile);
      indexMetadata(draft, input.metadata, { object: 'account', objectId: accountId });
      const view = begin(draft, accountResource, profile, 'account.created');
      return draft.finish<Stored>({ status: 201, body: view, resource: 'account', resourceId: accountId });
    },
  };
}

/**
 * Throws ApiError `currency_unsupported`, as for an unknown currency: nothing is stored under the key. A key from
 * before the withdrawal has its answer already. By the world's time: a test clock moves no currency.
 */
function requireInUse(currency: string, { wall }: Moment): void {
  const withdrawn = withdrawalOf(currency, formatInstant(wall).slice(0, 10));
  if (withdrawn === undefined) return;
  throw new ApiError('currency_unsupported', {
    param: '/currency',
    detail: `${currency} is withdrawn since ${withdrawn.from}, and no account is opened in it; its successor is ${withdrawn.successor}. Accounts that exist go on.`,
  });
}

function refuseOverdraft(draft: Draft, limit: bigint): Refusal | undefined {
  if (limit === 0n) return undefined;
  const ceiling = draft.get(overdraftCeilings, CEILING_ID) ?? 0n;
  if (limit <= ceiling) return undefined;
  return {
    refused: 'limit_exceeded',
    param: '/overdraft_limit',
    detail: `Accounts of this book may go at most ${ceiling} below zero. The operator sets this limit.`,
    facts: { limit: ceiling },
  };
}
