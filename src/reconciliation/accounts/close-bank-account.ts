/** Closes a bank account: at zero, and with nothing of it left for people or under way. */
import type { Pool } from '../../db/pool.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { Asked, Prepared, UseCase } from '../../idempotency/use-case.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';
import { type Change, changeOf } from '../../ledger/resources/change-of.ts';
import { advance } from '../../ledger/resources/resource.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BankAccount } from './bank-account.ts';
import { bankAccountResource } from './bank-account-resource.ts';
import { bankAccounts } from './bank-account-table.ts';
import { type LeftOpen, readLeftOpen } from './left-open-store.ts';

interface ClosingRequest extends Asked {
  readonly bankAccountId: Uuid;
  readonly ifMatch: number | undefined;
}

export const requestClosing: UseCase<OnceRuntime & { readonly pool: Pool }, ClosingRequest> = {
  keyFirst: true,
  async prepare({ pool }, { bookId, ...input }): Promise<Prepared> {
    // Read before what is counted: whatever is posted, held or undone in between shows on the account.
    const read = await bankAccounts.find(pool, bookId, input.bankAccountId);
    const left = await readLeftOpen(pool, bookId, input.bankAccountId);
    return { command: closeBankAccount({ ...input, read, left }) };
  },
};

interface CloseBankAccount extends Change {
  readonly bankAccountId: Uuid;
  /** Undefined where it does not exist. */
  readonly read: BankAccount | undefined;
  readonly left: LeftOpen;
}

/** Throws StaleRead where a statement was posted or held, or a match undone, since what is left was counted. */
function closeBankAccount({ bankAccountId: id, read, left, ...change }: CloseBankAccount): Command<Stored | Refusal> {
  return changeOf(bankAccountResource, { ...change, id, action: 'close' }, (draft, account): Stored | Refusal => {
    if (account.lastStatementId !== read?.lastStatementId || account.reopened !== read?.reopened)
      throw new StaleRead('Something of the bank account was posted, held or undone meanwhile.');
    if (left.lines > 0 || left.held > 0) return refuseLeft(account, left);
    const step = { event: 'bank_account.closed' };
    return storedView(draft, bankAccountResource, advance(draft, bankAccountResource, account, CLOSED, step));
  });
}

/** For a command that holds a statement of the account or undoes a match of its lines, and has declared the account. */
export function leaveOpen(draft: Draft, bankAccountId: Uuid): void {
  const account = draft.get(bankAccounts, bankAccountId)!;
  draft.put(bankAccounts, bankAccountId, { ...account, reopened: account.reopened + 1 });
}

const CLOSED = { status: 'closed' } as const;

function refuseLeft({ status }: BankAccount, { lines, held }: LeftOpen): Refusal {
  return {
    refused: 'state_conflict',
    detail: `Open lines: ${lines}. Held statements: ${held}. Match the lines and decide about the statements, then close the bank account.`,
    facts: { current_status: status, allowed_actions: [] },
  };
}
