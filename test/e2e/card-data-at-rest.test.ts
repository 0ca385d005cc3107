/** What a dump and the log know of the cards that were used: no number and no security code, whichever way they came in. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { succeeded, until } from '../../scripts/harness/client.ts';
import { lookInto, startProduct } from '../support/product.ts';

const NUMBERS = ['4242424242424242', '5555555555554444', '4000000000009995', '4000002500003155', '4000000000000705'];
/** Codes that stand in nothing else: a short one would be found in any digest. */
const CODES = ['8642', '9753'];
const ALIAS = 'ZAYNABQASR77';
const BILLING = {
  name: 'Zaynab of the Seventh Gate',
  address: { line1: '77 Qasr Lane', postal_code: 'ZX-9941', country: 'JO' },
};

test('no number, code, alias or billing address stands in a table or in the log', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'log-'));
  const log = join(directory, 'log');
  // The log of this process goes to a file, whole and at once.
  const { destination } = pino;
  vi.spyOn(pino, 'destination').mockImplementation(() => destination({ dest: log, sync: true }));
  const product = await startProduct({ backend: 'postgres', environment: { LOG_LEVEL: 'trace' } });
  try {
    const { client } = await product.organisation();
    const { id: account } = await client.openAccount({ funds: 0 });
    const card = (number: string, cvc = CODES[0]) => ({ number, exp_month: 12, exp_year: 2034, cvc });
    const pay = (source: object, body: object = {}) =>
      client.post<{ id: string; status: string; stored_token: string }>('/v1/payments', {
        ...{ account, amount: 20_000, currency: 'JOD', return_url: 'https://shop.example/return', source },
        ...body,
      });
    for (const number of NUMBERS) await pay({ type: 'card', ...card(number) }, { billing: BILLING });
    const stored = succeeded(await pay({ type: 'card', ...card(NUMBERS[0]!) }, { store_for: 'customer-1' }));
    await pay({ type: 'token', token: stored.stored_token, cvc: CODES[1] });
    const token = await client.post<{ id: string }>('/v1/payments/tokens', { card: card(NUMBERS[1]!), verify: true });
    await pay({ type: 'token', token: token.body.id });
    const reader = await client.post<{ id: string }>('/v1/payments/readers', {
      registration_code: 'SIMULATED-A',
      label: 'Counter 1',
    });
    await pay({ type: 'terminal', reader: reader.body.id });
    await client.post(`/v1/simulations/readers/${reader.body.id}/present_card`, {
      number: NUMBERS[1],
      entry_mode: 'chip',
    });
    const { body: asked } = await pay({ type: 'cliq_request', alias: ALIAS });
    await client.post(`/v1/simulations/payments/${asked.id}/approve`);
    // Refused ones as well: form, rule, and an unknown number.
    await pay({ type: 'card', ...card(NUMBERS[0]!) }, { amount: 1.5 });
    await pay({ type: 'card', ...card(NUMBERS[0]!) }, { currency: 'EUR' });
    await client.post('/v1/payments/tokens', { card: card('4111111111111111') });
    await client.post('/v1/payments', undefined, { rawBody: `{"source":{"number":"${NUMBERS[0]}"` });
    await until(
      () => client.read<{ data: { status: string }[] }>('/v1/payments?status=processing'),
      ({ data }) => data.length === 0,
    );

    const behind = lookInto(product.database);
    const { rows: tables } = await behind.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    expect(tables.length).toBeGreaterThan(20);
    const codes = new RegExp(`(?<![0-9a-zA-Z_+/=-])(${CODES.join('|')})(?![0-9a-zA-Z_+/=-])`);
    const texts = [
      ...NUMBERS,
      '4111111111111111',
      ALIAS,
      ...[BILLING.name, BILLING.address.line1, BILLING.address.postal_code],
    ];
    const check = (where: string, text: string) => {
      for (const secret of texts) expect(text.includes(secret), `${secret} in ${where}`).toBe(false);
      expect(codes.exec(text)?.[0], `a security code in ${where}`).toBeUndefined();
    };
    let dump = '';
    for (const { name } of tables) {
      const { rows } = await behind.query<{ text: string }>(`SELECT t::text AS text FROM ${name} t`);
      const text = rows.map((row) => row.text).join('\n');
      check(name, text);
      dump += text;
    }
    // What may be kept is found: the scan sees the rows of these payments.
    for (const kept of ['customer-1', 'Z*********77', '""9995""']) expect(dump.includes(kept), kept).toBe(true);
    await behind.end();
    const logged = await readFile(log, 'utf8');
    expect(logged).toContain('/v1/payments');
    check('the log', logged);
  } finally {
    await product.close();
    vi.restoreAllMocks();
    await rm(directory, { recursive: true });
  }
});
