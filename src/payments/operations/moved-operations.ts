/** Operations and payments, as workers move them. */
import { keyedByUuid } from '../../db/keyed-table.ts';
import type { MovedRows } from '../../group/moved-rows.ts';
import { publicId } from '../../values/ids.ts';

export const movedOperations: MovedRows = {
  kind: 'payment_operation',
  table: keyedByUuid('payment_operations', 'id'),
  open: ['pending', 'requires_action'],
  due: [
    {
      name: 'operations at acquirers',
      status: 'pending',
      pool: 'payments',
      job: 'operation.inquire',
      againMs: 30_000, // beyond the longest call of an acquirer (20 s) and the commit of its answer
    },
    {
      name: 'challenges that are over',
      status: 'requires_action',
      pool: 'payments',
      job: 'operation.inquire',
      againMs: 30_000,
    },
  ],
  overdue: {
    waitsSince: 'COALESCE(next_inquiry_at, sent_at)',
    finding: {
      check: 'payment_operation.overdue',
      expected: 'moved',
      detail: 'Nobody moves this operation of a payment, and no bug has stopped it.',
      ids: ([id]) => ({ operation: id! }),
    },
  },
  shownId: (id) => id,
};

export const movedPayments: MovedRows = {
  kind: 'payment',
  table: keyedByUuid('payments', 'id'),
  open: ['requires_action', 'authorized', 'partially_captured'],
  due: (['requires_action', 'authorized', 'partially_captured'] as const).map((status) => ({
    name: `payments that expire (${status})`,
    status,
    pool: 'ledger',
    job: 'payment.expire',
    againMs: 30_000, // beyond the 10 s that a command may wait for its book
  })),
  overdue: {
    waitsSince: 'expires_at',
    finding: {
      check: 'payment.overdue',
      expected: 'expired',
      detail: 'Nobody expires this payment, and no bug has stopped it.',
      ids: ([id]) => ({ payment: publicId('payment', id!) }),
    },
  },
  shownId: (id) => publicId('payment', id),
};

export const movedShares: MovedRows = {
  kind: 'payment_share',
  table: keyedByUuid('payment_shares', 'id'),
  open: ['open'],
  due: [
    {
      name: 'shares that are released',
      status: 'open',
      pool: 'ledger',
      job: 'share.release',
      againMs: 30_000,
    },
  ],
  overdue: {
    waitsSince: 'releases_at',
    finding: {
      check: 'payment_share.overdue',
      expected: 'released',
      detail: 'Nobody releases this share, and no bug has stopped it.',
      ids: ([id]) => ({ share: id! }),
    },
  },
  shownId: (id) => id,
};
