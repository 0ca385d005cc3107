/** Changes what a bank account states of its files. */
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { type Change, changeOf } from '../../ledger/resources/change-of.ts';
import { advance } from '../../ledger/resources/resource.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BankAccount } from './bank-account.ts';
import { bankAccountResource } from './bank-account-resource.ts';
import { cutOver, cutOverTouches } from './cut-over-of-account.ts';

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

interface UpdateBankAccount extends Change {
  readonly bankAccountId: Uuid;
  readonly change: BankAccountChange;
  /** As it was read: what never changes of it. Undefined where the account does not exist. */
  readonly known: Pick<BankAccount, 'currency' | 'holds'> | undefined;
}

/** What is posted already stays. A party that no account has named before is cut over by this one. */
export function updateBankAccount(input: UpdateBankAccount): Command<Stored | Refusal> {
  const { bankAccountId: id, known } = input;
  const change: Partial<BankAccount> = input.change;
  const { parties } = change;
  const touches = parties && known ? cutOverTouches({ ...known, parties }) : [];
  return changeOf(bankAccountResource, { ...input, id, action: 'update', touches }, (draft, account): Stored => {
    const changed = advance(draft, bankAccountResource, account, change, { event: 'bank_account.updated' });
    if (parties !== undefined) cutOver(draft, changed);
    return storedView(draft, bankAccountResource, changed);
  });
}
