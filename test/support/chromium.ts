/** Tests that need a browser are skipped without Chromium; with REQUIRE_CHROMIUM=true (in `npm run long`) its absence is a failure. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { describe } from 'vitest';

/** Debian's. */
const CHROMIUM = '/usr/bin/chromium';

/** `describe`, or a skipped one with the reason in its name. */
export function describeWithChromium(name: string, tests: () => void): void {
  if (existsSync(CHROMIUM)) describe(name, tests);
  else if (process.env.REQUIRE_CHROMIUM === 'true')
    throw new Error(`REQUIRE_CHROMIUM=true, and there is no ${CHROMIUM} (Debian: apt-get install chromium)`);
  else describe.skip(`${name} (skipped: no ${CHROMIUM})`, tests);
}

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
}
