/** What must be right of payouts in the end: the clients' answers, the rail's movements and the books agree. */
import type { Pool } from '../../../../src/db/pool.ts';
import type { Uuid } from '../../../../src/values/ids.ts';
import type { Intent } from '../clients.ts';
import type { Add, ScheduleBook } from '../part.ts';
import { net, type RailRecord } from '../rail-model.ts';

const STEPS: Record<string, RegExp> = {
  paid: /^reserved (paid|failed paid_after_failed)( returned(_\d+)?)*$/,
  returned: /^reserved (paid|failed paid_after_failed)( returned(_\d+)?)+$/,
  failed: /^(reserved failed)?$/,
  canceled: /^$/,
};

/** `promised`: requests that were answered with 202. */
export async function faultsOfPayouts(book: ScheduleBook, promised: readonly Intent[]): Promise<string[]> {
  const { scheduler } = book;
  const payouts = await payoutOutcomes(book.pool, book.bookId);
  for (const { status, steps, failure } of payouts) {
    scheduler.count(failure ?? status);
    if (steps.length > 3) scheduler.count('returned in parts');
  }
  for (const { submissions } of recordsOf(book).values()) if (submissions > 1) scheduler.count('submitted again');
  return [...promiseFaults(promised, payouts), ...payouts.flatMap(payoutFaults), ...railFaults(book, payouts)];
}

/** What the rail was told to do for this book. */
function recordsOf({ rail, bookId }: ScheduleBook): Map<string, RailRecord> {
  return new Map([...rail.records].filter(([, { instruction }]) => instruction.originator === bookId));
}

interface PayoutAtRail {
  readonly id: Uuid;
  readonly rail: string;
  readonly askedAt: number;
  readonly sentAt: number;
}

/** Payouts that a rail was told of. */
export async function payoutsAtRail(book: ScheduleBook, promised: readonly Intent[]): Promise<PayoutAtRail[]> {
  const asked = new Map(promised.map(({ answers, askedAt }) => [answers[0]!.resourceId, askedAt]));
  const records = recordsOf(book);
  return (await payoutOutcomes(book.pool, book.bookId)).flatMap(({ id, rail, end_to_end_id: endToEndId }) => {
    const [askedAt, sentAt] = [asked.get(id), records.get(endToEndId)?.sentAt];
    return askedAt === undefined || sentAt === undefined ? [] : [{ id, rail, askedAt, sentAt }];
  });
}

/** Every payout answered with 202 exists, and no other does. */
function promiseFaults(promised: readonly Intent[], payouts: readonly PayoutOutcome[]): string[] {
  const expected = new Set(promised.map(({ answers }) => answers[0]!.resourceId));
  const made = new Set(payouts.map(({ id }) => id));
  return [
    ...[...expected].filter((id) => !made.has(id!)).map((id) => `payout ${id} was promised and is not there`),
    ...[...made].filter((id) => !expected.has(id)).map((id) => `payout ${id} is there and nobody was promised it`),
  ];
}

function payoutFaults({ id, status, steps, stuck }: PayoutOutcome): string[] {
  const isRight = STEPS[status]?.test(steps.join(' ')) ?? false;
  return isRight && !stuck ? [] : [`payout ${id} is ${status}${stuck ? ', stuck' : ''}, booked: ${steps.join(' ')}`];
}

