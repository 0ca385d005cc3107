/** Payments pool: sends operations of payments to their acquirer, those of cards to their processor, and books the answers. */

import { ACQUIRER_NOTICE_KINDS } from '../src/acquirers/acquirer.ts';
import { cards } from '../src/cards/card/card-table.ts';
import { cardOperations } from '../src/cards/operations/card-operation-table.ts';
import { takeProcessorNotices } from '../src/cards/outcomes/processor-notices.ts';
import { inquireCardOperations, submitCardOperations } from '../src/cards/outcomes/send-operations.ts';
import { RowLoads } from '../src/ledger/rows/row-loads.ts';
import type { OutsideCalls } from '../src/outside/calls/job-calls.ts';
import { paymentOperations } from '../src/payments/operations/payment-operation-table.ts';
import { takeAcquirerNotices } from '../src/payments/outcomes/acquirer-notices.ts';
import { inquireOperations, submitOperations } from '../src/payments/outcomes/send-operations.ts';
import { payments } from '../src/payments/payment/payment-table.ts';
import { PROCESSOR_NOTICE_KINDS } from '../src/processors/processor.ts';
import type { PoolDefinition } from '../src/queue/pool.ts';
import type { Runtime } from '../src/runtime.ts';
import { definePartyPool } from './party-pool.ts';

/** `calls` decides when each acquirer and each processor is called. */
export function paymentsPool(runtime: Runtime, calls: OutsideCalls): PoolDefinition {
  const acquirer = (name: string) => runtime.acquirers.get(name);
  const processor = (name: string) => runtime.processors.get(name);
  const sending = {
    ...runtime,
    acquirer,
    processor,
    calls,
    payments: new RowLoads(runtime.pool, payments),
    operations: new RowLoads(runtime.pool, paymentOperations),
    cards: new RowLoads(runtime.pool, cards),
    cardOperations: new RowLoads(runtime.pool, cardOperations),
  };
  return definePartyPool(runtime, {
    name: 'payments',
    parties: [
      {
        noun: 'an acquirer',
        party: (name) => runtime.acquirers.all().find((one) => one.name === name),
        noticeJob: 'acquirer.notices',
        noticeKinds: ACQUIRER_NOTICE_KINDS,
        takeNotices: (inbox, warn) => takeAcquirerNotices({ ...runtime, acquirer, warn }, inbox),
      },
      {
        noun: 'a processor',
        party: (name) => runtime.processors.all().find((one) => one.name === name),
        noticeJob: 'processor.notices',
        noticeKinds: PROCESSOR_NOTICE_KINDS,
        takeNotices: (inbox, warn) => takeProcessorNotices({ ...runtime, processor, warn }, inbox),
      },
    ],
    jobs: {
      'operation.submit': ({ bookId, ids }) => submitOperations(sending, bookId, ids),
      'operation.inquire': ({ bookId, ids }) => inquireOperations(sending, bookId, ids),
      'card.tell': ({ bookId, ids }) => submitCardOperations(sending, bookId, ids),
      'card.inquire': ({ bookId, ids }) => inquireCardOperations(sending, bookId, ids),
    },
  });
}
