/** The group of rails: the rows of those that work by files. It has no resources of its own. */
import { changes } from '../db/table-rights.ts';
import type { Group } from '../group/group.ts';
import { bankGauges } from './iso20022/bank-gauges.ts';
import { bankFileCheck } from './iso20022/checks/bank-file-check.ts';
import { bankInstructionCheck } from './iso20022/checks/bank-instruction-check.ts';
import { sweepFiles } from './iso20022/sweep-files.ts';

export const railsGroup: Group = {
  name: 'rails',
  resources: [],
  tables: [],
  rights: {
    bank_rails: changes('paused_at', 'paused_kind', 'paused_file'),
    bank_files: changes('status', 'attempt', 'staged_at', 'published_at', 'content_sealed'),
    bank_instructions: changes(
      'originator',
      'payee_sealed',
      'status',
      'code',
      'file_id',
      'line',
      'payment_information_id',
      'execution_day',
      'silent_at',
      'returned_at',
    ),
    bank_notices: changes('originator', 'acknowledged_at'),
    bank_inbox_files: changes('status', 'kind', 'lines', 'reason'),
    bank_findings: changes('opened_at'),
  },
  moved: [],
  checks: [bankFileCheck, bankInstructionCheck],
  blocksClosing: [],
  gauges: bankGauges,
  sweeps: sweepFiles,
};
