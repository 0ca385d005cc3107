import type { Resource, Shown } from '../../ledger/resources/resource.ts';
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import { type SchemeSettlement, schemeSettlements } from './settlement-table.ts';

export const schemeSettlementResource: Resource<SchemeSettlement, Shown> = {
  name: 'scheme_settlement',
  table: schemeSettlements,
  parent: null,
  events: ['scheme_settlement.completed'],
  books: true,
  lineText: {},
  phrase: 'settlement of the scheme',
  changed: (settlement, change) => ({ ...settlement, ...change }),
  view: (settlement, { livemode }) => settlementView(settlement, livemode),
};

function settlementView(settlement: SchemeSettlement, livemode: boolean) {
  return {
    id: publicId('schemeSettlement', settlement.id),
    object: 'scheme_settlement',
    livemode,
    status: 'completed',
    net: settlement.net,
    currency: settlement.currency,
    currency_exponent: currencyExponent(settlement.currency),
    lines: settlement.lines,
    journal_entries: settlement.entryIds.map((id) => publicId('entry', id)),
    request_id: publicId('request', settlement.requestId),
    version: settlement.version,
    created_at: formatInstant(settlement.createdAt),
    updated_at: formatInstant(settlement.updatedAt),
  };
}
