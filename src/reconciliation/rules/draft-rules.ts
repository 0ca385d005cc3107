/** A person writes a version of the matching rules of a bank account. Nothing is matched by it before another person activates it. */
import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import type { Asked, Prepared, UseCase } from '../../idempotency/use-case.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { type Change, changeOf, stateConflict } from '../../ledger/resources/change-of.ts';
import type { Principal } from '../../organisations/authenticate.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { writeJson } from '../../values/json.ts';
import { bankAccountResource } from '../accounts/bank-account-resource.ts';
import { bankAccounts } from '../accounts/bank-account-table.ts';
import { requirePersonsKey } from '../accounts/operators-book.ts';
import type { BankAccountRules } from './bank-account-rules.ts';
import { bankAccountRulesResource } from './bank-account-rules-resource.ts';
import { bankAccountRules } from './bank-account-rules-table.ts';

interface DraftRules extends Change, Pick<BankAccountRules, 'bankAccountId' | 'tolerances' | 'bookings'> {
  readonly actor: string;
}

export function draftRules(input: DraftRules): Command<Stored | Refusal> {
  const { bankAccountId, tolerances, bookings, requestId, actor } = input;
  const id = newId();
  const touches = [{ table: bankAccountRules, ids: [id] }];
  return changeOf(
    bankAccountResource,
    { requestId, actor, id: bankAccountId, action: 'draft_rules', touches },
    (draft, account): Stored | Refusal => {
      if (account.status === 'closed') return stateConflict(draft, bankAccountResource, account, 'draft_rules');
      const { book } = draft.moment;
      const number = account.rulesDrafted + 1;
      draft.put(bankAccounts, bankAccountId, { ...account, rulesDrafted: number });
      const rules = draft.put<BankAccountRules>(bankAccountRules, id, {
        ...{ id, bankAccountId, number, status: 'draft', tolerances, bookings, draftedBy: actor },
        ...{ activatedBy: null, activatedAt: null, retiredAt: null, requestId },
        ...{ version: 1, createdAt: book, updatedAt: book },
      });
      const body = writeJson(bankAccountRulesResource.view(rules, draft));
      return { status: 201, body, resource: 'bank_account_rules', resourceId: id };
    },
  );
}

interface DraftRequest extends Asked, Pick<BankAccountRules, 'tolerances' | 'bookings'> {
  readonly bankAccountId: Uuid;
  readonly ownerKind: Principal['ownerKind'];
}

export const requestRulesDraft: UseCase<OnceRuntime & { readonly pool: Pool }, DraftRequest> = {
  keyFirst: true,
  async prepare({ pool }, input): Promise<Prepared> {
    const account = await bankAccounts.find(pool, input.bookId, input.bankAccountId);
    if (!account) throw new ApiError('resource_not_found', { param: 'id' });
    requirePersonsKey(input);
    return { command: draftRules(input) };
  },
};