function railFaults(book: ScheduleBook, payouts: readonly PayoutOutcome[]): string[] {
  const known = new Map(payouts.map((payout) => [payout.end_to_end_id, payout]));
  const faults: string[] = [];
  const records = recordsOf(book);
  for (const [id, record] of records) {
    const payout = known.get(id);
    const outs = record.movements.filter(({ kind }) => kind === 'out').length;
    if (!payout) faults.push(`the rail has ${id}, which is nobody's`);
    else if (record.instruction.amount !== payout.amount) faults.push(`the rail has another amount of ${payout.id}`);
    else if (record.contradicted) {
      if (net(record) !== gone(payout) && payout.exceptions === 0n)
        faults.push(`the rail contradicted itself about ${payout.id}, the books disagree, and no person is asked`);
    } else if (outs > 1) faults.push(`the rail paid ${payout.id} ${outs} times`);
    else if ((outs === 1) !== payout.steps.includes('paid'))
      faults.push(`the rail paid ${payout.id} ${outs} times, the books say ${payout.steps.join(' ')}`);
  }
  for (const { id, rail: name, steps, end_to_end_id } of payouts)
    if (name === 'sandbox' && steps.includes('paid') && !records.has(end_to_end_id))
      faults.push(`the books say that ${id} was paid, the rail has never heard of it`);
  return faults;
}

/** The amount that the payee has, by the books. */
function gone({ status, amount, amount_returned }: PayoutOutcome): bigint {
  return status === 'paid' ? amount - amount_returned : 0n;
}

export async function addPayouts(
  { pool, bookId, rail }: ScheduleBook,
  promised: readonly Intent[],
  add: Add,
): Promise<void> {
  const fees = new Map(promised.map(({ answers: [answer] }) => [answer!.resourceId!, feeOf(answer!.body)]));
  for (const payout of await payoutOutcomes(pool, bookId)) {
    const record = rail.records.get(payout.end_to_end_id);
    const isWithin = payout.rail === 'book';
    // When the rail has contradicted itself, an exception covers the difference: see railFaults.
    const byBooks = isWithin || record?.contradicted;
    const left = byBooks ? gone(payout) : record ? net(record) : 0n;
    const isPaid = byBooks ? payout.steps.includes('paid') : (record?.movements.length ?? 0) > 0;
    const fee = isPaid ? fees.get(payout.id)! : 0n;
    add(payout.account_id, -left - fee);
    add(isWithin ? payout.destination_account_id! : 'pool', isWithin ? left : -left);
    add('due_operator', fee);
  }
}

function feeOf(body: string): bigint {
  return BigInt((JSON.parse(body) as { fee: number }).fee);
}

export async function countOpenPayouts(pool: Pool, bookId: Uuid): Promise<number> {
  const { rows } = await pool.query<{ open: bigint }>(
    // A rail's notice is acknowledged once it is copied, and booked afterwards.
    `SELECT (SELECT count(*) FROM payouts WHERE book_id = $1 AND status IN ('pending', 'processing'))
      + (SELECT count(*) FROM rail_notices WHERE book_id = $1 AND status = 'waiting') AS open`,
    [bookId],
  );
  return Number(rows[0]!.open);
}

interface PayoutOutcome {
  readonly id: Uuid;
  readonly status: string;
  readonly failure: string | null;
  readonly account_id: Uuid;
  readonly destination_account_id: Uuid | null;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly amount_returned: bigint;
  /** Number of exceptions. */
  readonly exceptions: bigint;
  readonly rail: string;
  readonly end_to_end_id: string;
  /** The steps of its entries and of those of its returns, in order. */
  readonly steps: string[];
  readonly stuck: boolean;
}

async function payoutOutcomes(pool: Pool, bookId: Uuid): Promise<PayoutOutcome[]> {
  const { rows } = await pool.query(
    `SELECT id, status, coalesce(rail_code, failure_code) AS failure, account_id, destination_account_id, amount, fee, amount_returned, rail, end_to_end_id, stuck_at IS NOT NULL AS stuck,
       ARRAY(SELECT step FROM entries WHERE book_id = $1 AND (resource_id = payouts.id
         OR resource_id IN (SELECT r.id FROM payout_returns r WHERE r.book_id = $1 AND r.payout_id = payouts.id)) ORDER BY sequence) AS steps,
       (SELECT count(*) FROM exceptions WHERE book_id = $1 AND resource_id = payouts.id) AS exceptions
     FROM payouts WHERE book_id = $1 ORDER BY id`,
    [bookId],
  );
  return rows;
}
