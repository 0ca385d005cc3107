/** The http rail keeps to what every party must (test/support/conformance.ts), with the reference gateway behind it. */
import { afterAll, beforeAll } from 'vitest';
import { type RawServer, startRawServer } from '../../../scripts/harness/raw-server.ts';
import { until } from '../../../scripts/harness/until.ts';
import { HttpRail } from '../../../src/rails/http/http-rail.ts';
import { systemClock } from '../../../src/values/clock.ts';
import { publicId } from '../../../src/values/ids.ts';
import { type ConformanceAdapter, describeConformance, type Submitted } from '../../support/conformance.ts';
import { type GatewayProduct, RAIL_NAME, startWithGateway } from '../../support/gateway.ts';
import { toAlias } from '../../support/instructions.ts';

const ALIASES = { moved: 'ALICE', refused: 'CLOSED', open: 'PENDING' } as const;

let started: GatewayProduct;

beforeAll(async () => {
  started = await startWithGateway({ pools: [] });
});
afterAll(() => started?.close());

async function gatewayAdapter(): Promise<ConformanceAdapter> {
  const { gateway, product } = started;
  const { pool, rails } = product.runtime;
  const party = rails.get(RAIL_NAME);
  const orderOf = (originator: string, reference: string) =>
    gateway.payouts.find(publicId('book', originator), reference);
  const closers: (() => Promise<void>)[] = [];
  return {
    party,
    words: { moved: 'paid', refused: 'rejected', open: 'pending' },
    submit({ outcome, silent = false, ...instruction }: Submitted) {
      gateway.faultOf = (call) => (call === 'payout_submit' && silent ? 'unanswered' : undefined);
      return party.submit({ ...instruction, ...toAlias(ALIASES[outcome]), currency: 'JOD' });
    },
    movements: async (originator, endToEndId) => orderOf(originator, endToEndId)?.movements ?? 0,
    async decide(originator, endToEndId, decision) {
      const before = gateway.payoutNotices.sent.length;
      // Anew, too, as only a gateway that contradicts itself does.
      gateway.payouts.decide(orderOf(originator, endToEndId)!, decision === 'moved' ? 'paid' : 'rejected');
      const { id } = gateway.payoutNotices.sent[before]!;
      await until(async () => {
        const { rowCount } = await pool.query('SELECT FROM partner_notices WHERE webhook_id = $1', [id]);
        return rowCount === 1;
      });
    },
    async hanging() {
      const server: RawServer = await startRawServer((socket) => socket.resume());
      const url = `http://127.0.0.1:${server.port}`;
      const hung = new HttpRail({
        ...{ name: 'hanging', mode: 'live', url, secrets: [started.secret], destinations: [], paysTokensOf: [] },
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

describeConformance('the http rail', gatewayAdapter);
