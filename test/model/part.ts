/**
 * A part of the model: what one group adds to it. Its kinds of requests, each drawn at random, with what the reference
 * says and the product's command for it; and what of its rows is compared. parts.ts lists them; nothing else names one.
 */
import fc from 'fast-check';
import type { ChartCode } from '../../src/ledger/account/chart.ts';
import type { Command } from '../../src/ledger/command/command.ts';
import type { Table } from '../../src/ledger/rows/table.ts';
import type { MemoryBook } from '../support/memory-book.ts';
import type { Names } from './names.ts';
import type { ReferenceBook } from './reference-book.ts';
import type { Said } from './reference-ledger.ts';

/** The names and the rows of the real ledger. */
export interface RealBook {
  readonly memory: MemoryBook;
  readonly names: Names;
}

/** A request as it is carried out, and as a failure tells it. */
export interface Request {
  readonly do: string;
  /** The Idempotency-Key of a request through the API; null for one of its own. Commands of the product have none. */
  readonly key?: string | null;
}

/** What fast-check draws: small numbers, which `ask` turns into names and amounts. `key` makes it a request of the API. */
export type Draw = Readonly<Record<string, fc.Arbitrary<unknown>>>;
export type Drawn<Fields extends Draw> = {
  readonly [Name in keyof Fields]: Fields[Name] extends fc.Arbitrary<infer Value> ? Value : never;
};

export interface Kind<Fields extends Draw, Asked extends object> {
  readonly do: string;
  readonly weight: number;
  readonly draw: Fields;
  /** The request in the book as it is; undefined when there is nothing that it could be about. */
  ask(book: ReferenceBook, drawn: Drawn<Fields>): Asked | undefined;
  /**
   * What the reference does and says. `identity` names the command: a retry after a lost answer keeps it, the same request
   * sent again has another.
   */
  expect(book: ReferenceBook, asked: Asked, identity: string): Said;
  /** The product's command. One with a key is carried out once under it. */
  command(real: RealBook, asked: Asked & Request): Command<unknown>;
  /**
   * The name that the request has of itself, as a processor's message has. It is the key of the request, taken by an answer
   * of 200 alone, and whoever repeats the request reads anew what it is about.
   */
  nameOf?(asked: Asked): string;
  /** Whoever repeats the request reads anew what it is about, as whoever uploads: its command is made again. */
  readonly readsAnew?: true;
  /** A dry run is previewed, under no key. It reads committed rows, so it runs alone. */
  isDry?(asked: Asked): boolean;
  /** Sees other rows as of the start of its batch. */
  isAlone?(asked: Asked): boolean;
  /** The state of what the request is about, for the count of what a run has met. */
  stateOf?(book: ReferenceBook, asked: Asked): string;
  /** The answer in the reference's words, where it is not a stored answer or a row. */
  saidOf?(answer: unknown): Said;
}

// biome-ignore lint/suspicious/noExplicitAny: a kind knows its own fields, and the list of kinds does not
export type AnyKind = Kind<any, any>;

export interface Part {
  readonly kinds: readonly AnyKind[];
  /** Every row of these is compared with Postgres. */
  readonly tables: readonly Table<unknown>[];
  /** Codes of the chart accounts that its entries use. */
  readonly chart?: readonly ChartCode[];
  /** Rows by name, as the core holds them and as the reference has them. */
  readonly compare?: readonly {
    real(real: RealBook): Record<string, unknown>;
    expected(book: ReferenceBook): Record<string, unknown>;
  }[];
  /** Whether an account may not be closed because of this part. */
  keepsOpen?(book: ReferenceBook, account: string): boolean;
  /** Names further ids of an object that was made. */
  made?(real: RealBook, name: string, id: string): void;
  /** Names rows that came beside the object of a request. Called after each. */
  nameRows?(real: RealBook): void;
  /** Types of events that only commands of the test itself emit, so that the document does not have them. */
  readonly eventsOfTheTest?: readonly string[];
}

/** Keeps the types of a kind's own fields for its functions. */
export function kind<Fields extends Draw, Asked extends object>(own: Kind<Fields, Asked>): AnyKind {
  return own;
}

/** Who asks, in every command. */
export const BY = { requestId: '018f4d3e-7b2a-7000-8000-000000000000', actor: 'api_key:key_1' };

/** What any action draws from: small pools of names, and amounts close to the balances. */
const account = fc.nat({ max: 11 });
const anyKey = fc.nat({ max: 150 });
export const draws = {
  account,
  /** An index from the newest: the newest objects are used most. */
  recent: fc.oneof({ weight: 3, arbitrary: fc.nat({ max: 3 }) }, { weight: 1, arbitrary: fc.nat({ max: 20 }) }),
  anyKey,
  key: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: anyKey }),
  money: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 1, max: 600 }) },
    { weight: 2, arbitrary: fc.constantFrom('all' as const, 'one too many' as const) },
    { weight: 1, arbitrary: fc.constant(1) },
  ),
  seldom: fc.integer({ min: 0, max: 11 }).map((value) => value === 11),
  ifMatch: fc.constantFrom(null, null, null, 'now' as const, 'before' as const),
};

/** Now and then nothing. */
export function maybe<Value>(drawn: fc.Arbitrary<Value>, constraints?: { freq: number }): fc.Arbitrary<Value | null> {
  return fc.option(drawn, constraints);
}

export type Amount = number | 'all' | 'one too many';

/** An amount out of what there is. */
export function amountOf(amount: Amount, all: bigint): bigint {
  if (typeof amount === 'number') return BigInt(amount);
  return atLeastOne(amount === 'all' ? all : all + 1n);
}

export const atLeastOne = (amount: bigint) => (amount < 1n ? 1n : amount);

/** A precondition, with the version as it is or the one before. */
export function ifMatchOf(which: 'now' | 'before' | null, version: number): { ifMatch?: number } {
  if (which === null) return {};
  return { ifMatch: which === 'now' ? version : version - 1 };
}

/** From the newest, if there is any. */
export function fromNewest<Item>(known: readonly Item[], at: number): Item | undefined {
  return known[known.length - 1 - (at % known.length)];
}
