/** Changes the metadata of a purchase. */
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { differenceFrom } from '../../ledger/events/previous-attributes.ts';
import { type Change, changeOf } from '../../ledger/resources/change-of.ts';
import { indexMetadata } from '../../ledger/resources/metadata-store.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { hasText, newSalt } from '../../ledger/rows/personal-text.ts';
import type { Uuid } from '../../values/ids.ts';
import { transactionResource } from './purchase-resource.ts';

export interface UpdatePurchase extends Change {
  readonly transactionId: Uuid;
  readonly metadata?: Record<string, string> | undefined;
}

export const requestPurchaseUpdate: UseCase<OnceRuntime, Asked & UpdatePurchase> = {
  prepare: (_, input) => Promise.resolve({ command: updatePurchase(input) }),
};

/** Where nothing changes, nothing is written or announced. */
function updatePurchase(input: UpdatePurchase): Command<Stored | Refusal> {
  const salt = newSalt();
  return changeOf(transactionResource, { ...input, id: input.transactionId, action: 'update' }, (draft, purchase) => {
    const change = differenceFrom(purchase, { metadata: input.metadata ?? purchase.metadata });
    if (change === undefined) return storedView(draft, transactionResource, purchase);
    if (change.metadata) indexMetadata(draft, change.metadata, { object: 'transaction', objectId: purchase.id });
    const isText = hasText({ description: null, metadata: change.metadata ?? purchase.metadata });
    const textSalt = purchase.textSalt ?? (isText ? salt : null);
    const event = 'transaction.updated';
    const updated = advance(draft, transactionResource, purchase, { ...change, textSalt }, { event });
    return storedView(draft, transactionResource, updated);
  });
}
