/** Closes a bank account: at zero, and with nothing of it left for people or under way. */
import type { Pool } from '../../db/pool.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { Asked, Prepared, UseCase } from '../../idempotency/use-case.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
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
    // Read before what is counted: a statement that is posted in between shows on the account.
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

/** Throws StaleRead where a statement was posted since it was counted what is left. */
function closeBankAccount({ bankAccountId: id, read, left, ...change }: CloseBankAccount): Command<Stored | Refusal> {
  return changeOf(bankAccountResource, { ...change, id, action: 'close' }, (draft, account): Stored | Refusal => {
    if (account.lastStatementId !== read?.lastStatementId)
      throw new StaleRead('A statement of the bank account was posted meanwhile.');
    if (left.lines > 0 || left.held > 0) return refuseLeft(account, left);
    const step = { event: 'bank_account.closed' };
    return storedView(draft, bankAccountResource, advance(draft, bankAccountResource, account, CLOSED, step));
  });
}

const CLOSED = { status: 'closed' } as const;

function refuseLeft({ status }: BankAccount, { lines, held }: LeftOpen): Refusal {
  return {
    refused: 'state_conflict',
    detail: `Open lines: ${lines}. Held statements: ${held}. Match the lines and decide about the statements, then close the bank account.`,
    facts: { current_status: status, allowed_actions: [] },
  };
}
