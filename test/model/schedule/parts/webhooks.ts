/** Events, which a receiver outside gets to the byte. */
import type { Pool } from '../../../../src/db/pool.ts';
import { publicId, type Uuid } from '../../../../src/values/ids.ts';
import { ACCOUNTS } from '../clients.ts';
import type { ScheduleBook, SchedulePart } from '../part.ts';
import type { Arrived } from '../receiver-model.ts';

/** Events of accounts opened and funded before the endpoint existed. */
const EVENTS_BEFORE = ACCOUNTS.length + ACCOUNTS.filter((amount) => amount > 0n).length;

export const webhooksPart: SchedulePart = {
  kinds: [],
  async countOpen(pool, bookId) {
    const { rows } = await pool.query<{ open: bigint }>(
      `SELECT count(*) AS open FROM webhook_deliveries WHERE book_id = $1 AND status = 'pending'`,
      [bookId],
    );
    return Number(rows[0]!.open);
  },
  async faultsOf(book) {
    for (const { times } of receivedBy(book).values())
      book.scheduler.count(times > 1 ? 'events received again' : 'events received once');
    return eventFaults(book);
  },
};

/** What arrived at the book's endpoint, by event. */
function receivedBy({ receiver, endpointUrl }: ScheduleBook): Map<string, Arrived> {
  return new Map([...receiver.received].filter(([, { url }]) => url === endpointUrl));
}

async function eventFaults(book: ScheduleBook): Promise<string[]> {
  const { pool, bookId } = book;
  const received = receivedBy(book);
  const events = await eventOutcomes(pool, bookId);
  const faults = events.flatMap(({ id, sequence, payload, deliveries }, at) => {
    if (sequence !== BigInt(at + 1)) return [`event ${sequence} stands at ${at + 1}`];
    if (at < EVENTS_BEFORE) return [];
    const got = received.get(publicId('event', id));
    const isRight = deliveries.join() === 'delivered' && got?.body === payload;
    return isRight
      ? []
      : [`event ${sequence} is ${deliveries.join() || 'for nobody'}, received: ${got?.times ?? 0} times`];
  });
  const known = new Set(events.map(({ id }) => publicId('event', id)));
  for (const id of received.keys()) if (!known.has(id)) faults.push(`the receiver got ${id}, which never was`);
  return faults;
}

interface EventOutcome {
  readonly id: Uuid;
  readonly sequence: bigint;
  readonly payload: string;
  readonly deliveries: string[];
}

async function eventOutcomes(pool: Pool, bookId: Uuid): Promise<EventOutcome[]> {
  const { rows } = await pool.query<EventOutcome>(
    `SELECT id, sequence, payload,
       ARRAY(SELECT status FROM webhook_deliveries WHERE book_id = $1 AND event_sequence = events.sequence) AS deliveries
     FROM events WHERE book_id = $1 ORDER BY sequence`,
    [bookId],
  );
  return rows;
}
