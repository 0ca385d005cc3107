/** Adds an account to an organisation's own chart. */
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import { newOwnAccount } from '../../ledger/account/chart.ts';
import type { AccountType } from '../../ledger/account/chart-names.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { indexMetadata } from '../../ledger/resources/metadata-store.ts';
import { begin } from '../../ledger/resources/resource.ts';
import { newId, publicId, type Uuid } from '../../values/ids.ts';
import { chartAccountResource } from './chart-account-resource.ts';
import { normalSide, OWN_ACCOUNTS_MAX, type OwnAccount, ownAccountId } from './own-account.ts';
import { COUNT_ID, ownAccountCounts } from './own-account-count-store.ts';
import { ownAccounts } from './own-account-table.ts';

export interface OpenOwnAccount {
  readonly bookId: BookId;
  readonly code: string;
  readonly name: string;
  readonly type: AccountType;
  readonly currency: string;
  /** The least available balance, in minor units; null for no limit. */
  readonly floor: bigint | null;
  readonly externalId: string | null;
  readonly metadata: Record<string, string>;
  readonly requestId: Uuid;
  readonly actor: string;
}

/** Refuses a code that the currency has already, with the account that has it, and more than a book may have. */
export function openOwnAccount(input: OpenOwnAccount): Command<Stored | Refusal> {
  const { requestId, actor, currency } = input;
  const origin = { id: newId(), requestId, actor };
  const accountId = ownAccountId(input.bookId, input);
  return {
    ...origin,
    name: 'chart_account.open',
    touches: [
      { table: accounts, ids: [accountId] },
      { table: ownAccounts, ids: [accountId] },
      { table: ownAccountCounts, ids: [COUNT_ID] },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const refusal = refuseOpening(draft, accountId, input);
      if (refusal) return draft.finish<Refusal>(refusal);
      draft.put(
        accounts,
        accountId,
        newOwnAccount({ id: accountId, side: normalSide(input.type), currency, floor: input.floor }),
      );
      const own: OwnAccount = {
        accountId,
        code: input.code,
        name: input.name,
        type: input.type,
        currency,
        externalId: input.externalId,
        metadata: input.metadata,
        requestId,
        version: 1,
        createdAt: moment.book,
        updatedAt: moment.book,
      };
      draft.put(ownAccountCounts, COUNT_ID, ownAccountsOf(draft) + 1);
      indexMetadata(draft, input.metadata, { object: 'chart_account', objectId: accountId });
      const body = begin(draft, chartAccountResource, own, 'chart_account.created');
      return draft.finish<Stored>({ status: 201, body, resource: 'chart_account', resourceId: accountId });
    },
  };
}

function refuseOpening(draft: Draft, id: Uuid, { code, currency }: OpenOwnAccount): Refusal | undefined {
  const known = draft.get(ownAccounts, id);
  if (known)
    return {
      refused: 'state_conflict',
      param: '/code',
      detail: `The account ${publicId('account', id)} has the code ${code} in ${currency} already. A code is never given twice.`,
      facts: { current_status: draft.account(id).status === 'closed' ? 'archived' : 'open', allowed_actions: [] },
    };
  if (ownAccountsOf(draft) < OWN_ACCOUNTS_MAX) return undefined;
  return {
    refused: 'limit_exceeded',
    detail: `A book has at most ${OWN_ACCOUNTS_MAX} accounts of its own.`,
    facts: { limit: OWN_ACCOUNTS_MAX },
  };
}

function ownAccountsOf(draft: Draft): number {
  return draft.get(ownAccountCounts, COUNT_ID) ?? 0;
}
