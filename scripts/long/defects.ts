/** A defect of each kind, and the tests that have to find it (docs/gate.md). Each is an edit of one text, which its file has once. */

export interface Defect {
  readonly kind: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** Test files, any of which may find it. */
  readonly tests: readonly string[];
}

const POSTED = 'postings.push(newPosting({ ordinal: postings.length + 1, amount, debited, credited }));';

export const DEFECTS: readonly Defect[] = [
  {
    kind: 'a lost posting',
    file: 'src/ledger/entry/post-lines.ts',
    find: POSTED,
    replace: `if (index === 0) ${POSTED}`,
    tests: ['test/unit/ledger/core-properties.test.ts', 'test/unit/ledger/draft.test.ts'],
  },
  {
    kind: 'a doubled posting',
    file: 'src/ledger/entry/post-lines.ts',
    find: POSTED,
    replace: `${POSTED} ${POSTED}`,
    tests: ['test/unit/ledger/core-properties.test.ts', 'test/unit/ledger/draft.test.ts'],
  },
  {
    kind: 'a leak between books',
    file: 'src/ledger/rows/table-statements.ts',
    find: `WHERE book_id = $1 AND \${key.name} = ANY (\${arrayOf(key.type, `,
    replace: `WHERE $1::uuid IS NOT NULL AND \${key.name} = ANY (\${arrayOf(key.type, `,
    tests: ['test/e2e/bad-input.test.ts', 'test/e2e/journal-entries.test.ts'],
  },
  {
    kind: 'a missing right of a key',
    file: 'src/api/scopes.ts',
    find: 'if (allowsScope(principal, scope) || (orScope !== undefined && allowsScope(principal, orScope))) return;',
    replace: 'if (allowsScope(principal, scope) || orScope !== undefined || scope.length > 0) return;',
    tests: ['test/e2e/journal-entries.test.ts', 'test/e2e/api-keys.test.ts'],
  },
  {
    kind: 'a missing right of the role',
    file: 'src/payouts/index.ts',
    find: '    payout_uploads: deletable(rightsOf(payoutUploads)),\n',
    replace: '',
    tests: ['test/db/platform/roles.test.ts'],
  },
  {
    kind: 'a query without its index',
    file: 'src/verify/journal-check-store.ts',
    find: 'ORDER BY resource_id, step, sequence LIMIT $6',
    replace: 'ORDER BY resource_id::text, step, sequence LIMIT $6',
    tests: ['test/db/platform/indexes.test.ts'],
  },
];
