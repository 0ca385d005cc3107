/**
 * Which way imports point: money ← ledger ← idempotency ← the groups ← http and workers ← scripts. A rule's name says
 * what it keeps apart, its comment why.
 */
const GROUPS = '^src/(organisations|accounts|payouts|webhooks|rails|timeline|operations)/';

/** Leaves that everybody may use: they know nothing of the product. */
const LEAVES =
  '^src/(clock|ids|json|random|errors|problem|log|config|seldom|time-limit|natural-batch|failpoints)\\.ts$';

module.exports = {
  forbidden: [
    {
      name: 'no-circles',
      comment: 'What needs each other is one thing.',
      severity: 'error',
      from: { path: '^(src|workers|scripts|migrations)/' },
      // Types may name each other: they are gone before anything runs.
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'money-knows-money',
      comment: 'Amounts are the bottom of the house.',
      severity: 'error',
      from: { path: '^src/money/' },
      to: { path: '^(src|workers|scripts)/', pathNot: '^src/money/' },
    },
    {
      name: 'leaves-know-leaves',
      severity: 'error',
      from: { path: LEAVES },
      to: { path: '^(src|workers|scripts)/', pathNot: LEAVES },
    },
    {
      name: 'db-knows-no-product',
      comment:
        'Connections, errors and roles serve every noun and know none. Roles must know which migrations there are.',
      severity: 'error',
      from: { path: '^src/db/' },
      to: { path: '^(src|workers|scripts)/', pathNot: `^src/db/|${LEAVES}` },
    },
    {
      name: 'ledger-knows-no-payout',
      comment: 'The ledger sees rows as tables and logs; whose they are is not its business.',
      severity: 'error',
      from: { path: '^src/ledger/' },
      to: { path: '^(src|workers|scripts)/', pathNot: `^src/(ledger|money|db)/|${LEAVES}` },
    },
    {
      name: 'idempotency-knows-the-ledger',
      severity: 'error',
      from: { path: '^src/idempotency/' },
      to: { path: '^(src|workers|scripts)/', pathNot: `^src/(idempotency|ledger|money|db)/|${LEAVES}` },
    },
    {
      name: 'groups-know-no-front',
      comment: 'The groups know no Express and no running queue, only the leaf that names its jobs.',
      severity: 'error',
      from: { path: GROUPS },
      to: {
        path: '^(src/(http|queue|embedded|verify|server|runtime|metrics)|workers|scripts)',
        pathNot: '^src/queue/job\\.ts$',
      },
    },
    {
      name: 'queue-knows-no-product',
      severity: 'error',
      from: { path: '^src/queue/' },
      to: { path: '^(src|workers|scripts)/', pathNot: `^src/queue/|${LEAVES}` },
    },
    {
      name: 'front-and-workers-stay-apart',
      comment: 'API and workers meet in Postgres. A worker borrows the page of its health, nothing else.',
      severity: 'error',
      from: { path: '^src/http/' },
      to: { path: '^(workers|scripts|src/embedded|src/server)' },
    },
    {
      name: 'nothing-imports-scripts',
      severity: 'error',
      from: { pathNot: '^(scripts|test)/' },
      to: { path: '^scripts/' },
    },
    {
      name: 'express-in-http-only',
      severity: 'error',
      from: { path: '^(src|workers|scripts)/', pathNot: '^(src/http/|src/server\\.ts$|scripts/bench/)' },
      to: { path: '^node_modules/express/' },
    },
    {
      name: 'bullmq-in-queue-only',
      severity: 'error',
      from: { path: '^(src|workers|scripts)/', pathNot: '^src/(queue/|db/migrate\\.ts$)' },
      to: { path: '^node_modules/bullmq/' },
    },
    {
      name: 'big-integer-in-money-only',
      severity: 'error',
      from: { path: '^(src|workers|scripts)/', pathNot: '^src/money/' },
      to: { path: '^node_modules/big-integer/' },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: 'specify',
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default'] },
  },
};
