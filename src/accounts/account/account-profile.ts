/**
 * The profile of a customer account: its name, references and version. Balances and status belong to the ledger
 * (ledger/account/account.ts).
 */

import { type Account, available, held, posted } from '../../ledger/account/account.ts';
import { personal, type TextOwner } from '../../ledger/rows/personal-text.ts';
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant, type Instant } from '../../values/clock.ts';
import { publicId, type Uuid } from '../../values/ids.ts';
import type { ScheduleName } from '../statements/schedule.ts';
import { allowedActions } from './account-status.ts';

export interface AccountProfile {
  readonly accountId: Uuid;
  readonly currency: string;
  /** Null once it is erased; metadata likewise. */
  readonly name: string | null;
  readonly externalId: string | null;
  readonly metadata: Record<string, string> | null;
  /** Null: no statements are made by themselves. */
  readonly statementSchedule: ScheduleName | null;
  /** Hides its texts behind their references (ledger/rows/personal-text.ts). */
  readonly textSalt: Buffer;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

function balances(account: Account) {
  return { posted: posted(account), held: held(account), available: available(account) };
}

export function balanceView(account: Account) {
  return {
    ...balances(account),
    currency: account.currency,
    currency_exponent: currencyExponent(account.currency),
  };
}

/** Whose name and metadata it is. */
function ownerOf({ accountId, textSalt }: AccountProfile): TextOwner {
  return { object: 'account', objectId: accountId, salt: textSalt };
}

/** An account as the API and events show it. Amounts in minor units of its currency. */
export function accountView(
  account: Account,
  profile: AccountProfile,
  context: { livemode: boolean; isDefault: boolean },
) {
  return {
    id: publicId('account', account.id),
    object: 'account',
    livemode: context.livemode,
    name: personal(ownerOf(profile), 'name', profile.name),
    currency: account.currency,
    currency_exponent: currencyExponent(account.currency),
    status: account.status,
    balance: balances(account),
    overdraft_limit: account.floor === null ? null : -account.floor,
    low_balance_alert: account.alertBelow === null ? null : { available_below: account.alertBelow },
    statement_schedule: profile.statementSchedule ?? 'none',
    is_default: context.isDefault,
    external_id: profile.externalId,
    metadata: personal(ownerOf(profile), 'metadata', profile.metadata),
    allowed_actions: allowedActions(account.status),
    version: profile.version,
    created_at: formatInstant(profile.createdAt),
    updated_at: formatInstant(profile.updatedAt),
  };
}
