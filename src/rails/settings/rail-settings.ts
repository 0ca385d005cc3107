/**
 * What an operator sets of rails: their terms, which of them carries a payout, what it costs, and how much may leave a book. Of the file
 * that RAILS_FILE names (rails-file.ts); without one, payouts go by the rails of their destinations.
 * Next: route.ts (the rail of a payout), adapters.ts (what a rail is made of), docs/rails.md.
 */
import type { ExecutionSchedule } from '../../calendar/execution-day.ts';
import type { FeeSchedule } from '../../fees/fee-schedule.ts';
import type { AdapterSettings } from './adapters.ts';
import type { RailMode, RoutedDestination } from './rail-words.ts';

/** Minor units, both ends inclusive. */
export interface AmountRange {
  readonly minimum: bigint;
  readonly maximum: bigint;
}

export interface RailTerms {
  readonly name: string;
  readonly mode: RailMode;
  readonly adapter: AdapterSettings;
  /** What it carries, by currency. */
  readonly amounts: ReadonlyMap<string, AmountRange>;
  /** Null for a rail that pays at any moment. */
  readonly schedule: ExecutionSchedule | null;
}

export interface Route extends AmountRange {
  readonly destination: RoutedDestination;
  readonly currency: string;
  readonly rail: string;
  /** Null: the fee is that of the variable of the destination. */
  readonly fee: FeeSchedule | null;
}

/** How much may leave a book: in one payout, in a day and in a month of the book. Null where nothing limits it. */
export interface PayoutLimits {
  readonly payout: bigint | null;
  readonly day: bigint | null;
  readonly month: bigint | null;
}

export interface RailSettings {
  /** SHA-256 of the file's canonical JSON, in hexadecimal digits; null without a file. */
  readonly digest: string | null;
  /** The file without the settings of adapters, as canonical JSON: kept beside the digest. */
  readonly content: string;
  readonly rails: ReadonlyMap<string, RailTerms>;
  /** By mode. A mode of which the file has no rail is left out: its payouts go as without a file. */
  readonly routes: ReadonlyMap<RailMode, readonly Route[]>;
  /** Fees of transfers within a book, of both modes. */
  readonly routesOfBook: readonly Route[];
  /** By mode, then currency. */
  readonly limits: Readonly<Record<RailMode, ReadonlyMap<string, PayoutLimits>>>;
}

export const NO_RAIL_SETTINGS: RailSettings = {
  digest: null,
  content: '{}',
  rails: new Map(),
  routes: new Map(),
  routesOfBook: [],
  limits: { test: new Map(), live: new Map() },
};
