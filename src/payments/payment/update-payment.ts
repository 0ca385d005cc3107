/** Changes the descriptive members of a payment: description, external id, metadata. */
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
import { paymentResource } from './payment-resource.ts';

export interface UpdatePayment extends Change {
  readonly paymentId: Uuid;
  readonly description?: string | null | undefined;
  readonly externalId?: string | null | undefined;
  readonly metadata?: Record<string, string> | undefined;
}

export const requestPaymentUpdate: UseCase<OnceRuntime, Asked & UpdatePayment> = {
  prepare: (_, input) => Promise.resolve({ command: updatePayment(input) }),
};

/** A field that is left out stays as it is. Without a difference nothing is written, and no event is emitted. */
function updatePayment(input: UpdatePayment): Command<Stored | Refusal> {
  const salt = newSalt();
  return changeOf(paymentResource, { ...input, id: input.paymentId, action: 'update' }, (draft, payment) => {
    const change = differenceFrom(payment, {
      description: input.description === undefined ? payment.description : input.description,
      externalId: input.externalId === undefined ? payment.externalId : input.externalId,
      metadata: input.metadata ?? payment.metadata,
    });
    if (change === undefined) return storedView(draft, paymentResource, payment);
    if (change.metadata) indexMetadata(draft, change.metadata, { object: 'payment', objectId: payment.id });
    const textSalt = payment.textSalt ?? (hasText({ ...payment, ...change }) ? salt : null);
    const updated = advance(draft, paymentResource, payment, { ...change, textSalt }, { event: 'payment.updated' });
    return storedView(draft, paymentResource, updated);
  });
}
