/** The group of idempotency keys: one key, one answer. */
import { rightsOf } from '../db/table-rights.ts';
import type { Group } from '../group/group.ts';
import { idempotencyCheck } from './checks/idempotency-check.ts';
import { idempotencyKeys } from './idempotency-table.ts';
import { sweepAgedAnswers } from './sweep-aged-answers.ts';

export const idempotencyGroup: Group = {
  name: 'idempotency',
  resources: [],
  tables: [idempotencyKeys],
  // Retention drops a body; `npm run ops -- rekey` writes both anew.
  rights: { idempotency_keys: rightsOf(idempotencyKeys, ['body', 'fingerprint']) },
  moved: [],
  checks: [idempotencyCheck],
  blocksClosing: [],
  gauges: [],
  sweeps: sweepAgedAnswers,
};
