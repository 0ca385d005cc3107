/** The group of reports: figures of the books, for people who check them, by command and by API, and exports of the journal. */
import { APPENDS, changes, deletable } from '../db/table-rights.ts';
import type { Group } from '../group/group.ts';
import { movedReports } from './report/moved-reports.ts';
import { reportResource } from './report/report-resource.ts';
import { sweepReportFiles } from './report/sweep-files.ts';
import { totalsCheck } from './totals/checks/totals-check.ts';

/** The folders of the group, in the order in which they may see each other (.dependency-cruiser.cjs). */
export const NOUNS = ['totals', 'figures', 'plain', 'report'] as const;

export const reportsGroup: Group = {
  name: 'reports',
  resources: [reportResource],
  tables: [],
  rights: {
    report_files: deletable(
      changes('key_sealed', 'holder', 'leased_until', 'writer_state', 'pieces', 'bytes', 'expires_at'),
    ),
    report_pieces: changes(),
    journal_totals: APPENDS,
  },
  moved: [movedReports],
  checks: [totalsCheck],
  blocksClosing: [],
  gauges: [],
  sweeps: sweepReportFiles,
};
