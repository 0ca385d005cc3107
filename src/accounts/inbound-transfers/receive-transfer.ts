/** Money that arrives from outside: pool → customer. Credits of banks name the account (src/inbound/); in test mode a simulation does. */

import type { Stored } from '../../idempotency/idempotency-key.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import { chartAccountId } from '../../ledger/account/chart.ts';
import type { ClosedPermissions } from '../../ledger/account/closed-accounts.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { refuseTotals } from '../../ledger/command/lifetime-total.ts';
import type { EntryText } from '../../ledger/entry/entry.ts';
import { announce } from '../../ledger/resources/resource.ts';
import { formatInstant, type Instant } from '../../values/clock.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { accountProfiles } from '../account/account-profile-table.ts';
import { accountTouches } from '../account/account-resource.ts';
import { expectArrival } from '../account/tell-arrival.ts';
import type { BankFacts, InboundTransfer } from './inbound-transfer.ts';
import { inboundTransferResource } from './inbound-transfer-resource.ts';
import { inboundTransfers } from './inbound-transfer-table.ts';

export interface ReceiveTransfer {
  bookId: BookId;
  accountId: Uuid;
  amount: bigint;
  currency: string;
  description: string | null;
  /** Hides the texts in the hash chain, in events and in the answer; random, minted with the request. */
  salt: Buffer;
  requestId: Uuid;
  actor: string;
  /** Of a bank's credit: the id that the transfer has on every attempt. Left out: a new one. */
  transferId?: Uuid;
  bank?: BankFacts;
  /** Of an opening balance: the file that it stands in (src/inbound/openings/). */
  openingId?: Uuid;
  /** Of a write-off (src/inbound/write-offs/). */
  writeOffId?: Uuid;
  /** Left out: a closed account refuses. */
  permissions?: ClosedPermissions;
}

const NOTHING_OF_A_BANK: BankFacts = {
  ...{ bankReference: null, endToEndId: null, payerName: null, payerAccount: null },
  ...{ remittance: null, valueOn: null, bookedOn: null },
};

/** A reference of a bank has at most 35 characters (ISO 20022, Max35Text). Every id has the same digit of its version, which is left out. */
function sandboxReference(transferId: Uuid): string {
  const digits = transferId.replaceAll('-', '').toUpperCase();
  return `SBX${digits.slice(0, 12)}${digits.slice(13)}`;
}

/** What the sandbox's bank reports of a credit that is simulated: a reference of its own, and today. */
export function simulatedCredit(now: Instant): { readonly transferId: Uuid; readonly bank: BankFacts } {
  const transferId = newId();
  const today = formatInstant(now).slice(0, 10);
  return {
    transferId,
    bank: { ...NOTHING_OF_A_BANK, bankReference: sandboxReference(transferId), valueOn: today, bookedOn: today },
  };
}

/** Posts pool → customer, once by the id of the transfer. A frozen account receives; a closed account refuses. */
export function receiveTransfer(input: ReceiveTransfer): Command<Stored | Refusal> {
  const id = newId();
  const transferId = input.transferId ?? newId();
  const origin = { id, requestId: input.requestId, actor: input.actor };
  return {
    id,
    name: 'inbound_transfer.receive',
    requestId: input.requestId,
    actor: input.actor,
    touches: [
      ...accountTouches(input),
      { table: accounts, ids: [chartAccountId(input.bookId, 'pool', input.currency)] },
      { table: inboundTransfers, ids: [transferId] },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const known = draft.get(inboundTransfers, transferId);
      if (known) return draft.finish<Stored | Refusal>(shownAs(draft, known));
      const answer = receiveInto(draft, transferId, input);
      return 'refused' in answer ? new Draft(state, origin, moment).finish(answer) : draft.finish(answer);
    },
  };
}

/** Within a command that declares what it touches, as `receiveTransfer` does. Behind a refusal of the posting the draft is not kept. */
export function receiveInto(draft: Draft, transferId: Uuid, input: ReceiveTransfer): Stored | Refusal {
  const account = draft.get(accounts, input.accountId);
  if (!account || !draft.get(accountProfiles, input.accountId))
    return { refused: 'resource_not_found', param: '/account', detail: 'There is no such account in this book.' };
  if (account.currency !== input.currency)
    return {
      refused: 'currency_mismatch',
      param: '/currency',
      detail: `The account is kept in ${account.currency}.`,
      facts: { account_currency: account.currency },
    };
  const pool = draft.chart('pool', input.currency);
  const beyond = refuseTotals(draft, [account.id, pool.id], input);
  if (beyond) return beyond;
  const announceArrival = expectArrival(draft, account.id);
  const entry = draft.tryPost({
    resource: 'inbound_transfer',
    resourceId: transferId,
    step: 'received',
    text: describedBy(input),
    ...input.permissions,
    postings: [{ debit: pool.id, credit: account.id, amount: input.amount }],
  });
  if (!('hash' in entry)) return { refused: entry.code, param: '/account' };
  const bank = input.bank ?? NOTHING_OF_A_BANK;
  const transfer: InboundTransfer = {
    id: transferId,
    status: 'received',
    accountId: account.id,
    amount: input.amount,
    currency: input.currency,
    description: input.description,
    ...bank,
    textSalt: input.description === null && bank.remittance === null ? null : input.salt,
    ...{ entryId: entry.id, returnEntryId: null, openingId: input.openingId ?? null },
    writeOffId: input.writeOffId ?? null,
    version: 1,
    createdAt: draft.moment.book,
    updatedAt: draft.moment.book,
  };
  const kept = draft.put(inboundTransfers, transferId, transfer);
  if (draft.forms.moneyIn)
    announce(draft, inboundTransferResource, kept, { event: 'inbound_transfer.received', entries: [entry] });
  announceArrival(entry);
  return shownAs(draft, kept);
}

function shownAs(draft: Draft, transfer: InboundTransfer): Stored {
  return { ...storedView(draft, inboundTransferResource, transfer), status: 201 };
}

function describedBy(input: ReceiveTransfer): EntryText | null {
  return input.description === null ? null : { salt: input.salt, description: input.description };
}
