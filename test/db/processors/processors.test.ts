/** Both adapters keep to the contract: the sandbox processor, and the http processor with the reference gateway. */
import pg from 'pg';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Revealed } from '../../../src/processors/processor.ts';
import { newId, publicId } from '../../../src/values/ids.ts';
import { type GatewayProduct, PROCESSOR_NAME, startWithGateway } from '../../support/gateway.ts';
import { describeProcessor, issueOf } from './conformance.ts';

let started: GatewayProduct;
let superuser: pg.Client;

beforeAll(async () => {
  started = await startWithGateway({ pools: [] });
  superuser = new pg.Client({ connectionString: started.product.database.superuserUrl });
  await superuser.connect();
});
afterAll(async () => {
  await superuser?.end();
  await started?.close();
});

const urlOf = (revealed: Revealed) => (revealed.shown === 'url' ? revealed.url : '');

describeProcessor('the sandbox processor', {
  processor: () => started.product.runtime.processors.sandbox,
  async decide(originator, reference) {
    // Its moment has come.
    const of = 'WHERE originator = $1 AND reference = $2';
    await superuser.query(`UPDATE sandbox_processor.instructions SET decides_at = now() ${of}`, [
      originator,
      reference,
    ]);
    await superuser.query(`UPDATE sandbox_processor.notices SET created_at = now() ${of}`, [originator, reference]);
  },
  async see(revealed) {
    if (revealed.shown !== 'clear') throw new Error('The sandbox has no pages');
    const { number, expMonth, expYear, cvc } = revealed;
    return `${number}, ${expMonth}/${expYear}, ${cvc}`;
  },
  keepsPins: false,
});

describeProcessor('the http processor', {
  processor: () => started.product.runtime.processors.get(PROCESSOR_NAME),
  async decide(originator, reference) {
    const { cards } = started.gateway;
    cards.decide(cards.find(publicId('book', originator), reference)!, 'succeeded');
  },
  see: async (revealed) => (await request(urlOf(revealed))).body.text(),
  keepsPins: true,
});

test('a page of the http processor shows a card once', async () => {
  const processor = started.product.runtime.processors.get(PROCESSOR_NAME);
  const originator = newId();
  const { cardReference } = (await processor.submit(issueOf(originator))).card!;
  const asked = { originator, cardReference, what: 'details' } as const;
  const revealed = await processor.reveal(asked);
  expect((await request(urlOf(revealed))).statusCode).toBe(200);
  expect((await request(urlOf(revealed))).statusCode).toBe(404);
  expect(urlOf(await processor.reveal(asked))).not.toBe(urlOf(revealed));
});

test('test books have the sandbox, and live books the gateway', () => {
  const { processors } = started.product.runtime;
  expect(processors.ofMode('test')).toBe(processors.sandbox);
  expect(processors.ofMode('live')?.name).toBe(PROCESSOR_NAME);
  expect(processors.all().map(({ name }) => name)).toEqual([PROCESSOR_NAME, 'sandbox_processor']);
  expect(processors.partners().map(({ name }) => name)).toEqual([PROCESSOR_NAME]);
  expect(() => processors.get('another')).toThrow('There is no processor named another');
});
