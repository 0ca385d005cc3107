/** Disables and enables a payee, as its integrator asks. */
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { type Change, changeOf } from '../../ledger/resources/change-of.ts';
import { advance } from '../../ledger/resources/resource.ts';
import type { Uuid } from '../../values/ids.ts';
import { disable } from './disable-payee.ts';
import { payeeResource } from './payee-resource.ts';

interface PayeeChange extends Change {
  readonly payeeId: Uuid;
}

/** Payouts that were made before go on. */
export function disablePayee(input: PayeeChange): Command<Stored | Refusal> {
  return changeOf(payeeResource, { ...input, id: input.payeeId, action: 'disable' }, (draft, payee) =>
    storedView(draft, payeeResource, disable(draft, payee, 'requested')),
  );
}

export function enablePayee(input: PayeeChange): Command<Stored | Refusal> {
  return changeOf(payeeResource, { ...input, id: input.payeeId, action: 'enable' }, (draft, payee) =>
    storedView(
      draft,
      payeeResource,
      advance(draft, payeeResource, payee, { status: 'active', disabledReason: null }, { event: 'payee.enabled' }),
    ),
  );
}
