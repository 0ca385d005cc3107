/** Endpoints that fail and recover: what counts as five days of failure, and what a good answer sends at once. */
import { describe, expect, test, vi } from 'vitest';
import type { Uuid } from '../../../src/values/ids.ts';
import { sendTestEvent } from '../../../src/webhooks/actions/manage-endpoint.ts';
import { getEndpoint } from '../../../src/webhooks/endpoints/endpoint-store.ts';
import { EARLY_ATTEMPTS_MAX } from '../../../src/webhooks/recovery/bring-forward-store.ts';
import { eventually } from '../../support/eventually.ts';
import { attemptsOf, change, setStage } from './stage.ts';
import { deliveriesOf, START, taken } from './world.ts';

const stage = setStage();
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** An endpoint whose receiver answers with what `answers.status` is at the time. */
async function endpoint(answers: { status: number; retryAfter?: number }) {
  const hooks = await stage.receiver((response) =>
    response
      .writeHead(answers.status, answers.retryAfter === undefined ? {} : { 'retry-after': `${answers.retryAfter}` })
      .end(),
  );
  const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url, events: ['payout.*'] });
  return { id, hooks };
}

const emit = (count = 1) => stage.world.emit(stage.bookId, 'payout.paid', count);
const shown = (id: Uuid) => getEndpoint(stage.world.pool, stage.bookId, id);
const at = (moment: number) => stage.world.clock.set(moment);

describe('five days of failure', () => {
  test('do not begin nine days ago with one failure that nothing followed', async () => {
    const { id } = await endpoint({ status: 500 });
    const posting = stage.deliverer();
    await posting.deliver(stage.bookId, await emit());
    for (const today of [9 * DAY, 9 * DAY + MINUTE, 9 * DAY + 2 * MINUTE, 10 * DAY]) {
      at(START + today);
      await posting.deliver(stage.bookId, await emit());
      expect(await shown(id)).toMatchObject({ status: 'enabled', failingSince: START + 9 * DAY });
    }
  });

  test('of one event are none, however long the receiver has it retried', async () => {
    const { id } = await endpoint({ status: 503, retryAfter: 24 * 60 * 60 });
    const posting = stage.deliverer();
    const ids = await emit();
    for (let day = 0; day < 9; day++) {
      at(START + day * DAY + day * MINUTE);
      await posting.deliver(stage.bookId, ids);
    }
    expect(await deliveriesOf(stage.world.pool, id)).toMatchObject([{ status: 'pending', attempts: 9 }]);
    expect(await shown(id)).toMatchObject({ status: 'enabled', failingSince: START });
    // A second event, and they are.
    await posting.deliver(stage.bookId, await emit());
    expect(await shown(id)).toMatchObject({ status: 'disabled', disabledReason: 'failing' });
  });

  test('need failures of two events within them', async () => {
    const { id } = await endpoint({ status: 500 });
    const posting = stage.deliverer();
    const [first, second] = (await emit(2)) as [string, string];
    await posting.deliver(stage.bookId, [first]);
    at(START + MINUTE);
    await posting.deliver(stage.bookId, [second]);
    // The second event alone, every other day.
    for (const days of [2, 4, 6]) {
      at(START + days * DAY);
      await posting.deliver(stage.bookId, [second]);
      expect(await shown(id)).toMatchObject({ status: 'enabled', failingSince: START });
    }
  });

  test('as release 0.2.0 kept them, without what they consist of, are counted anew', async () => {
    const { id } = await endpoint({ status: 500 });
    await stage.world.pool.query('UPDATE webhook_endpoints SET failing_since = $2 WHERE id = $1', [
      id,
      new Date(START - 6 * DAY),
    ]);
    await stage.deliverer().deliver(stage.bookId, await emit(2));
    expect(await shown(id)).toMatchObject({ status: 'enabled', failingSince: START });
  });
});

