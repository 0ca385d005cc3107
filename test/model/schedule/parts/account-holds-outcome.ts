/** What must be right of holds in the end: what clients were answered, and what follows from it, is what the books say. */

import type { Pool } from '../../../../src/db/pool.ts';
import type { Instant } from '../../../../src/values/clock.ts';
import type { Uuid } from '../../../../src/values/ids.ts';
import { wishesOf } from '../clients.ts';
import type { Add, ScheduleBook } from '../part.ts';
import type { Increase, Place, Release } from './account-holds.ts';

/** A hold as its requests and their answers tell it, from the first to the last. */
interface Told {
  readonly wish: Place;
  amount: bigint;
  released: bigint;
  /** Its steps, in the order of the versions that the answers show. */
  readonly steps: string[];
  readonly faults: string[];
}

/** A change of a hold that was answered with 200. */
interface Change {
  readonly wish: Increase | Release;
  readonly version: number;
  readonly remaining: bigint;
  readonly at: Instant;
}

export async function faultsOfHolds(book: ScheduleBook): Promise<string[]> {
  const told = toldHolds(book);
  const found = await holdOutcomes(book.pool, book.bookId);
  for (const { status, expiry } of found) {
    book.scheduler.count(`hold ${status}`);
    if (expiry !== null) book.scheduler.count(`hold expired by ${expiry.by}`);
  }
  const made = new Set(found.map(({ id }) => id));
  return [
    ...[...told.keys()].filter((id) => !made.has(id)).map((id) => `hold ${id} was promised and is not there`),
    ...found.flatMap((hold) => {
      const promised = told.get(hold.id);
      return promised ? holdFaults(hold, promised) : [`hold ${hold.id} is there and nobody was promised it`];
    }),
  ];
}

/** What is left of the holds that stay until they are released. All others are over in the end. */
export function addHeld(book: ScheduleBook, add: Add): void {
  for (const { wish, amount, released } of toldHolds(book).values())
    if (wish.expiresAt === null) add(wish.account, amount - released);
}

export async function countDueHolds(pool: Pool, bookId: Uuid): Promise<number> {
  const { rows } = await pool.query<{ due: bigint }>(
    'SELECT count(*) AS due FROM account_holds WHERE book_id = $1 AND due_at IS NOT NULL',
    [bookId],
  );
  return Number(rows[0]!.due);
}

function holdFaults(hold: HoldOutcome, { wish, amount, released, steps, faults: ofAnswers }: Told): string[] {
  const left = amount - released;
  const status = left === 0n ? 'released' : wish.expiresAt === null ? 'open' : 'expired';
  const all = status === 'expired' ? [...steps, 'expired'] : steps;
  const expected = {
    ...{ status, amount, released, remaining: status === 'open' ? left : 0n, version: all.length },
    ...{ steps: all.join(' '), told: all.join(' '), waits: false },
  };
  const faults = [...ofAnswers];
  for (const [name, right] of Object.entries(expected)) {
    const actual = hold[name as keyof typeof expected];
    if (actual !== right) faults.push(`${name} ${actual}, which should be ${right}`);
  }
  if (hold.expiry !== null && !(wish.expiresAt !== null && hold.expiry.at >= wish.expiresAt))
    faults.push(`expired at ${hold.expiry.at}, which was to be at ${wish.expiresAt}`);
  return faults.map((fault) => `hold ${hold.id}: ${fault}`);
}

function toldHolds(book: ScheduleBook): Map<Uuid, Told> {
  const changes = changesOf(book);
  const told = new Map<Uuid, Told>();
  for (const { wish, answers } of wishesOf<Place>(book.clients, 'place hold')) {
    const id = answers.find(({ status }) => status === 201)?.resourceId;
    if (id !== undefined) told.set(id, replayed(wish, changes.get(id) ?? []));
  }
  return told;
}

function changesOf({ clients }: ScheduleBook): Map<Uuid, Change[]> {
  const changes = new Map<Uuid, Change[]>();
  const asked = [...wishesOf<Increase>(clients, 'increase hold'), ...wishesOf<Release>(clients, 'release hold')];
  for (const { wish, answers } of asked) {
    const answer = answers.find(({ status }) => status === 200);
    if (!answer) continue;
    const { version, remaining, updated_at } = JSON.parse(answer.body) as Shown;
    const change = { wish, version, remaining: BigInt(remaining), at: Date.parse(updated_at) };
    changes.set(wish.hold, [...(changes.get(wish.hold) ?? []), change]);
  }
  return changes;
}

interface Shown {
  readonly version: number;
  readonly remaining: number;
  readonly updated_at: string;
}

/** Carries out the requests again, in the order of the answers' versions, over nothing but their own amounts. */
function replayed(wish: Place, changes: readonly Change[]): Told {
  const told: Told = { wish, amount: wish.amount, released: 0n, steps: ['created'], faults: [] };
  for (const change of [...changes].sort((one, other) => one.version - other.version)) {
    if (change.wish.do === 'increase hold') told.amount = change.wish.amount;
    else told.released += change.wish.amount ?? told.amount - told.released;
    told.steps.push(change.wish.do === 'increase hold' ? 'increased' : 'released');
    if (change.version !== told.steps.length) told.faults.push(`version ${change.version} is not the next`);
    if (change.remaining !== told.amount - told.released)
      told.faults.push(`version ${change.version} has ${change.remaining} left`);
    if (wish.expiresAt !== null && change.at >= wish.expiresAt)
      told.faults.push(`version ${change.version} came when it was over`);
  }
  return told;
}

interface HoldOutcome {
  readonly id: Uuid;
  readonly status: string;
  readonly amount: bigint;
  readonly released: bigint;
  /** By the ledger. */
  readonly remaining: bigint;
  readonly version: number;
  /** The kinds of the ledger's steps, and of the events, in order. */
  readonly steps: string;
  readonly told: string;
  /** Whether it is due or stuck. */
  readonly waits: boolean;
  readonly expiry: { readonly at: Instant; readonly by: string } | null;
}

async function holdOutcomes(pool: Pool, bookId: Uuid): Promise<HoldOutcome[]> {
  const { rows } = await pool.query<Omit<HoldOutcome, 'expiry'> & { expired_at: Instant | null; expired_by: string }>(
    `SELECT p.id, p.status, p.amount, p.released, h.remaining, p.version, p.due_at IS NOT NULL OR p.stuck_at IS NOT NULL AS waits,
       (SELECT string_agg(kind, ' ' ORDER BY ordinal) FROM hold_steps WHERE book_id = $1 AND hold_id = p.id) AS steps,
       (SELECT string_agg(substr(type, 6), ' ' ORDER BY sequence) FROM events WHERE book_id = $1 AND object_id = p.id) AS told,
       e.created_at AS expired_at, split_part(e.actor, ':', 1) AS expired_by
     FROM account_holds p
     LEFT JOIN holds h ON h.book_id = $1 AND h.id = p.id AND h.status = p.status
     LEFT JOIN LATERAL (SELECT created_at, actor FROM events
       WHERE book_id = $1 AND object_id = p.id AND type = 'hold.expired' ORDER BY sequence LIMIT 1) e ON true
     WHERE p.book_id = $1 ORDER BY p.id`,
    [bookId],
  );
  return rows.map(({ expired_at: at, expired_by: by, ...hold }) => ({
    ...hold,
    expiry: at === null ? null : { at, by },
  }));
}
