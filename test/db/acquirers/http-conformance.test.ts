/** The http acquirer keeps to what every party must (test/support/conformance.ts), with the reference gateway behind it. */
import { afterAll, beforeAll } from 'vitest';
import { type RawServer, startRawServer } from '../../../scripts/harness/raw-server.ts';
import { until } from '../../../scripts/harness/until.ts';
import { HttpAcquirer } from '../../../src/acquirers/http/http-acquirer.ts';
import { systemClock } from '../../../src/values/clock.ts';
import { publicId } from '../../../src/values/ids.ts';
import { type ConformanceAdapter, describeConformance, type Submitted } from '../../support/conformance.ts';
import { GATEWAY_NAME, type GatewayProduct, startWithGateway } from '../../support/gateway.ts';
import { APPROVED, cardOf } from './conformance.ts';

const NUMBERS = { moved: APPROVED, refused: '4000000000000002', open: '4000002500003155' } as const;

let started: GatewayProduct;

beforeAll(async () => {
  started = await startWithGateway({ pools: [] });
});
afterAll(() => started?.close());

async function gatewayAdapter(): Promise<ConformanceAdapter> {
  const { gateway, product } = started;
  const { pool, acquirers } = product.runtime;
  const party = acquirers.get(GATEWAY_NAME);
  const recordOf = (originator: string, reference: string) =>
    gateway.rules.records.find(publicId('book', originator), reference);
  const closers: (() => Promise<void>)[] = [];
  return {
    party,
    words: { moved: 'succeeded', refused: 'declined', open: 'requires_action' },
    async submit({ originator, endToEndId, outcome, amount, notAfter, silent = false }: Submitted) {
      const { token } = await party.tokenize(cardOf(NUMBERS[outcome]), { originator, reusable: false });
      gateway.faultOf = (call) => (call === 'submit' && silent ? 'unanswered' : undefined);
      return party.submit({
        ...{ kind: 'authorize', originator, reference: endToEndId, amount, currency: 'JOD', notAfter, token },
        ...{ request: null, billing: null, capture: true, initiator: 'customer', previousNetworkReference: null },
        ...{ returnUrl: 'https://shop.example/return', statementDescriptor: null },
      });
    },
    movements: async (originator, endToEndId) => ((recordOf(originator, endToEndId)?.captured ?? 0n) > 0n ? 1 : 0),
    async decide(originator, endToEndId, decision) {
      const record = recordOf(originator, endToEndId)!;
      const isMoved = decision === 'moved';
      // Anew, as only a gateway that contradicts itself does.
      Object.assign(record, { status: isMoved ? 'succeeded' : 'declined', code: isMoved ? null : 'generic_decline' });
      Object.assign(record, { page: null, captured: isMoved ? record.amount : 0n });
      const before = gateway.notices.sent.length;
      gateway.rules.notify(record, record.status, { code: record.code });
      const { id } = gateway.notices.sent[before]!;
      await until(async () => {
        const { rowCount } = await pool.query('SELECT FROM partner_notices WHERE webhook_id = $1', [id]);
        return rowCount === 1;
      });
    },
    async hanging() {
      const server: RawServer = await startRawServer((socket) => socket.resume());
      const url = `http://127.0.0.1:${server.port}`;
      const hung = new HttpAcquirer({
        ...{ name: 'hanging', mode: 'live', url, secrets: [started.secret], takesCards: true },
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

describeConformance('the http acquirer', gatewayAdapter);
