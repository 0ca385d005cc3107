/**
 * A part of the schedule: what one group adds to it. The requests of its clients, the party outside that it talks to, and
 * what must be right in the end. parts.ts lists them.
 */
import type { Pool } from '../../../src/db/pool.ts';
import type { ErrorCode } from '../../../src/errors/errors.ts';
import type { Following } from '../../../src/idempotency/following.ts';
import type { Runtime } from '../../../src/runtime.ts';
import type { Uuid } from '../../../src/values/ids.ts';
import type { Clients } from './clients.ts';
import type { OperatorModel } from './operator-model.ts';
import type { RailModel } from './rail-model.ts';
import type { ReceiverModel } from './receiver-model.ts';
import type { Schedule } from './schedule.ts';
import type { Scheduler } from './scheduler.ts';
import type { SeededRandom } from './seeded-random.ts';

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly resourceId?: Uuid;
}

/** What a client wants, as a failure tells it. */
export interface Wish {
  readonly do: string;
}

/** What every request carries. */
export interface Asked {
  readonly bookId: Uuid;
  readonly key: string;
  readonly fingerprint: Buffer;
  readonly requestId: Uuid;
  readonly actor: string;
  readonly following: Following;
}

export interface WishKind<Wanted extends Wish = Wish> {
  readonly do: Wanted['do'];
  readonly weight: number;
  /** Undefined while there is nothing that it could be about. */
  draw(clients: Clients, random: SeededRandom): Wanted | undefined;
  /** The use case behind the route. */
  carryOut(runtime: Runtime, asked: Asked, wanted: Wanted): Promise<Answer>;
  /** Refusals that end this request although no key keeps them: repeating it would mostly bring them again. */
  readonly endedBy?: readonly ErrorCode[];
}

// biome-ignore lint/suspicious/noExplicitAny: a kind knows its own wish, and the list of kinds does not
export type AnyWishKind = WishKind<any>;

/** Adds to what an account should have, by the account's id or the code of the chart. */
export type Add = (account: string, amount: bigint) => void;

/** One book of a schedule, its clients, and the world outside, which it shares with the other books. */
export interface ScheduleBook {
  readonly bookId: Uuid;
  readonly accounts: readonly Uuid[];
  readonly clients: Clients;
  /** Receives every event of the book. */
  readonly endpointUrl: string;
  readonly pool: Pool;
  readonly scheduler: Scheduler;
  readonly rail: RailModel;
  readonly operator: OperatorModel;
  readonly receiver: ReceiverModel;
}

export interface SchedulePart {
  readonly kinds: readonly AnyWishKind[];
  /** An act of the party outside, of its own accord. */
  act?(schedule: Schedule): void;
  /** The faults have ended: the party decides what it has left open. */
  close?(schedule: Schedule): void;
  /** What the party still has to tell. */
  untold?(schedule: Schedule): number;
  /** Rows that are not final. */
  countOpen?(pool: Pool, bookId: Uuid): Promise<number>;
  /** What is wrong in the end, in words, and what a run has met. */
  faultsOf?(book: ScheduleBook): Promise<string[]>;
  /** The balances that follow from the clients' answers and the world outside. */
  balance?(book: ScheduleBook, add: Add): Promise<void>;
  /** What is held of the accounts in the end, likewise. */
  held?(book: ScheduleBook, add: Add): void;
}
