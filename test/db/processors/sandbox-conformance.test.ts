/** The sandbox processor keeps to what every party must (test/support/conformance.ts). */
import { createServer, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { createPool } from '../../../src/db/pool.ts';
import { createSecretBox } from '../../../src/db/secret-box.ts';
import { createLogger } from '../../../src/process/log.ts';
import { createProcessors } from '../../../src/processors/processors.ts';
import { SandboxProcessor } from '../../../src/processors/sandbox-processor.ts';
import { systemClock } from '../../../src/values/clock.ts';
import { newId } from '../../../src/values/ids.ts';
import { type ConformanceAdapter, describeConformance, type Submitted } from '../../support/conformance.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { issueOf } from './conformance.ts';

const log = createLogger('silent', 'test');
let database: TestDatabase;
let superuser: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = new pg.Client({ connectionString: database.superuserUrl });
  await superuser.connect();
});
afterAll(async () => {
  await superuser?.end();
  await database?.drop();
});

const CARDHOLDERS = { moved: null, refused: 'REFUSED', open: 'PENDING' } as const;
const SILENT_CARDHOLDERS = { moved: 'TIMEOUT', refused: 'TIMEOUTFAIL', open: 'PENDING' } as const;
const ORDER = 'WHERE originator = $1 AND reference = $2';

async function sandboxAdapter(): Promise<ConformanceAdapter> {
  const secretBox = createSecretBox(database.encryptionKey);
  const processors = createProcessors({ DATABASE_URL: database.applicationUrl }, log, { secretBox });
  const { sandbox } = processors;
  const closers: (() => Promise<void>)[] = [() => processors.close()];
  return {
    party: sandbox,
    words: { moved: 'succeeded', refused: 'declined', open: 'pending' },
    submit({ originator, endToEndId: reference, outcome, silent = false, notAfter }: Submitted) {
      const cardholder = (silent ? SILENT_CARDHOLDERS : CARDHOLDERS)[outcome];
      return sandbox.submit(issueOf(originator, { reference, notAfter }, cardholder));
    },
    // What moves is a card that exists.
    async movements(originator, endToEndId) {
      const { rows } = await superuser.query(
        `SELECT FROM sandbox_processor.instructions i JOIN sandbox_processor.cards c USING (card_reference, originator)
         ${ORDER} AND i.status = 'succeeded'`,
        [originator, endToEndId],
      );
      return rows.length;
    },
    /** By its records, since nothing moves the sandbox: an order that was pending has the notice of its moment already. */
    async decide(originator, endToEndId, decision) {
      const order = [originator, endToEndId];
      const [status, code] = decision === 'moved' ? ['succeeded', null] : ['declined', 'refused'];
      await superuser.query(`DELETE FROM sandbox_processor.notices ${ORDER} AND created_at > now()`, order);
      await superuser.query(`UPDATE sandbox_processor.instructions SET status = $3, code = $4 ${ORDER}`, [
        ...order,
        status,
        code,
      ]);
      await superuser.query(
        `INSERT INTO sandbox_processor.notices (id, originator, reference, kind, code, created_at)
         VALUES ($3, $1, $2, $4, $5, now())`,
        [...order, newId(), status, code],
      );
    },
    async hanging() {
      // Takes connections, and never says anything.
      const sockets: Socket[] = [];
      const server = createServer((socket) => sockets.push(socket));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as { port: number };
      const pool = createPool({ url: `postgres://nobody:x@127.0.0.1:${port}/none`, name: 'test', size: 1, log });
      closers.push(async () => {
        for (const socket of sockets) socket.destroy();
        await new Promise((resolve) => server.close(resolve));
        await pool.end();
      });
      return new SandboxProcessor({ pool, clock: systemClock, secretBox, callTimeoutMs: 200 });
    },
    async close() {
      for (const close of closers) await close();
    },
  };
}

describeConformance('the sandbox processor', sandboxAdapter);
