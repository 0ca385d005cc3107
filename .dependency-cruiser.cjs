/**
 * Which way imports point: money ← ledger ← accounts ← the other groups ← their checks ← groups.ts ← workers, verify,
 * operations and http ← scripts. Each folder lists what it may see; whatever else it imports is an error, types included.
 * Nobody below imports the list of groups: what needs it is handed it. Run by `npm run check:architecture`, beside
 * test/unit/architecture.test.ts, which looks at what import statements cannot say.
 */

const { readdirSync, readFileSync } = require('node:fs');

/** Folders that know nothing of the product's nouns: anybody may use them. */
const LEAVES = ['values', 'process', 'fairness', 'errors', 'pdf'];
/** Groups import accounts and exceptions, and never each other. */
const GROUPS = [
  'cards',
  'inbound',
  'journal',
  'organisations',
  'payments',
  'payouts',
  'proofs',
  'reconciliation',
  'reports',
  'webhooks',
];
const EVERY_GROUP = ['accounts', 'erasures', 'exceptions', 'transactions', ...GROUPS];

const file = (...names) => names.map((name) => `^src/${name}\\.ts$`);
const folder = (...names) => names.map((name) => `^src/${name}/`);
/** The job contract is a leaf: ids and nothing else. The queues themselves are for whoever runs a process. */
const JOB_CONTRACT = file('queue/job');

/** Routes and schemas of a group and of its nouns. Only these folders know zod, and only src/http lists them. */
const ROUTES = ['^src/[^/]+/api/', '^src/[^/]+/[^/]+/api/'];
/** Checks of the rows of a group and of its nouns. */
const CHECKS = ['^src/[^/]+/checks/', '^src/[^/]+/[^/]+/checks/'];

/** Routes, events and limits of groups are named here; the rest of src/http is handed them. */
const LISTS_OF_HTTP = file('http/routes', 'http/limits-route');

const leaves = folder(...LEAVES);
/** The shapes in which a group is declared, and what checks of rows are written in. */
const shapes = folder('group');
const core = [
  ...leaves,
  ...file('config'),
  ...JOB_CONTRACT,
  ...folder('money', 'fees', 'calendar', 'db', 'intake', 'ledger', 'idempotency', 'outside'),
  ...folder('rails', 'acquirers', 'processors'),
  ...shapes,
];
const groups = [...core, ...folder(...EVERY_GROUP, 'timeline')];

/** What each may import of ours. Packages are another matter: see below. */
const LAYERS = [
  { name: 'money', from: folder('money'), may: folder('money') },
  { name: 'fees', from: folder('fees'), may: folder('money', 'fees') },
  { name: 'leaves', from: leaves, may: leaves },
  { name: 'config', from: file('config'), may: [...leaves, ...folder('money')] },
  { name: 'db', from: folder('db'), may: [...leaves, ...folder('db'), '^migrations/', '^knexfile\\.ts$'] },
  {
    name: 'ledger',
    from: folder('ledger'),
    may: [...file('process/failpoints'), ...folder('values', 'errors', 'money', 'calendar', 'db', 'ledger')],
  },
  {
    name: 'outside',
    from: folder('outside'),
    may: [...leaves, ...file('config'), ...JOB_CONTRACT, ...folder('money', 'db', 'ledger', 'outside'), ...shapes],
  },
  {
    name: 'rails',
    from: folder('rails'),
    // Settings of rails say when a bank pays and what a payout costs. A rail that works by files keeps rows and files of its own.
    may: [
      ...leaves,
      ...file('config'),
      ...JOB_CONTRACT,
      ...folder('money', 'fees', 'calendar', 'db', 'intake', 'ledger', 'outside', 'rails'),
      ...shapes,
    ],
  },
  { name: 'intake', from: folder('intake'), may: [...leaves, ...folder('db', 'intake', 'ledger')] },
  { name: 'calendar', from: folder('calendar'), may: [...leaves, ...folder('calendar')] },
  {
    name: 'acquirers',
    from: folder('acquirers'),
    may: [...leaves, ...file('config'), ...folder('money', 'db', 'outside', 'acquirers')],
  },
  {
    name: 'processors',
    from: folder('processors'),
    // The published test numbers are nobody's, at neither of the two.
    may: [...leaves, ...file('config', 'acquirers/test-cards'), ...folder('money', 'db', 'outside', 'processors')],
  },
  {
    name: 'shapes',
    from: shapes,
    may: [
      ...leaves,
      ...file('config'),
      ...JOB_CONTRACT,
      ...folder('money', 'db', 'ledger', 'rails', 'acquirers', 'processors'),
      ...shapes,
    ],
  },
  { name: 'idempotency', from: folder('idempotency'), except: ROUTES, may: core },
  { name: 'accounts', from: folder('accounts'), except: ROUTES, may: [...core, ...folder('accounts')] },
  { name: 'erasures', from: folder('erasures'), except: ROUTES, may: [...core, ...folder('erasures')] },
  {
    name: 'exceptions',
    from: folder('exceptions'),
    except: ROUTES,
    may: [...core, ...folder('organisations', 'exceptions')],
  },
  ...GROUPS.map((name) => ({
    name,
    from: folder(name),
    except: ROUTES,
    may: [...core, ...folder('accounts', 'exceptions', 'organisations', name)],
  })),
  {
    name: 'transactions',
    from: folder('transactions'),
    except: ROUTES,
    may: [...core, ...folder('accounts', 'exceptions', 'organisations', 'cards', 'transactions')],
  },
  { name: 'timeline', from: folder('timeline'), may: [...core, ...folder('organisations', 'timeline')] },
  { name: 'operations', from: folder('operations'), may: [...groups, ...folder('operations')] },
  { name: 'api', from: folder('api'), may: [...core, ...folder('organisations', 'timeline', 'api')] },
  { name: 'routes', from: ROUTES, may: [...groups, ...folder('api')] },
  // A pack has what several groups keep of a period.
  { name: 'packs', from: folder('packs'), may: [...groups, ...folder('packs')] },
  { name: 'verify', from: folder('verify'), may: [...groups, ...folder('verify')] },
  { name: 'audit', from: folder('audit'), may: [...groups, ...folder('verify', 'audit')] },
  {
    name: 'metrics',
    from: folder('metrics'),
    may: [...core, ...folder('audit', 'operations', 'queue', 'metrics')],
  },
  // Connections of the queue follow a failover as those of every pool do.
  {
    name: 'queue',
    from: folder('queue'),
    may: [...leaves, ...file('config', 'db/writable-client'), ...folder('queue')],
  },
  {
    name: 'http',
    from: folder('http'),
    except: LISTS_OF_HTTP,
    may: [...core, ...folder('organisations', 'api', 'http', 'queue')],
  },
  {
    name: 'lists-of-http',
    from: LISTS_OF_HTTP,
    may: [...file('groups'), ...core, ...ROUTES, ...folder('api', 'http')],
  },
  { name: 'migrations', from: ['^migrations/', '^knexfile\\.ts$'], may: ['^migrations/'] },
];

