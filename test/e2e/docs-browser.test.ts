/** The pages of the documentation in a real Chromium, at the width of a phone. Skipped where there is no /usr/bin/chromium. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithChromium, launchChromium } from '../support/chromium.ts';
import { createTestApp } from '../unit/http/test-app.ts';

const PHONE = { width: 390, height: 844 };

describeWithChromium('the documentation on a phone', () => {
  let server: Server;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    server = createTestApp().app.listen(0, '127.0.0.1');
    browser = await launchChromium();
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
