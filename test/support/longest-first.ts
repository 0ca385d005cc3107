/**
 * The order of test files: what takes longest begins first, so that none of it runs alone at the end. A fresh clone has no times of an
 * earlier run to go by.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** A worker that changes the project loads all modules anew. Faults wait more than they work, and what follows fills their pauses. */
const PROJECTS = ['faults', 'pgbouncer', 'schedule', 'files'];

/** Beyond 25 s on two cores, the longest first. */
const LONGEST = [
  'faults/kill-points',
  'faults/embedded-start',
  'e2e/payout-batches',
  'e2e/transcript',
  'db/transactions/clearing-files',
  'db/transactions/golden',
  'e2e/payout-batches-killed',
  'unit/http/fields',
  'e2e/http-matrix',
  'e2e/refusals',
  'db/reconciliation/reconcile-command',
  'db/transactions/golden-by-file',
  'e2e/waiting-payouts',
  'e2e/rails',
  'db/ledger/isolated-books',
].map((name) => `/test/${name}.test.ts`);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

function rankOf({ project, moduleId }: TestSpecification): number {
  const at = LONGEST.findIndex((name) => moduleId.endsWith(name));
  return PROJECTS.indexOf(project.name) * (LONGEST.length + 1) + (at === -1 ? LONGEST.length : at);
}
