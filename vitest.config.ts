import { configDefaults, defineConfig } from 'vitest/config';

/** Its processes live in virtual time: the module of the product's pauses is replaced, which would reach other files. */
const SCHEDULE = 'test/model/schedule.test.ts';

/** A copy of the tree with a further resource, compiled and tested for minutes: `npm run test:planted`. */
const PLANTED = 'test/planted/*.test.ts';

/** Processes that are killed, frozen and cut off, for minutes: `npm run test:faults`. */
const FAULTS = 'test/faults/**/*.test.ts';

// Real processes and databases: files run side by side as far as the cores go, tests of one file one by one.
const files = { testTimeout: 30_000, hookTimeout: 60_000 };

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
          exclude: [...configDefaults.exclude, SCHEDULE, PLANTED, FAULTS],
        },
      },
      { test: { ...files, name: 'schedule', include: [SCHEDULE] } },
      { test: { ...files, name: 'planted', include: [PLANTED] } },
      { test: { ...files, name: 'faults', isolate: false, include: [FAULTS] } },
    ],
  },
});