describe('a good answer', () => {
  /** Attempts these deliveries so often, each time when they are due. */
  async function failing(id: Uuid, ids: readonly string[], attempts: number) {
    const posting = stage.deliverer();
    for (let number = 0; number < attempts; number++) {
      await posting.deliver(stage.bookId, ids);
      const retries = (await deliveriesOf(stage.world.pool, id)).map(({ retry_at }) => retry_at!);
      if (number < attempts - 1) at(Math.max(...retries));
    }
  }

  test.each([2, 3, 8])('brings forward what waits after %i attempts', async (attempts) => {
    const answers = { status: 500 };
    const { id } = await endpoint(answers);
    await failing(id, await emit(1), attempts);
    answers.status = 200;
    await stage.deliverer().deliver(stage.bookId, await emit());
    await eventually(async () => {
      expect((await deliveriesOf(stage.world.pool, id)).map(({ status }) => status)).toEqual([
        'delivered',
        'delivered',
      ]);
    });
    expect(await shown(id)).toMatchObject({ failingSince: null });
  });

  test('tries again where the database is away for a moment, before the arrival ends the streak', async () => {
    const answers = { status: 500 };
    const { id } = await endpoint(answers);
    await failing(id, await emit(1), 3);
    answers.status = 200;
    const { pool } = stage.world;
    const query = pool.query.bind(pool) as (...given: unknown[]) => unknown;
    let failures = 0;
    const spy = vi.spyOn(pool, 'query').mockImplementation(((...given: unknown[]) => {
      const isIt = (given[0] as { name?: string }).name === 'webhook_deliveries.bring_forward';
      return isIt && failures++ < 2 ? Promise.reject(new Error('Connection terminated')) : query(...given);
    }) as never);
    await stage.deliverer().deliver(stage.bookId, await emit());
    await eventually(async () => {
      const states = (await deliveriesOf(pool, id)).map(({ status }) => status);
      expect(states).toEqual(['delivered', 'delivered']);
    });
    spy.mockRestore();
    expect(failures).toBeGreaterThan(2);
  });

  test('does so for hundreds, and changes nothing for another endpoint', async () => {
    const answers = { status: 500 };
    const { id } = await endpoint(answers);
    const other = await endpoint({ status: 500 });
    await emit(700);
    const { pool } = stage.world;
    // As three attempts leave them.
    const failed = new Date(START - MINUTE);
    await pool.query(
      `UPDATE webhook_deliveries SET attempts = 3, retry_at = $2::timestamptz + interval '25 minutes', due_at = $2::timestamptz + interval '25 minutes' WHERE book_id = $1`,
      [stage.bookId, failed],
    );
    await pool.query(
      `INSERT INTO webhook_attempts (book_id, endpoint_id, event_sequence, attempt, started_at, duration_ms, status)
       SELECT book_id, endpoint_id, event_sequence, 3, $2, 5, 500 FROM webhook_deliveries WHERE book_id = $1`,
      [stage.bookId, failed],
    );
    await pool.query('UPDATE webhook_endpoints SET failing_since = $2 WHERE book_id = $1', [stage.bookId, failed]);
    answers.status = 200;
    const mine = (ids: readonly string[]) => ids.filter((one) => one.endsWith(id));
    await stage.deliverer().deliver(stage.bookId, mine(await emit()));
    await eventually(async () => {
      const states = await deliveriesOf(pool, id);
      expect(states.filter(({ status, retry_at }) => status === 'delivered' || retry_at === START)).toHaveLength(701);
      expect(states.filter(({ status }) => status === 'delivered').length).toBeGreaterThan(10);
    });
    const waiting = (await deliveriesOf(pool, other.id)).filter(({ attempts }) => attempts === 3);
    expect(new Set(waiting.map(({ retry_at }) => retry_at))).toEqual(new Set([failed.getTime() + 25 * MINUTE]));
  });

  test.each([
    [429, undefined],
    [503, 3_600],
  ])('leaves the wait that a receiver asked for with %i and Retry-After %s', async (status, retryAfter) => {
    const answers: { status: number; retryAfter?: number } = { status, ...(retryAfter && { retryAfter }) };
    const { id, hooks } = await endpoint(answers);
    await failing(id, await emit(1), 2);
    const [before] = await deliveriesOf(stage.world.pool, id);
    answers.status = 200;
    await stage.deliverer().deliver(stage.bookId, await emit());
    expect((await deliveriesOf(stage.world.pool, id))[0]).toEqual(before);
    expect(hooks.received).toHaveLength(3);
  });

  test('leaves the schedule of an event that the receiver alone cannot take', async () => {
    let bad: string | undefined;
    const hooks = await stage.receiver((response, request) =>
      response.writeHead(request.headers['webhook-id'] === bad ? 500 : 200).end(),
    );
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url, events: ['payout.*'] });
    const ids = await emit();
    const { rows } = await stage.world.pool.query<{ id: Uuid }>('SELECT id FROM events WHERE book_id = $1', [
      stage.bookId,
    ]);
    const { publicId } = await import('../../../src/values/ids.ts');
    bad = publicId('event', rows[0]!.id);
    await failing(id, ids, 3);
    const posting = stage.deliverer();
    const attempts = async () => (await attemptsOf(stage.world, id)).filter(({ status }) => status === 500).length;
    for (let others = 0; others < 2 * EARLY_ATTEMPTS_MAX; others++) {
      const known = await attempts();
      await posting.deliver(stage.bookId, await emit());
      if (others < EARLY_ATTEMPTS_MAX) await eventually(async () => expect(await attempts()).toBe(known + 1));
      at(stage.world.clock.now() + 1_000);
    }
    expect(await attempts()).toBe(3 + EARLY_ATTEMPTS_MAX);
    const [delivery] = await deliveriesOf(stage.world.pool, id);
    // Still the third wait of the schedule: half an hour.
    expect(delivery).toMatchObject({ status: 'pending', attempts: 3 + EARLY_ATTEMPTS_MAX });
    const waitMs = delivery!.retry_at! - stage.world.clock.now();
    expect(waitMs).toBeGreaterThan(29 * MINUTE);
    expect(waitMs).toBeLessThan(31 * MINUTE);
  });
});

