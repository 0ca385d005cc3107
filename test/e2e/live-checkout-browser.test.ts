/**
 * The way of a live payer in a real Chromium: our page, the acquirer's page, and the shop. Browsers hold a page's content security
 * policy against the redirects of its form. Skipped where there is no /usr/bin/chromium. With CHECKOUT_SCREENSHOTS=FOLDER, keeps
 * what it saw.
 */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../../scripts/harness/client.ts';
import { quietPort } from '../../src/embedded/postmaster.ts';
import { describeWithChromium, launchChromium } from '../support/chromium.ts';
import { type GatewayProduct, startWithGateway } from '../support/gateway.ts';

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 360, height: 740 };

describeWithChromium('a live payer in Chromium', () => {
  let started: GatewayProduct;
  let live: Client;
  let browser: Browser;

  beforeAll(async () => {
    // The gateway leads back to the public name: the port is known before.
    started = await startWithGateway({ environment: { PORT: String(await quietPort()) } });
    ({ live } = await started.product.organisation());
    await live.openAccount({ funds: 0 });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await started?.close();
  });

  test.each`
    kind        | viewport   | locale  | javaScriptEnabled
    ${'script'} | ${DESKTOP} | ${'en'} | ${true}
    ${'arabic'} | ${PHONE}   | ${'ar'} | ${true}
    ${'plain'}  | ${PHONE}   | ${'en'} | ${false}
  `('$kind: is declined there, tries again, and comes back to the shop', async ({ kind, ...options }) => {
    // biome-ignore lint/suspicious/noExplicitAny: as the answer shows it
    const { body: payment } = await live.post<any>('/v1/payments', {
      ...{ amount: 25_000, currency: 'JOD', source: { type: 'checkout' } },
      ...{
        description: 'Order 77',
        return_url: 'https://shop.example/return',
        cancel_url: 'https://shop.example/cart',
      },
    });
    const context = await browser.newContext(options);
    // Live mode takes public https pages alone, and nothing listens at this one.
    await context.route('https://shop.example/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Shop</title><h1>Thank you</h1>' }),
    );
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('the server responded with a status'))
        complaints.push(message.text());
    });
    const look = async (name: string) => {
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect([name, overflow]).toEqual([name, 0]);
      const folder = process.env.CHECKOUT_SCREENSHOTS;
      if (folder) await page.screenshot({ path: `${folder}/live-${kind}-${name}.png`, fullPage: true });
    };
    const giveCard = async (number: string) => {
      await page.locator('button[type=submit]').click();
      await page.waitForURL(`${started.gateway.url}/pages/**`);
      await page.locator('input[name=number]').fill(number);
      await page.locator('button').click();
    };

    await page.goto(payment.next_action.url);
    expect(await page.locator('input:visible').count()).toBe(0);
    await look('1-leave');
    await giveCard('4000000000000002');
    await page.locator('[role=alert]').waitFor();
    await look('2-declined');
    await giveCard('4242424242424242');
    await page.waitForURL('https://shop.example/**');
    expect(page.url()).toBe(`https://shop.example/return?payment=${payment.id}`);
    expect(complaints).toEqual([]);
    await context.close();
    expect(await live.read(`/v1/payments/${payment.id}`)).toMatchObject({ status: 'captured', attempts: [{}] });
  });
});
