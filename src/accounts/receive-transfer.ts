/** Money that arrives from outside: in test mode by simulation, later from bank statements. */

import type { Stored } from '../idempotency/idempotency-key.ts';
import { accounts } from '../ledger/account-table.ts';
import type { BookId } from '../ledger/book.ts';
import { chartAccountId } from '../ledger/chart.ts';
import type { Command, Refusal } from '../ledger/command.ts';
import { Draft } from '../ledger/draft.ts';
import type { EntryText } from '../ledger/entry.ts';
import { refuseTotals } from '../ledger/rows/lifetime-total.ts';
import { personal, type TextOwner } from '../ledger/rows/personal-text.ts';
import { currencyExponent } from '../money/currency.ts';
import { formatInstant } from '../values/clock.ts';
import { newId, publicId, type Uuid } from '../values/ids.ts';
import { writeJson } from '../values/json.ts';
import { accountProfiles } from './account-profile-table.ts';
import { accountTouches } from './account-resource.ts';
import type { InboundTransfer } from './inbound-transfer.ts';
import { inboundTransfers } from './inbound-transfer-table.ts';
import { expectArrival } from './tell-arrival.ts';

export interface ReceiveTransfer {
  bookId: BookId;
  accountId: Uuid;
  amount: bigint;
  currency: string;
  description: string | null;
  /** Hides the description in the hash chain and in the answer; random, minted with the request. */
  salt: Buffer;
  requestId: Uuid;
  actor: string;
}

/** Posts pool → customer. A frozen account receives; a closed account refuses. */
export function receiveTransfer(input: ReceiveTransfer): Command<Stored | Refusal> {
  const id = newId();
  const transferId = newId();
  return {
    id,
    name: 'inbound_transfer.receive',
    requestId: input.requestId,
    actor: input.actor,
    touches: [
      ...accountTouches(input),
      { table: accounts, ids: [chartAccountId(input.bookId, 'pool', input.currency)] },
    ],
    decide(state, moment) {
      const draft = new Draft(state, { id, requestId: input.requestId, actor: input.actor }, moment);
      const refuse = (refusal: Refusal) => new Draft(state, { id, requestId: input.requestId }, moment).finish(refusal);
      const account = draft.get(accounts, input.accountId);
      if (!account || !draft.get(accountProfiles, input.accountId))
        return refuse({
          refused: 'resource_not_found',
          param: '/account',
          detail: 'There is no such account in this book.',
        });
      if (account.currency !== input.currency) {
        return refuse({
          refused: 'currency_mismatch',
          param: '/currency',
          detail: `The account is kept in ${account.currency}.`,
          facts: { account_currency: account.currency },
        });
      }
      const pool = draft.chart('pool', input.currency);
      const beyond = refuseTotals(draft, [account.id, pool.id], input);
      if (beyond) return refuse(beyond);
      const tellArrival = expectArrival(draft, account.id);
      const entry = draft.tryPost({
        resource: 'inbound_transfer',
        resourceId: transferId,
        step: 'received',
        text: describedBy(input),
        postings: [{ debit: pool.id, credit: account.id, amount: input.amount }],
      });
      if (!('hash' in entry)) return refuse({ refused: entry.code, param: '/account' });
      const transfer: InboundTransfer = {
        id: transferId,
        accountId: account.id,
        amount: input.amount,
        currency: input.currency,
        description: input.description,
        createdAt: moment.book,
      };
      draft.append(inboundTransfers, transfer);
      tellArrival(entry);
      return draft.finish<Stored>({
        status: 201,
        body: writeJson(transferView(transfer, { entryId: entry.id, livemode: draft.livemode, salt: input.salt })),
        resource: 'inbound_transfer',
        resourceId: transferId,
      });
    },
  };
}

function describedBy(input: ReceiveTransfer): EntryText | null {
  return input.description === null ? null : { salt: input.salt, description: input.description };
}

function transferView(transfer: InboundTransfer, context: { entryId: Uuid; livemode: boolean; salt: Buffer }) {
  const owner: TextOwner = { object: 'inbound_transfer', objectId: transfer.id, salt: context.salt };
  return {
    id: publicId('inboundTransfer', transfer.id),
    object: 'inbound_transfer',
    livemode: context.livemode,
    account: publicId('account', transfer.accountId),
    amount: transfer.amount,
    currency: transfer.currency,
    currency_exponent: currencyExponent(transfer.currency),
    description: personal(owner, 'description', transfer.description),
    journal_entries: [publicId('entry', context.entryId)],
    created_at: formatInstant(transfer.createdAt),
  };
}
