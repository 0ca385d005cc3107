import type { Resource, Shown } from '../../ledger/rows/resource.ts';
import { operationView } from './operation-view.ts';
import {
  OPERATION_RESOURCES,
  OPERATION_TRANSITIONS,
  type OperationKind,
  type PaymentOperation,
  type ShownKind,
} from './payment-operation.ts';
import { paymentOperations } from './payment-operation-table.ts';

function resourceOf(kind: ShownKind): Resource<PaymentOperation, Shown> {
  return {
    ...OPERATION_RESOURCES[kind],
    table: paymentOperations,
    changed: (operation, change) => ({ ...operation, ...change }),
    transitions: OPERATION_TRANSITIONS,
    firstStatuses: ['pending'],
    view: (operation, { livemode }) => operationView(operation, livemode),
  };
}

export const captureResource = resourceOf('capture');
export const refundResource = resourceOf('refund');

/** An authorization, and what is said to a dispute, is never shown by itself: it announces nothing and has no entries. */
export const operationResources: Readonly<Record<OperationKind, Resource<PaymentOperation, Shown>>> = {
  authorize: { ...resourceOf('increment'), noun: 'authorization' },
  increment: resourceOf('increment'),
  capture: captureResource,
  void: resourceOf('void'),
  refund: refundResource,
  evidence: { ...resourceOf('increment'), noun: 'evidence' },
  accept_dispute: { ...resourceOf('increment'), noun: 'acceptance' },
};
