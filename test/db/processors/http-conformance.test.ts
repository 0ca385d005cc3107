/** The http processor keeps to what every party must (test/support/conformance.ts), with the reference gateway behind it. */
import { afterAll, beforeAll } from 'vitest';
import { type RawServer, startRawServer } from '../../../scripts/harness/raw-server.ts';
import { until } from '../../../scripts/harness/until.ts';
import { HttpProcessor } from '../../../src/processors/http/http-processor.ts';
import { systemClock } from '../../../src/values/clock.ts';
import { publicId } from '../../../src/values/ids.ts';
import { type ConformanceAdapter, describeConformance, type Submitted } from '../../support/conformance.ts';
import { type GatewayProduct, PROCESSOR_NAME, startWithGateway } from '../../support/gateway.ts';
import { issueOf } from './conformance.ts';

const CARDHOLDERS = { moved: null, refused: 'REFUSED', open: 'PENDING' } as const;

let started: GatewayProduct;

beforeAll(async () => {
  started = await startWithGateway({ pools: [] });
});
afterAll(() => started?.close());

async function gatewayAdapter(): Promise<ConformanceAdapter> {
  const { gateway, product } = started;
  const { pool, processors } = product.runtime;
  const party = processors.get(PROCESSOR_NAME);
  const orderOf = (originator: string, reference: string) =>
    gateway.cards.find(publicId('book', originator), reference);
  const closers: (() => Promise<void>)[] = [];
  return {
    party,
    words: { moved: 'succeeded', refused: 'declined', open: 'pending' },
    submit({ originator, endToEndId: reference, outcome, notAfter, silent = false }: Submitted) {
      gateway.faultOf = (call) => (call === 'card_submit' && silent ? 'unanswered' : undefined);
      return party.submit(issueOf(originator, { reference, notAfter }, CARDHOLDERS[outcome]));
    },
    // What moves is a card that exists.
    movements: async (originator, endToEndId) => (orderOf(originator, endToEndId)?.status === 'succeeded' ? 1 : 0),
    async decide(originator, endToEndId, decision) {
      const before = gateway.cardNotices.sent.length;
      // Anew, too, as only a gateway that contradicts itself does.
      gateway.cards.decide(orderOf(originator, endToEndId)!, decision === 'moved' ? 'succeeded' : 'declined');
      const { id } = gateway.cardNotices.sent[before]!;
      await until(async () => {
        const { rowCount } = await pool.query('SELECT FROM partner_notices WHERE webhook_id = $1', [id]);
        return rowCount === 1;
      });
    },
    async hanging() {
      const server: RawServer = await startRawServer((socket) => socket.resume());
      const url = `http://127.0.0.1:${server.port}`;
      const hung = new HttpProcessor({
        ...{ name: 'hanging', mode: 'live', url, secrets: [started.secret] },
        ...{ pool, clock: systemClock, callTimeoutMs: 200 },
      });
      closers.push(
        () => hung.close(),
        () => server.close(),
      );
      return hung;
    },
    async close() {
      gateway.faultOf = () => undefined;
      for (const close of closers) await close();
    },
  };
}

describeConformance('the http processor', gatewayAdapter);
