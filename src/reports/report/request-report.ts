/**
 * Accepts a report. The command decides which entries count, and finishes the last day where it is over: what is posted afterwards is of a
 * later moment. So the report is of the same figures whenever it is written.
 */
import { dayOf } from '../../calendar/day.ts';
import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import { storedAs } from '../../idempotency/stored-view.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import { isFinished } from '../../ledger/clock/finish-day.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { operatorBooks } from '../../organisations/organisation-store.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { writeJson } from '../../values/json.ts';
import { findChainHash } from '../figures/chart-store.ts';
import { REPORT_TYPES, type ReportType } from '../figures/kinds.ts';
import { WRITE_AGAIN_MS } from './moved-reports.ts';
import { REPORT_LIMITS, type Report } from './report.ts';
import { reportResource, reportView } from './report-resource.ts';
import { countReports, type ReportsOfBook } from './report-store.ts';
import { reports } from './report-table.ts';

/** What is asked for. */
export type ReportParameters = Pick<
  Report,
  'type' | 'from' | 'to' | 'axis' | 'currency' | 'accountId' | 'detail' | 'format' | 'bom'
> & {
  /** Undefined: all entries that are there when it is accepted. */
  readonly throughSequence: bigint | undefined;
};

type RequestRuntime = OnceRuntime & { readonly pool: Pool };

export const requestReport: UseCase<RequestRuntime, Asked & { readonly parameters: ReportParameters }> = {
  // Places are counted before the commit: a repeated request is answered although none is free by then.
  keyFirst: true,
  async prepare({ pool }, { bookId, requestId, actor, parameters }) {
    await requireOperator(pool, bookId, parameters);
    await requireAccount(pool, bookId, parameters.accountId);
    const place = await askedPlace(pool, bookId, parameters.throughSequence);
    const counted = await countReports(pool, bookId);
    return { command: acceptReport({ requestId, actor, parameters, place, counted }) };
  },
};

/** Throws ApiError `parameter_invalid` where another book asks for a report of the operator's. */
async function requireOperator(pool: Pool, bookId: BookId, { type }: ReportParameters): Promise<void> {
  const { ofOperator }: ReportType = REPORT_TYPES[type];
  if (!ofOperator) return;
  const { test, live } = await operatorBooks(pool);
  if (bookId === test || bookId === live) return;
  throw new ApiError('parameter_invalid', {
    param: '/type',
    detail: "This report is of the operator's books alone: no other book has bank accounts.",
  });
}

/** Throws ApiError `resource_not_found` for an account of another book. */
async function requireAccount(pool: Pool, bookId: BookId, accountId: Uuid | null): Promise<void> {
  if (accountId === null || (await accounts.find(pool, bookId, accountId))) return;
  throw new ApiError('resource_not_found', { param: '/account', detail: 'There is no such account in this book.' });
}

/** The entries that count, where the request names the last one. */
type Place = Pick<Report, 'throughSequence' | 'chainHash'>;

/** Throws ApiError `parameter_invalid` for an entry that is not there yet. */
async function askedPlace(pool: Pool, bookId: BookId, asked: bigint | undefined): Promise<Place | undefined> {
  if (asked === undefined) return undefined;
  const chainHash = asked === 0n ? null : await findChainHash(pool, bookId, asked);
  if (chainHash !== undefined) return { throughSequence: asked, chainHash };
  const { entrySequence } = (await loadBook(pool, bookId))!;
  throw new ApiError('parameter_invalid', {
    param: '/through_sequence',
    detail: `Expects an entry of the book: the last one is ${entrySequence}.`,
  });
}

interface AcceptReport {
  readonly requestId: string;
  readonly actor: string;
  readonly parameters: ReportParameters;
  readonly place: Place | undefined;
  readonly counted: ReportsOfBook;
}

function acceptReport(input: AcceptReport): Command<Stored | Refusal> {
  const { parameters, requestId, actor, counted } = input;
  const origin = { id: newId(), requestId, actor };
  return {
    ...origin,
    name: 'report.request',
    touches: [],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const today = requireBegun(draft, parameters);
      const refusal = refuseMore(counted);
      if (refusal) return draft.finish<Refusal>(refusal);
      const { entrySequence, chainHash } = draft.book;
      const head: Place = { throughSequence: entrySequence, chainHash: entrySequence === 0n ? null : chainHash };
      const { throughSequence: _, ...asked } = parameters;
      const report: Report = {
        ...{ id: origin.id, status: 'pending' },
        ...asked,
        ...(input.place ?? head),
        ...{ interim: parameters.to === today, rowsDone: 0n, totals: [], fileBytes: null },
        ...{ sha256: null, digest: null, expiresAt: null, failure: null, failureDetail: null },
        ...{ requestId, version: 1, dueAt: moment.wall + WRITE_AGAIN_MS },
        ...{ createdAt: moment.book, updatedAt: moment.book },
      };
      draft.put(reports, report.id, report);
      draft.enqueue({ pool: 'reports', job: 'report.write', id: report.id });
      const body = writeJson(reportView(report, draft.livemode));
      const outcome = draft.finish<Stored>(storedAs(reportResource, report, { status: 202, body }));
      if (report.interim || isFinished(report.to, outcome.book)) return outcome;
      return { ...outcome, book: { ...outcome.book, lastPostedAt: moment.book } };
    },
  };
}

/** The day of the book. Throws ApiError `parameter_invalid`, which is kept nowhere, for a last day that has not begun. */
function requireBegun({ book, moment }: Draft, { type, to, format }: ReportParameters): string {
  const today = dayOf(moment.book, book.timeZone);
  const { of, ofNow }: ReportType = REPORT_TYPES[type];
  const refuse = (detail: string) =>
    new ApiError('parameter_invalid', { param: of === 'day' ? '/as_of' : '/to', detail });
  if (to > today) throw refuse(`Expects a day that has begun; today is ${today} in ${book.timeZone}.`);
  if (ofNow && to < today)
    throw refuse(`This report is of what is open now: expects today, which is ${today} in ${book.timeZone}.`);
  if (format === 'camt053' && to === today) throw refuse(`A camt.053 is of days that are over: ${to} is not.`);
  return today;
}

/** Requests at the same moment may pass the limit by their number. */
function refuseMore({ underWay, kept, bytes }: ReportsOfBook): Refusal | undefined {
  const refuse = (limit: number, detail: string): Refusal => ({ refused: 'limit_exceeded', detail, facts: { limit } });
  if (underWay >= REPORT_LIMITS.underWay)
    return refuse(REPORT_LIMITS.underWay, `A book has at most ${REPORT_LIMITS.underWay} reports under way.`);
  const later = `Files are dropped after ${REPORT_LIMITS.keptDays} days.`;
  if (kept >= REPORT_LIMITS.kept)
    return refuse(REPORT_LIMITS.kept, `A book keeps the files of at most ${REPORT_LIMITS.kept} reports. ${later}`);
  if (bytes < REPORT_LIMITS.bookBytes) return undefined;
  return refuse(REPORT_LIMITS.bookBytes, `A book keeps at most ${REPORT_LIMITS.bookBytes} bytes of reports. ${later}`);
}
