/**
 * Commands of the bare ledger, written on its draft as a group would write them: for what the API has no group yet.
 */
import type { Stored } from '../../src/idempotency/idempotency-key.ts';
import { accounts } from '../../src/ledger/account/account-table.ts';
import type { Command, Outcome, Refusal, Touch } from '../../src/ledger/command/command.ts';
import { Draft } from '../../src/ledger/command/draft.ts';
import { newId, type ResourceName, type Uuid } from '../../src/values/ids.ts';
import { WrittenJson } from '../../src/values/json.ts';

export type Answer = Stored | Refusal;

export function command(
  name: string,
  touches: readonly Touch[],
  decide: (begin: () => Draft, id: Uuid) => Outcome<Answer>,
): Command<Answer> {
  const id = newId();
  return {
    id,
    name: `test.${name}`,
    requestId: id,
    touches,
    decide: (state, moment) => decide(() => new Draft(state, { id, requestId: id }, moment), id),
  };
}

export const touchAccounts = (...ids: Uuid[]): Touch => ({ table: accounts, ids });

export const stored = (status: number, resource: ResourceName, resourceId: Uuid): Stored => ({
  status,
  body: new WrittenJson('{}'),
  resource,
  resourceId,
});
