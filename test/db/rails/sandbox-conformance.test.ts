import { createServer, type Socket } from 'node:net';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { createPool } from '../../../src/db/pool.ts';
import { createRails } from '../../../src/rails/rails.ts';
import { SandboxRail } from '../../../src/rails/sandbox-rail.ts';
import { systemClock } from '../../../src/values/clock.ts';
import { type ConformanceAdapter, describeConformance, type Submitted } from '../../support/conformance.ts';
import { toAlias } from '../../support/instructions.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const log = pino({ level: 'silent' });
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

/** The magic aliases of each outcome (API.md §7). */
const ALIASES = { moved: 'ALICE', refused: 'CLOSED', open: 'PENDING' } as const;
const SILENT_ALIASES = { moved: 'TIMEOUT', refused: 'TIMEOUTFAIL', open: 'PENDING' } as const;

async function sandboxAdapter(): Promise<ConformanceAdapter> {
  const rails = createRails({ DATABASE_URL: database.applicationUrl }, log);
  const rail = rails.sandbox;
  const closers: (() => Promise<void>)[] = [() => rails.close()];
  return {
    party: rail,
    words: { moved: 'paid', refused: 'rejected', open: 'pending' },
    submit({ outcome, silent, ...instruction }: Submitted) {
      const alias = (silent ? SILENT_ALIASES : ALIASES)[outcome];
      return rail.submit({ ...instruction, ...toAlias(alias), currency: 'JOD' });
    },
    async movements(originator, endToEndId) {
      const { rows } = await superuser.query(
        `SELECT FROM sandbox_rail.instructions WHERE originator = $1 AND end_to_end_id = $2 AND status = 'paid'`,
        [originator, endToEndId],
      );
      return rows.length;
    },
    decide: (originator, endToEndId, decision) =>
      decision === 'moved' ? rail.complete(originator, endToEndId) : rail.fail(originator, endToEndId),
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
      return new SandboxRail({ pool, clock: systemClock, callTimeoutMs: 200 });
    },
    async close() {
      for (const close of closers) await close();
    },
  };
}

describeConformance('the sandbox rail', sandboxAdapter);
