import { configDefaults, defineConfig } from 'vitest/config';
import { FAULT_PATIENCE_MS, LOOK_EVERY_MS, PATIENCE_MS } from './scripts/harness/until.ts';

/** Its processes live in virtual time: the module of the product's pauses is replaced, which would reach other files. */
const SCHEDULE = 'test/model/schedule.test.ts';

/** A copy of the tree with a further resource, compiled and tested for minutes: `npm run test:planted`. */
const PLANTED = 'test/planted/*.test.ts';

/** Processes that are killed, frozen and cut off, for minutes: `npm run test:faults`. */
const FAULTS = 'test/faults/**/*.test.ts';

/** What is measured by a real clock: `npm run test:timing`, on a machine that does nothing else. */
const TIMING = 'test/**/*.timing.test.ts';

/** What the gate plays through PgBouncer as well. */
const THROUGH_PGBOUNCER = ['payouts', 'rails', 'webhooks', 'conventions'].map((name) => `test/e2e/${name}.test.ts`);

/** Not played by the gate (FAULTS_OF=gate): `npm run faults` has the like of them. */
const BEYOND_THE_GATE = ['test/faults/api-killed.test.ts', 'test/faults/worker-killed.test.ts'];

/** Above any single wait, so that the wait ends first and says what it saw. */
const TEST_LIMIT_MS = 3 * PATIENCE_MS;

// Real processes and databases: files run side by side as far as the cores go, tests of one file one by one.
const files = {
  testTimeout: TEST_LIMIT_MS,
  hookTimeout: TEST_LIMIT_MS,
  expect: { poll: { timeout: PATIENCE_MS, interval: LOOK_EVERY_MS } },
  setupFiles: ['test/support/seed.ts'],
};

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      {
        // Files share the modules of their worker: loading them anew for each file takes a minute or two in all.
        test: {
          ...files,
          name: 'files',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, SCHEDULE, PLANTED, FAULTS, TIMING],
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
      { test: { ...files, name: 'schedule', include: [SCHEDULE] } },
      { test: { ...files, name: 'planted', include: [PLANTED] } },
      { test: { ...files, name: 'timing', include: [TIMING] } },
      {
        test: {
          ...files,
          name: 'faults',
          isolate: false,
          include: [FAULTS],
          exclude: [...configDefaults.exclude, TIMING, ...(process.env.FAULTS_OF === 'gate' ? BEYOND_THE_GATE : [])],
          testTimeout: 3 * FAULT_PATIENCE_MS,
          hookTimeout: 3 * FAULT_PATIENCE_MS,
        },
      },
    ],
  },
});
