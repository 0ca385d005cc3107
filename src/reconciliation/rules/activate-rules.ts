/** Another person than the one who drafted it activates a version of matching rules: lines are matched by it from now on. */
import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import { isSameActor } from '../../exceptions/exception.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { Asked, Prepared, UseCase } from '../../idempotency/use-case.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';
import { type Change, changeOf } from '../../ledger/resources/change-of.ts';
import { advance } from '../../ledger/resources/resource.ts';
import type { Principal } from '../../organisations/authenticate.ts';
import type { Uuid } from '../../values/ids.ts';
import { bankAccountResource } from '../accounts/bank-account-resource.ts';
import { bankAccounts } from '../accounts/bank-account-table.ts';
import { requirePersonsKey } from '../accounts/operators-book.ts';
import type { BankAccountRules } from './bank-account-rules.ts';
import { bankAccountRulesResource } from './bank-account-rules-resource.ts';
import { bankAccountRules } from './bank-account-rules-table.ts';

interface ActivateRules extends Change {
  readonly rules: Pick<BankAccountRules, 'id' | 'bankAccountId'>;
  /** The version that counts, as it was read. */
  readonly activeId: Uuid | null;
  readonly actor: string;
}

/** The version before it is retired in the same commit. One that is older than the active one is refused: somebody has decided since. */
export function activateRules(input: ActivateRules): Command<Stored | Refusal> {
  const { rules, activeId, actor } = input;
  const { id, bankAccountId } = rules;
  const touches = [
    { table: bankAccounts, ids: [bankAccountId] },
    { table: bankAccountRules, ids: activeId === null ? [id] : [id, activeId] },
  ];
  const request = { ...input, id, action: 'activate', touches };
  return changeOf(bankAccountRulesResource, request, (draft, drafted): Stored | Refusal => {
    const account = draft.get(bankAccounts, bankAccountId)!;
    if (isSameActor(drafted.draftedBy, actor))
      return {
        refused: 'self_approval_forbidden',
        detail: 'Who drafted the version does not activate it.',
        facts: { current_status: drafted.status },
      };
    if (account.rulesId !== activeId) throw new StaleRead('Another version is active by now.');
    const refusal = refuseOlder(drafted, account.rulesVersion);
    if (refusal) return refusal;
    const { book } = draft.moment;
    if (activeId !== null) {
      const active = draft.get(bankAccountRules, activeId)!;
      advance(draft, bankAccountRulesResource, active, { status: 'retired', retiredAt: book });
    }
    const change = { status: 'active', activatedBy: actor, activatedAt: book } as const;
    const activated = advance(draft, bankAccountRulesResource, drafted, change);
    const counts = { rulesId: id, rulesVersion: drafted.number };
    advance(draft, bankAccountResource, account, counts, { event: 'bank_account.updated' });
    return storedView(draft, bankAccountRulesResource, activated);
  });
}

function refuseOlder({ number, status }: BankAccountRules, active: number | null): Refusal | undefined {
  if (active === null || number > active) return undefined;
  return {
    refused: 'state_conflict',
    detail: `Version ${active} is active, and newer than version ${number}. Draft its content again.`,
    facts: { current_status: status, allowed_actions: [] },
  };
}

interface ActivationRequest extends Asked {
  readonly bankAccountId: Uuid;
  readonly rulesId: Uuid;
  readonly ifMatch?: number;
  readonly ownerKind: Principal['ownerKind'];
}

export const requestRulesActivation: UseCase<OnceRuntime & { readonly pool: Pool }, ActivationRequest> = {
  keyFirst: true,
  async prepare({ pool }, input): Promise<Prepared> {
    const { bookId, bankAccountId, rulesId } = input;
    const rules = await bankAccountRules.find(pool, bookId, rulesId);
    if (rules?.bankAccountId !== bankAccountId)
      throw new ApiError('resource_not_found', {
        param: 'version',
        detail: 'This bank account has no version with that id.',
      });
    requirePersonsKey(input);
    const account = (await bankAccounts.find(pool, bookId, bankAccountId))!;
    return { command: activateRules({ ...input, rules, activeId: account.rulesId }) };
  },
};