describe('a test event', () => {
  async function behind(id: Uuid, { retryAt }: { retryAt: number }) {
    await emit(300);
    const { pool } = stage.world;
    await pool.query('UPDATE webhook_deliveries SET due_at = NULL WHERE endpoint_id = $1', [id]);
    await pool.query(
      'UPDATE webhook_endpoints SET behind_since = $2, retry_at = $3, due_at = $3, retry_attempts = 5, waiting_from = 1 WHERE id = $1',
      [id, new Date(START), new Date(retryAt)],
    );
  }
  async function sendTest(id: Uuid): Promise<string[]> {
    const before = stage.world.enqueued.length;
    taken(await stage.world.submit(stage.bookId, sendTestEvent(change(id))));
    const rows = stage.world.enqueued.slice(before);
    expect(rows).toMatchObject([{ pool: 'webhooks', job: 'delivery.send_at_once', bookId: stage.bookId }]);
    return rows.map((row) => row.id);
  }

  test('is sent at once to an endpoint that is behind, and alone', async () => {
    const { id, hooks } = await endpoint({ status: 200 });
    await behind(id, { retryAt: START + 60 * MINUTE });
    stage.deliverer().take(stage.bookId, await sendTest(id), { atOnce: true });
    await hooks.arrivals(1);
    expect(JSON.parse(hooks.received[0]!.body)).toMatchObject({ type: 'webhook.test' });
    await eventually(async () => {
      const states = (await deliveriesOf(stage.world.pool, id)).map(({ status }) => status);
      expect(states.filter((status) => status === 'delivered')).toHaveLength(1);
    });
  });

  test('is sent at once while a drain fills all that the receiver answers, and nothing else', async () => {
    let answer: (() => void)[] = [];
    const hooks = await stage.receiver((response) => {
      answer.push(() => response.writeHead(200).end());
    });
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url, events: ['payout.*'] });
    await behind(id, { retryAt: START });
    const posting = stage.deliverer();
    posting.drain(stage.bookId, [id]);
    await hooks.arrivals(1);
    posting.take(stage.bookId, await sendTest(id), { atOnce: true });
    await hooks.arrivals(2);
    expect(hooks.received.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual([
      'payout.paid',
      'webhook.test',
    ]);
    const answered = answer;
    answer = [];
    for (const end of answered) end();
  });
});
