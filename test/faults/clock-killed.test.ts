/** kill -9 on the way of a book's clock: another worker goes on from where it stands, and ends in the same state. */
import { afterEach, expect, test } from 'vitest';
import { until } from '../../scripts/harness/client.ts';
import { describeOnOneBackend } from '../support/product.ts';
import { type Stage, startStage } from './stage.ts';

const HOLDS = 40;
const DAY_MS = 86_400_000;

describeOnOneBackend('a worker killed while a clock is advanced', (backend) => {
  let stage: Stage | undefined;
  afterEach(() => stage?.close());

  test.each(['ledger.commit.before=kill@11', 'ledger.commit.after=kill@11'])(
    'at %s leaves the rest to another, and every hold expires once at its moment',
    async (failpoints) => {
      stage = await startStage({
        backend,
        workers: {
          ledger: { pools: ['ledger'], failpoints },
          others: { pools: ['rails', 'webhooks', 'sweeper'] },
        },
      });
      const client = stage.clients[0]!;
      const account = await client.openAccount({ funds: 1_000 });
      const from = Date.now();
      await Promise.all(
        Array.from({ length: HOLDS }, (_, at) =>
          client.post(`/v1/accounts/${account.id}/holds`, {
            amount: 10,
            expires_at: new Date(from + (at + 1) * DAY_MS).toISOString(),
          }),
        ),
      );
      await client.post('/v1/simulations/clock/advance', { by: 'P100D' });
      const worker = stage.worker('ledger');
      await worker.ended();
      const [torn] = await stage.query<{ open: bigint }>(
        "SELECT count(*) FILTER (WHERE status = 'open') AS open FROM account_holds",
      );
      expect(torn!.open).toBeGreaterThan(0n);
      expect(torn!.open).toBeLessThan(BigInt(HOLDS));
      expect(await client.read('/v1/simulations/clock')).toMatchObject({ status: 'advancing' });
      await worker.start();
      await until(
        () => client.read<{ status: string; now: string }>('/v1/simulations/clock'),
        ({ status }) => status === 'idle',
      );
      const expired = await stage.query<{ at: number; due: number }>(`
        SELECT e.created_at AS at, h.expires_at AS due FROM events e
        JOIN account_holds h ON h.book_id = e.book_id AND h.id = e.object_id AND h.status = 'expired'
        WHERE e.type = 'hold.expired' ORDER BY e.sequence`);
      expect(expired.map(({ at }) => at)).toEqual(Array.from({ length: HOLDS }, (_, at) => from + (at + 1) * DAY_MS));
      expect(expired.map(({ due }) => due)).toEqual(expired.map(({ at }) => at));
      expect(await client.read(`/v1/accounts/${account.id}/balance`)).toMatchObject({ held: 0, available: 1_000 });
      await stage.settleAndCheck(await stage.load());
    },
  );
});
