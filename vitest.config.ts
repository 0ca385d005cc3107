import { configDefaults, defineConfig } from 'vitest/config';
import { FAULT_PATIENCE_MS, LOOK_EVERY_MS, PATIENCE_MS } from './scripts/harness/until.ts';
import { LongestFirst } from './test/support/longest-first.ts';

/** Its processes live in virtual time: the module of the product's pauses is replaced, which would reach other files. */
const SCHEDULE = 'test/model/schedule.test.ts';

/** A copy of the tree with a further resource, compiled and tested for minutes: `npm run test:planted`. */
const PLANTED = 'test/planted/*.test.ts';

/** Processes that are killed, frozen and cut off, for minutes: `npm run test:faults`. Each kind of fault is there once. */
const FAULTS = 'test/faults/**/*.test.ts';

/** What is measured by a real clock: `npm run test:timing`, on a machine that does nothing else. */
const TIMING = 'test/**/*.timing.test.ts';

/** What the gate plays through PgBouncer as well. */
const THROUGH_PGBOUNCER = ['payouts', 'webhooks', 'conventions'].map((name) => `test/e2e/${name}.test.ts`);

/** Pages in a browser, and a client that a generator makes: `npm run long` alone has them, and requires the browser. */
const PAGES = ['checkout-browser', 'live-checkout-browser', 'docs-browser', 'generated-client'].map(
  (name) => `test/e2e/${name}.test.ts`,
);

/** Faults whose like is in the gate or in `npm run faults`: the long lane alone has them. */
const FAULTS_LONG = 'test/faults/long/*.test.ts';

/** In the gate points that no queue changes are struck on one backend, in the long lane on both. */
const KILL_POINTS = 'test/faults/kill-points.test.ts';

/** Run on one backend each: in the gate with jobs on Postgres, in the long lane with jobs on Redis (`describeOnOneBackend`). */
const ON_ONE_BACKEND = [
  'clock-killed',
  'frozen-worker',
  'postgres-restart',
  'queue-lost',
  'same-key',
  'worker-process',
];

/** Above any single wait, so that the wait ends first and says what it saw. */
const TEST_LIMIT_MS = 3 * PATIENCE_MS;

// Real processes and databases: files run side by side as far as the cores go, tests of one file one by one.
const files = {
  // Modules are Node's own, compiled by tsx as the product's are: in Vite's runner each use of an import is a call.
  // Most of what a test makes is garbage at once: collected from a larger space, less of it is copied.
  execArgv: ['--import', 'tsx', '--max-semi-space-size=64'],
  experimental: { viteModuleRunner: false, nodeLoader: false },
  testTimeout: TEST_LIMIT_MS,
  hookTimeout: TEST_LIMIT_MS,
  expect: { poll: { timeout: PATIENCE_MS, interval: LOOK_EVERY_MS } },
  setupFiles: ['test/support/seed.ts'],
};

const faults = {
  ...files,
  isolate: false,
  testTimeout: 3 * FAULT_PATIENCE_MS,
  hookTimeout: 3 * FAULT_PATIENCE_MS,
};

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        // Files share the modules of their worker: loading them anew for each file takes a minute or two in all.
        test: {
          ...files,
          name: 'files',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, SCHEDULE, PLANTED, FAULTS, TIMING, ...PAGES],
        },
      },
      // The same tests, with a PgBouncer between the product and Postgres. `npm run long` does so with all of test/e2e.
      {
        test: {
          ...files,
          name: 'pgbouncer',
          isolate: false,
          include: THROUGH_PGBOUNCER,
          env: { TEST_THROUGH_PGBOUNCER: 'true' },
        },
      },
      { test: { ...files, experimental: {}, execArgv: [], name: 'schedule', include: [SCHEDULE] } },
      { test: { ...files, name: 'pages', include: PAGES } },
      { test: { ...files, name: 'planted', include: [PLANTED] } },
      { test: { ...files, name: 'timing', include: [TIMING] } },
      {
        test: {
          ...faults,
          name: 'faults',
          include: [FAULTS],
          exclude: [...configDefaults.exclude, FAULTS_LONG, TIMING],
        },
      },
      {
        test: {
          ...faults,
          name: 'faults-long',
          include: [FAULTS_LONG, KILL_POINTS, ...ON_ONE_BACKEND.map((name) => `test/faults/${name}.test.ts`)],
          provide: { isLongLane: true },
        },
      },
    ],
  },
});