const layerRules = LAYERS.map(({ name, from, except, may }) => ({
  name: `${name}-sees-only-what-is-below`,
  severity: 'error',
  from: { path: from, ...(except && { pathNot: except }) },
  to: { path: ['^src/', '^workers/', '^scripts/', '^migrations/', '^knexfile\\.ts$', '^test/'], pathNot: may },
}));

/** The clients of parties, with all that they are made of. */
const ADAPTERS = ['^src/(acquirers|processors|rails)/(http/|sandbox-)'];
/** Where each gets its limits by book, and no other code has it (src/outside/calls/called-party.ts). */
const LISTS_OF_PARTIES = file('acquirers/acquirers', 'processors/processors', 'rails/rails');
/** What groups build of a process's runtime. */
const PARTS_OF_RUNTIME = file(
  'payments/payments-runtime',
  'payouts/payouts-runtime',
  'rails/rails-runtime',
  'transactions/transactions-runtime',
);

const partyRules = [
  {
    name: 'parties-are-called-in-turn',
    comment: 'Outside of its folder a party is met by its Shared… class alone: each of its calls belongs to a book.',
    severity: 'error',
    from: { path: ['^src/', '^workers/'], pathNot: folder('acquirers', 'processors', 'rails') },
    to: { path: ADAPTERS },
  },
  {
    name: 'clients-of-parties-are-made-in-their-list',
    severity: 'error',
    from: { path: folder('acquirers', 'processors', 'rails'), pathNot: LISTS_OF_PARTIES },
    to: {
      path: [
        '^src/acquirers/(http/http|sandbox)-acquirer\\.ts',
        '^src/processors/(http/http|sandbox)-processor\\.ts',
        '^src/rails/(http/http|sandbox)-rail\\.ts',
      ],
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'lists-of-parties-are-made-once',
    comment: 'A second list would have limits of its own.',
    severity: 'error',
    from: { path: ['^src/', '^workers/'], pathNot: PARTS_OF_RUNTIME },
    to: { path: LISTS_OF_PARTIES, dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'parts-of-the-runtime-are-made-in-it',
    severity: 'error',
    from: { path: ['^src/', '^workers/'], pathNot: file('runtime') },
    to: { path: PARTS_OF_RUNTIME, dependencyTypesNot: ['type-only'] },
  },
];

/** Packages that belong to one place. */
const PACKAGES = [
  { name: 'express', only: [...folder('http'), ...file('server'), '^scripts/bench/'] },
  { name: 'bullmq', only: [...folder('queue'), ...file('db/migrate', 'metrics/metrics')] },
  { name: 'pg', only: [...folder('db'), ...file('queue/postgres-backend')] },
  { name: 'knex', only: [...folder('db'), '^migrations/', '^knexfile\\.ts$'] },
  { name: 'big-integer', only: folder('money') },
  { name: 'currency-codes', only: folder('money') },
  { name: 'pino', only: file('process/log') },
  // Configuration is read once at start. The harness holds answers against the schemas of the reference.
  {
    name: 'zod',
    only: [
      ...folder('api', 'http', 'rails/settings'),
      ...ROUTES,
      ...file('config'),
      '^scripts/harness/as-promised\\.ts$',
    ],
  },
  { name: 'marked', only: folder('http') },
  { name: 'temporal-polyfill', only: folder('calendar') },
  { name: 'csv-parse', only: folder('intake') },
  { name: 'pdfkit', only: folder('pdf') },
  // It refuses a 1xx that nobody asked for: who speaks to the outside does so by outside/connections/http-post.ts.
  { name: 'undici', only: ['^scripts/'] },
  { name: 'prom-client', only: folder('metrics') },
  { name: 'commander', only: ['^scripts/', '^workers/run\\.ts$'] },
];

const packageRules = PACKAGES.map(({ name, only }) => ({
  name: `${name}-in-its-place`,
  severity: 'error',
  from: { path: ['^src/', '^workers/', '^scripts/'], pathNot: only },
  to: { path: `node_modules/${name}/` },
}));

/** The nouns of each group that lists them, in their order: a noun sees only those before it. Its routes see all. */
const ORDERED = readdirSync(`${__dirname}/src`, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && readdirSync(`${__dirname}/src/${entry.name}`).includes('index.ts'))
  .map(({ name: group }) => ({ group, text: readFileSync(`${__dirname}/src/${group}/index.ts`, 'utf8') }))
  .filter(({ text }) => /\bNOUNS\b/.test(text))
  .map(({ group, text }) => {
    const [, declared] = /export const NOUNS = \[([^\]]*)\]/.exec(text);
    return { group, nouns: [...declared.matchAll(/'([a-z-]+)'/g)].map(([, noun]) => noun) };
  });
const nounRules = ORDERED.flatMap(({ group, nouns }) =>
  nouns.map((noun, at) => ({
    name: `nouns-of-${group}-in-their-order`,
    severity: 'error',
    from: { path: `^src/${group}/${noun}/`, pathNot: ROUTES },
    to: { path: [`^src/${group}/index\\.ts$`, ...nouns.slice(at + 1).map((later) => `^src/${group}/${later}/`)] },
  })),
);

module.exports = {
  forbidden: [
    {
      name: 'no-circles',
      comment: 'Types included: what refers to each other is one thing.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolved',
      comment: 'Programs of generated clients are compiled beside what is generated.',
      severity: 'error',
      from: { pathNot: '^scripts/clients/programs/' },
      to: { couldNotResolve: true },
    },
    {
      name: 'nobody-imports-entry-points',
      comment:
        'Scripts, the embedded start and the server are where processes begin; verification is for scripts and for the audit.',
      severity: 'error',
      from: { path: ['^src/', '^workers/'], pathNot: [...folder('embedded', 'verify', 'audit'), ...file('server')] },
      to: { path: ['^scripts/', ...folder('embedded', 'verify'), ...file('server')] },
    },
    {
      name: 'the-list-of-groups-is-handed',
      comment: 'Where a process or the API is put together, the list is read; everybody else is handed it.',
      severity: 'error',
      from: { path: ['^src/', '^workers/'], pathNot: [...file('runtime', 'http/routes'), ...folder('embedded')] },
      to: { path: file('groups') },
    },
    {
      name: 'every-folder-has-its-layer',
      comment:
        'A folder that LAYERS leaves out could import anything. The embedded start puts everything together, and may.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: [...LAYERS.flatMap(({ from }) => from), ...folder('embedded')] },
      to: {},
    },
    {
      name: 'checks-are-named-by-declarations-alone',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/[^/]+/index\\.ts$', ...CHECKS] },
      to: { path: CHECKS },
    },
    {
      name: 'harness-knows-neither-faults-nor-benches',
      severity: 'error',
      from: { path: '^scripts/harness/' },
      to: { path: '^scripts/', pathNot: '^scripts/harness/' },
    },
    {
      name: 'benches-and-faults-are-apart',
      comment: 'What both need is the harness.',
      severity: 'error',
      from: { path: '^scripts/(bench|faults)/' },
      to: { path: '^scripts/(bench|faults)/', pathNot: '^scripts/$1/' },
    },
    {
      name: 'workers-serve-no-api',
      severity: 'error',
      from: { path: '^workers/' },
      to: { path: ['^src/http/', '^src/api/', ...ROUTES] },
    },
    {
      name: 'routes-are-listed-in-http-alone',
      severity: 'error',
      from: { path: '^src/', pathNot: [...folder('http'), ...ROUTES] },
      to: { path: ROUTES },
    },
    {
      name: 'no-tests-in-the-product',
      severity: 'error',
      from: { path: ['^src/', '^workers/', '^scripts/', '^migrations/'] },
      to: { path: '^test/' },
    },
    {
      name: 'no-development-packages',
      comment: 'What runs in production is installed in production.',
      severity: 'error',
      from: { path: ['^src/', '^workers/', '^migrations/'] },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    ...layerRules,
    ...nounRules,
    ...partyRules,
    ...packageRules,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
