import type { Resource, Shown } from '../ledger/resource.ts';
import { operationView } from './operation-view.ts';
import {
  OPERATION_RESOURCES,
  OPERATION_TRANSITIONS,
  type OperationKind,
  type PaymentOperation,
} from './payment-operation.ts';
import { paymentOperations } from './payment-operation-table.ts';

function resourceOf(kind: Exclude<OperationKind, 'authorize'>): Resource<PaymentOperation, Shown> {
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

/** An authorization is never shown: it announces nothing and has no entries. */
export const operationResources: Readonly<Record<OperationKind, Resource<PaymentOperation, Shown>>> = {
  authorize: { ...resourceOf('increment'), noun: 'authorization' },
  increment: resourceOf('increment'),
  capture: captureResource,
  void: resourceOf('void'),
  refund: refundResource,
};
