import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    include: ['test/**/*.test.ts'],
    // Real processes and databases: files run side by side as far as the cores go, tests of one file one by one.
    pool: 'forks',
    maxWorkers: 2,
    // Files share the modules of their worker: loading them anew for each file takes a minute or two in all.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: process.env.CI ? ['default'] : ['default'],
  },
});
