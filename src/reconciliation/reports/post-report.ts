/**
 * Posts an acquirer's report in the operator's book, once: net to acquirer_clearing, where it waits for a bank's line, cost to acquiring_costs, gross
 * to acquirer_suspense, which the mirror of the lines that books have taken empties.
 */
import { dayOf } from '../../calendar/day.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import type { Entry } from '../../ledger/entry/entry.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { deriveId, newId, type Uuid } from '../../values/ids.ts';
import type { ExpectedItem } from '../items/expected-item.ts';
import { expectedItems } from '../items/expected-item-table.ts';
import { sideAccount, sideAccountId } from '../items/party-accounts.ts';
import { type AcquirerReport, stepOf } from './acquirer-report.ts';
import { acquirerReportResource } from './acquirer-report-resource.ts';
import { acquirerReports, type ReadReport } from './acquirer-report-table.ts';

const CODES = ['acquirer_clearing', 'acquiring_costs', 'acquirer_suspense'] as const;

interface PostReport {
  readonly bookId: BookId;
  readonly report: Pick<AcquirerReport, 'id' | 'acquirer'>;
  readonly read: ReadReport;
}

type Total = ReadReport['totals'][number];

const itemIdOf = (reportId: Uuid, currency: string): Uuid => deriveId('expected-item', reportId, currency);

/** Answers with whether it posted it: one that is posted stays as it is. */
export function postReport({ bookId, report: { id, acquirer: party }, read }: PostReport): Command<boolean> {
  const origin = { id: newId(), requestId: newId(), actor: 'worker:ledger' };
  const { totals } = read;
  return {
    ...origin,
    name: 'acquirer_report.post',
    touches: [
      { table: acquirerReports, ids: [id] },
      { table: expectedItems, ids: totals.map(({ currency }) => itemIdOf(id, currency)) },
      {
        table: accounts,
        ids: totals.flatMap(({ currency }) => CODES.map((code) => sideAccountId(bookId, { code, currency, party }))),
      },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const report = draft.get(acquirerReports, id)!;
      if (report.status === 'posted') return draft.finish(false);
      const posted = totals.map((total) => postTotal(draft, report, { total, name: read.name }));
      const change = {
        status: 'posted' as const,
        totals: totals.map(({ currency, gross, cost }, index) => ({
          ...{ currency, gross: String(gross), cost: String(cost), itemId: posted[index]!.itemId },
        })),
      };
      const entries = posted.flatMap(({ entry }) => entry ?? []);
      advance(draft, acquirerReportResource, report, change, { event: 'acquirer_report.posted', entries });
      return draft.finish(true);
    },
  };
}

function postTotal(
  draft: Draft,
  report: AcquirerReport,
  { total, name }: { readonly total: Total; readonly name: string },
): { readonly entry: Entry | null; readonly itemId: Uuid | null } {
  const { currency, gross, cost } = total;
  const net = gross - cost;
  if (net === 0n && cost === 0n) return { entry: null, itemId: null };
  const party = report.acquirer;
  const [clearing, costs, suspense] = CODES.map((code) => sideAccount(draft, { code, currency, party }).id) as [
    Uuid,
    Uuid,
    Uuid,
  ];
  const entry = draft.post({
    resource: 'acquirer_report',
    resourceId: report.id,
    step: stepOf(currency),
    effectiveAt: effectOf(draft, report),
    postings: [moved(clearing, suspense, net), moved(costs, suspense, cost)],
  });
  if (net === 0n) return { entry, itemId: null };
  const item = itemOf(draft, report, { currency, net, name, clearing, entryId: entry.id });
  draft.put(expectedItems, item.id, item);
  return { entry, itemId: item.id };
}

/** On the day of the report, and never on one that is not here yet: a test book may have a time of its own. */
function effectOf({ moment: { book: now }, book: { timeZone } }: Draft, { createdAt }: AcquirerReport) {
  return dayOf(createdAt, timeZone) < dayOf(now, timeZone) ? createdAt : undefined;
}

function moved(debit: Uuid, credit: Uuid, amount: bigint) {
  return amount < 0n ? { debit: credit, credit: debit, amount: -amount } : { debit, credit, amount };
}

interface OfItem {
  readonly currency: string;
  readonly net: bigint;
  readonly name: string;
  readonly clearing: Uuid;
  readonly entryId: Uuid;
}

function itemOf(
  { book, moment }: Draft,
  report: AcquirerReport,
  { currency, net, name, clearing, entryId }: OfItem,
): ExpectedItem {
  const amount = net < 0n ? -net : net;
  return {
    id: itemIdOf(report.id, currency),
    party: report.acquirer,
    ...{ clearing: 'acquirer_clearing', clearingAccountId: clearing },
    ...{ direction: net < 0n ? 'out' : 'in', amount, amountOpen: amount, currency, status: 'open' },
    expectedOn: dayOf(report.createdAt, book.timeZone),
    ...{ bankAccountId: null, ofBook: book.id, resource: 'acquirer_report', resourceId: report.id, poolLine: null },
    ...{ endToEndId: null, bankReference: null, documentReference: documentReferenceOf(name), batchId: null },
    ...{ entryId, openingEntryId: null, exceptionId: null, createdAt: moment.book },
  };
}

/** Acquirers name the report in the text of their payment as its file is named, without the ending. */
export function documentReferenceOf(name: string): string | null {
  const stem = name
    .replace(/^.*[\\/]/, '')
    .replace(/\.[A-Za-z0-9]{1,5}$/, '')
    .trim();
  return stem === '' ? null : stem;
}
