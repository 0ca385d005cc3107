/** Captures, refunds, increments and voids: resources that share a table, each with rows of its own kind. */
import type { Resource, Shown } from '../../ledger/resources/resource.ts';
import { operationView } from './operation-view.ts';
import {
  OPERATION_TRANSITIONS,
  type OperationKind,
  type PaymentOperation,
  type ShownKind,
} from './payment-operation.ts';
import { paymentOperations } from './payment-operation-table.ts';

type Own = Pick<Resource<PaymentOperation, Shown>, 'events' | 'books' | 'lineText' | 'textless'>;

function resourceOf(kind: ShownKind, own: Own): Resource<PaymentOperation, Shown> {
  return {
    name: kind,
    table: paymentOperations,
    only: { column: 'kind', value: kind },
    parent: { name: 'payment', column: 'payment_id' },
    ...own,
    changed: (operation, change) => ({ ...operation, ...change }),
    transitions: OPERATION_TRANSITIONS,
    firstStatuses: ['pending'],
    view: (operation, { livemode }) => operationView(operation, livemode),
  };
}

/** Of the payment. */
const OF_PAYMENT = {
  of: { table: 'payments', key: 'id', column: 'payment_id' },
  externalId: 'p.external_id',
  description: 'p.description',
} as const;

export const captureResource = resourceOf('capture', {
  events: [],
  books: true,
  lineText: OF_PAYMENT,
  textless: true,
});
export const refundResource = resourceOf('refund', {
  events: ['refund.created', 'refund.succeeded', 'refund.failed'],
  books: true,
  lineText: { ...OF_PAYMENT, description: 'coalesce(r.reason, p.description)' },
});
/** An increment or a void is never shown by itself: it announces nothing and has no entries. */
export const incrementResource = resourceOf('increment', { events: [], books: false, textless: true });
export const voidResource = resourceOf('void', { events: [], books: false, textless: true });

/** An authorization, and an answer to a dispute, moves as an increment does, and is no resource. */
export const operationResources: Readonly<Record<OperationKind, Resource<PaymentOperation, Shown>>> = {
  authorize: { ...incrementResource, noun: 'authorization' },
  increment: incrementResource,
  capture: captureResource,
  void: voidResource,
  refund: refundResource,
  evidence: { ...incrementResource, noun: 'evidence' },
  accept_dispute: { ...incrementResource, noun: 'acceptance' },
};
