/**
 * The hosted page in a real Chromium, at the width of a desktop and of a phone, with its script and without. Skipped where there is no
 * /usr/bin/chromium (Debian: apt-get install chromium). With CHECKOUT_SCREENSHOTS=FOLDER, keeps what it saw.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../../scripts/harness/client.ts';
import { quietPort } from '../../src/embedded/postmaster.ts';
import { describeWithChromium, launchChromium } from '../support/chromium.ts';
import { ALL_POOLS, type Product, startProduct } from '../support/product.ts';

const APPROVED = '4242 4242 4242 4242';
const DECLINED = '4000 0000 0000 0002';
const CHALLENGED = '4000 0025 0000 3155';
const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 360, height: 740 };

describeWithChromium('the hosted page in Chromium', () => {
  let product: Product;
  let client: Client;
  let browser: Browser;
  let shop: Server;
  let shopUrl: string;
  let return_url: string;
  let cancel_url: string;

  beforeAll(async () => {
    // Pages link to each other under the public name: the port is known before.
    const environment = { PORT: String(await quietPort()) };
    product = await startProduct({ backend: 'postgres', pools: [...ALL_POOLS, 'payments'], environment });
    ({ client } = await product.organisation());
    await client.openAccount();
    shop = createServer((_, response) => response.end('<!doctype html><title>Shop</title><h1>Thank you</h1>'));
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
    const { port } = shop.address() as AddressInfo;
    shopUrl = `http://localhost:${port}`;
    return_url = `${shopUrl}/return`;
    cancel_url = `${shopUrl}/cart`;
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser?.close();
    shop?.close();
    await product?.close();
  });

  // biome-ignore lint/suspicious/noExplicitAny: as the answer shows it
  type Shown = any;

  async function create(more: object = {}): Promise<Shown> {
    const body = { amount: 25_000, currency: 'JOD', source: { type: 'checkout' }, description: 'Order 77', ...more };
    return (await client.post<Shown>('/v1/payments', body)).body;
  }

  const read = async ({ id }: { id: string }): Promise<Shown> => (await client.get<Shown>(`/v1/payments/${id}`)).body;

  /** A page in a browser of its own. Complaints of the browser, of the content security policy above all, fail the test. */
  async function visit<Result>(options: BrowserContextOptions, use: (page: Page) => Promise<Result>): Promise<Result> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      // A refused form is answered with 422, which the browser remarks upon.
      if (message.type() === 'error' && !message.text().includes('the server responded with a status'))
        complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    try {
      const result = await use(page);
      expect(complaints).toEqual([]);
      return result;
    } finally {
      await context.close();
    }
  }

  async function fill(page: Page, number: string): Promise<void> {
    await page.locator('#number').fill(number);
    await page.locator('#expiry').fill('12 / 34');
    await page.locator('#cvc').fill('123');
  }

  /** Nothing is wider than the window. */
  async function look(page: Page, name: string): Promise<void> {
    const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    expect([name, overflow]).toEqual([name, 0]);
    const folder = process.env.CHECKOUT_SCREENSHOTS;
    if (folder) await page.screenshot({ path: `${folder}/checkout-${name}.png`, fullPage: true, caret: 'initial' });
  }

  test.each`
    kind         | viewport   | locale  | javaScriptEnabled | colorScheme
    ${'desktop'} | ${DESKTOP} | ${'en'} | ${true}           | ${'light'}
    ${'phone'}   | ${PHONE}   | ${'en'} | ${true}           | ${'light'}
    ${'arabic'}  | ${PHONE}   | ${'ar'} | ${true}           | ${'light'}
    ${'dark'}    | ${DESKTOP} | ${'ar'} | ${true}           | ${'dark'}
    ${'plain'}   | ${DESKTOP} | ${'en'} | ${false}          | ${'light'}
  `('$kind: a wrong card, a declined card, a challenge, and back at the shop', async ({ kind, ...options }) => {
    const payment = await create({ return_url, cancel_url });
    await visit(options, async (page) => {
      await page.goto(payment.next_action.url);
      await look(page, `${kind}-1-form`);

      await page.locator('#number').fill('4242 4242');
      await page.locator('button').click();
      await page.locator('#number-fault').waitFor();
      expect(await page.locator('#number').inputValue()).toBe('');
      await page.locator('#number:focus').waitFor();
      await look(page, `${kind}-2-faults`);

      await fill(page, DECLINED);
      await page.locator('button').click();
      await page.locator('[role=alert]').waitFor();
      await look(page, `${kind}-3-declined`);

      await fill(page, CHALLENGED);
      await page.locator('button').click();
      await page.waitForURL('**/sandbox/challenges/**');
      await look(page, `${kind}-4-challenge`);

      await page.locator('button[value=pass]').click();
      await page.waitForURL(`${shopUrl}/**`);
      expect(page.url()).toBe(`${return_url}?payment=${payment.id}`);
    });
    expect(await read(payment)).toMatchObject({ status: 'captured', attempts: [{}] });
  });

  test('is used with the keyboard alone, and a receipt ends it', async () => {
    const payment = await create();
    await visit({ viewport: PHONE, locale: 'en' }, async (page) => {
      await page.goto(payment.next_action.url);
      await page.locator('#number:focus').waitFor();
      await page.keyboard.type(APPROVED);
      await page.keyboard.press('Tab');
      await page.keyboard.type('12/34');
      await page.keyboard.press('Tab');
      await page.keyboard.type('123');
      await page.keyboard.press('Enter');
      await page.locator('text=Payment received').waitFor();
      await look(page, 'phone-5-receipt');
      await page.locator('footer a').click();
      await page.locator('html[dir=rtl]').waitFor();
      await look(page, 'arabic-5-receipt');
    });
    expect(await read(payment)).toMatchObject({ status: 'captured' });
  });

  test('clicked twice, charges once', async () => {
    const payment = await create({ return_url });
    await visit({ viewport: DESKTOP, javaScriptEnabled: false }, async (page) => {
      await page.goto(payment.next_action.url);
      await fill(page, APPROVED);
      await page.locator('button').dblclick();
      // Not for the address: the second click may abort the first one's way to the shop, which ends such a wait.
      await page.locator('text=Thank you').waitFor();
      expect(page.url()).toBe(`${return_url}?payment=${payment.id}`);
    });
    expect(await read(payment)).toMatchObject({ status: 'captured', amount_captured: 25_000, attempts: [] });
  });

  test('a payment that is confirmed late is waited for', async () => {
    const payment = await create({ return_url });
    await visit({ viewport: PHONE, locale: 'en' }, async (page) => {
      await page.goto(payment.next_action.url);
      await product.stopPools();
      await fill(page, APPROVED);
      await page.locator('button').click();
      await page.locator('text=Your payment is being confirmed').waitFor();
      await look(page, 'phone-6-processing');
      await product.startPools();
      await page.waitForURL(`${shopUrl}/**`);
    });
    expect(await read(payment)).toMatchObject({ status: 'captured' });
  });

  test('a payment that is over says so, and leads back to the shop', async () => {
    const payment = await create({ cancel_url });
    await client.post(`/v1/payments/${payment.id}/cancel`);
    await visit({ viewport: PHONE, locale: 'en' }, async (page) => {
      await page.goto(payment.next_action.url);
      await look(page, 'phone-7-canceled');
      await page.locator('text=Back to the shop').click();
      await page.waitForURL(`${cancel_url}**`);
    });
  });
});
