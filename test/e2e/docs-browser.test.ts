/** The pages of the documentation in a real Chromium, at the width of a phone. Skipped where there is no /usr/bin/chromium. */
import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestApp } from '../unit/http/test-app.ts';

const CHROMIUM = '/usr/bin/chromium';
const PHONE = { width: 390, height: 844 };

describe.skipIf(!existsSync(CHROMIUM))('the documentation on a phone', () => {
  let server: Server;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    server = createTestApp().app.listen(0, '127.0.0.1');
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    page = await browser.newPage({ viewport: PHONE });
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  const widthsOf = (selector: string) =>
    page.$$eval(selector, (found) => found.map(({ clientWidth, scrollWidth }) => [clientWidth, scrollWidth] as const));

  test.each(['/docs/errors', '/docs/payments', '/docs/states'])('shows the tables of %s whole', async (path) => {
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
    const tables = await widthsOf('.wide');
    expect(tables.length).toBeGreaterThan(0);
    for (const [shown, needed] of [...tables, ...(await widthsOf('html'))]) expect(needed).toBeLessThanOrEqual(shown);
  });
});
