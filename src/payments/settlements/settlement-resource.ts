import type { Resource, Shown } from '../../ledger/resources/resource.ts';
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import { SETTLEMENT_TRANSITIONS, type Settlement, type SettlementLine } from '../paydays/settlement.ts';
import { settlements } from '../paydays/settlement-table.ts';

export const settlementResource: Resource<Settlement, Shown> = {
  name: 'settlement',
  table: settlements,
  parent: null,
  events: ['settlement.received', 'settlement.completed'],
  books: true,
  lineText: {},
  changed: (settlement, change) => ({ ...settlement, ...change }),
  transitions: SETTLEMENT_TRANSITIONS,
  firstStatuses: ['received'],
  view: (settlement, { livemode }) => ({
    id: publicId('settlement', settlement.id),
    object: 'settlement',
    livemode,
    status: settlement.status,
    amount: settlement.amount,
    reported_amount: settlement.reported,
    currency: settlement.currency,
    currency_exponent: currencyExponent(settlement.currency),
    acquirer: settlement.acquirer,
    lines: settlement.lines,
    lines_taken: settlement.taken,
    exceptions: settlement.exceptions,
    allowed_actions: [],
    version: settlement.version,
    created_at: formatInstant(settlement.createdAt),
    updated_at: formatInstant(settlement.updatedAt),
  }),
};

export function settlementLineView(line: SettlementLine, { livemode }: Shown) {
  const { paymentId, operationId, entryId, exceptionId } = line;
  const ofRefund = line.type === 'refund' || line.type === 'refund_failed';
  return {
    id: publicId('settlementLine', line.id),
    object: 'settlement_line',
    livemode,
    settlement: publicId('settlement', line.settlementId),
    line_id: line.lineId,
    type: line.type,
    reference: line.reference,
    amount: line.amount,
    currency: line.currency,
    currency_exponent: currencyExponent(line.currency),
    payment: paymentId === null ? null : publicId('payment', paymentId),
    capture: operationId !== null && line.type === 'capture' ? publicId('capture', operationId) : null,
    refund: operationId !== null && ofRefund ? publicId('refund', operationId) : null,
    exception: exceptionId === null ? null : publicId('exception', exceptionId),
    journal_entries: entryId === null ? [] : [publicId('entry', entryId)],
    created_at: formatInstant(line.createdAt),
  };
}
