/** Changes what a bank account states of its files, and closes it. */
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { Command, Refusal, Touch } from '../../ledger/command/command.ts';
import { type Change, changeOf } from '../../ledger/resources/change-of.ts';
import { advance } from '../../ledger/resources/resource.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BankAccount } from './bank-account.ts';
import { bankAccountResource } from './bank-account-resource.ts';
import { cutOver, cutOverTouches } from './cut-over-of-account.ts';

interface OfBankAccount extends Change {
  readonly bankAccountId: Uuid;
}

export type BankAccountChange = Partial<
  Pick<
    BankAccount,
    | 'name'
    | 'bic'
    | 'booksFrom'
    | 'reversalIndicator'
    | 'allocateOn'
    | 'calendar'
    | 'windowBefore'
    | 'windowAfter'
    | 'parties'
  >
>;

interface UpdateBankAccount extends OfBankAccount {
  readonly change: BankAccountChange;
  /** As it was read: what never changes of it. Undefined where the account does not exist. */
  readonly known: Pick<BankAccount, 'currency' | 'holds'> | undefined;
}

/** What is posted already stays. A party that no account has named before is cut over by this one. */
export function updateBankAccount(input: UpdateBankAccount): Command<Stored | Refusal> {
  const { bankAccountId: id, change, known } = input;
  const { parties } = change;
  const touches = parties && known ? cutOverTouches({ ...known, parties }) : [];
  return step(input, { id, action: 'update', touches }, change, 'bank_account.updated');
}

export function closeBankAccount(input: OfBankAccount): Command<Stored | Refusal> {
  return step(input, { id: input.bankAccountId, action: 'close' }, { status: 'closed' }, 'bank_account.closed');
}

function step(
  input: Change,
  of: { readonly id: Uuid; readonly action: string; readonly touches?: readonly Touch[] },
  change: Partial<BankAccount>,
  event: string,
): Command<Stored | Refusal> {
  return changeOf(bankAccountResource, { ...input, ...of }, (draft, account: BankAccount): Stored => {
    const changed = advance(draft, bankAccountResource, account, change, { event });
    if (change.parties !== undefined) cutOver(draft, changed);
    return storedView(draft, bankAccountResource, changed);
  });
}
