/** The steps of a report that is being written, each a command. */
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { advance } from '../../ledger/resources/resource.ts';
import type { Instant } from '../../values/clock.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import type { Written } from '../figures/write-figures.ts';
import type { FailureCode, Report } from './report.ts';
import { reportResource } from './report-resource.ts';
import { reports } from './report-table.ts';

const WORKER = 'worker:reports';

/** pending → running. */
export function startReport(id: Uuid): Command<boolean> {
  return stepOf('report.start', id, 'pending', (draft, report) => {
    advance(draft, reportResource, report, { status: 'running' });
  });
}

/** running → succeeded: its file is whole. */
export function succeedReport(id: Uuid, written: Written, expiresAt: Instant): Command<boolean> {
  return stepOf('report.succeed', id, 'running', (draft, report) => {
    const totals = written.totals.map(({ currency, debits, credits }) => ({
      ...{ currency, debits: String(debits), credits: String(credits) },
    }));
    const { sha256, digest, bytes } = written;
    advance(
      draft,
      reportResource,
      report,
      {
        ...{ status: 'succeeded', rowsDone: BigInt(written.rows), totals, fileBytes: BigInt(bytes) },
        ...{ sha256, digest, expiresAt, dueAt: null },
      },
      { event: 'report.succeeded' },
    );
  });
}

/** running → failed: there is no file. */
export function failReport(id: Uuid, failure: FailureCode, detail: string): Command<boolean> {
  return stepOf('report.fail', id, 'running', (draft, report) => {
    const change = { status: 'failed', failure, failureDetail: detail, dueAt: null } as const;
    advance(draft, reportResource, report, change);
  });
}

/** Answers whether the report had the status. */
function stepOf(
  name: string,
  id: Uuid,
  from: Report['status'],
  step: (draft: Draft, report: Report) => void,
): Command<boolean> {
  const origin = { id: newId(), requestId: newId(), actor: WORKER };
  return {
    ...origin,
    name,
    touches: [{ table: reports, ids: [id] }],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const report = draft.get(reports, id);
      if (report?.status !== from) return draft.finish(false);
      step(draft, report);
      return draft.finish(true);
    },
  };
}
