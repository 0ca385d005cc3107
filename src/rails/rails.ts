/** The rails of this process, each with its limit of calls, and which of them carries a destination. */

import type { Config } from '../config.ts';
import { createPool, type Pool } from '../db/pool.ts';
import type { SecretBox } from '../db/secret-box.ts';
import type { BookId, Mode } from '../ledger/book/book.ts';
import { CallLimits } from '../outside/calls/call-limits.ts';
import type { Partner } from '../outside/party/partner.ts';
import type { Logger } from '../process/log.ts';
import { type Clock, systemClock } from '../values/clock.ts';
import { HttpRail } from './http/http-rail.ts';
import type { KeptBack } from './iso20022/bank.ts';
import type { BankSettings } from './iso20022/bank-settings.ts';
import { Iso20022Rail } from './iso20022/iso20022-rail.ts';
import type { InstructedDestination, Rail } from './rail.ts';
import { SANDBOX_CONNECTIONS, SandboxRail } from './sandbox-rail.ts';
import { SharedRail, SharedSandboxRail } from './shared-rail.ts';

export interface Rails {
  readonly sandbox: SharedSandboxRail;
  /** Throws for an unknown name. `book` is not a rail: such money stays within the book. */
  get(name: string): SharedRail;
  /** The rail that carries such payouts of books of this mode; undefined where none does. */
  carrying(payout: Carried): SharedRail | undefined;
  all(): readonly SharedRail[];
  /** Those that make and read files. */
  files(): readonly Iso20022Rail[];
  /** Those that send their notices by HTTP. */
  partners(): readonly Partner[];
  close(): Promise<void>;
}

/** What decides which rail carries a payout. */
export interface Carried {
  readonly mode: Rail['mode'];
  readonly type: InstructedDestination['type'];
  /** Of a card, the acquirer or processor whose token is paid to. */
  readonly issuedBy?: string | undefined;
}

export interface RailOptions {
  readonly clock?: Clock;
  /** The limits of the process. */
  readonly limits?: CallLimits;
  /** The application's own, for notices of partners. */
  readonly ownPool?: Pool;
  readonly beforeSubmit?: () => Promise<void>;
  /** Of rails that work by files. */
  readonly banks?: BankOptions;
}

export interface BankOptions {
  readonly settings: readonly BankSettings[];
  readonly pool: Pool;
  readonly secretBox: SecretBox;
  operatorBook(mode: Mode): Promise<BookId>;
  /** What an operator keeps back of a rail, as it is now. */
  keptBack(rail: string): Promise<KeptBack>;
}

type RailConfig = Pick<Config, 'DATABASE_URL'> & Partial<Pick<Config, GatewaySetting>>;
type GatewaySetting = Extract<keyof Config, `RAIL_HTTP_${string}`>;

export function createRails(
  config: RailConfig,
  log: Logger,
  { clock = systemClock, limits = new CallLimits(), ownPool, beforeSubmit, banks }: RailOptions = {},
): Rails {
  const pool = createPool({
    url: config.DATABASE_URL,
    name: 'countinghouse-sandbox-rail',
    size: SANDBOX_CONNECTIONS,
    log,
    queryTimeoutMs: 10_000,
  });
  const sandbox = new SharedSandboxRail(new SandboxRail({ pool, clock, beforeSubmit }), limits);
  const gateway = gatewayOf(config, { pool: ownPool ?? pool, clock });
  const files = banks === undefined ? [] : fileRails(banks, clock);
  // What is configured comes before the sandbox, also where it is tried in test mode.
  const configured: readonly Rail[] = gateway ? [...files, gateway] : files;
  const ordered: readonly SharedRail[] = [...configured.map((rail) => new SharedRail(rail, limits)), sandbox];
  const rails = new Map(ordered.map((rail) => [rail.name, rail]));
  return {
    sandbox,
    get(name) {
      const rail = rails.get(name);
      if (!rail) throw new Error(`There is no rail named ${name}`);
      return rail;
    },
    carrying: ({ mode, type, issuedBy }) =>
      ordered.find(
        (rail) =>
          rail.mode === mode &&
          rail.destinations.includes(type) &&
          (issuedBy === undefined || rail.paysTokensOf.includes(issuedBy)),
      ),
    all: () => ordered,
    files: () => files,
    partners: () => (gateway ? [gateway] : []),
    async close() {
      await gateway?.close();
      await pool.end();
    },
  };
}

function gatewayOf(config: RailConfig, { pool, clock }: { pool: Pool; clock: Clock }): HttpRail | undefined {
  const { RAIL_HTTP_NAME: name, RAIL_HTTP_URL: url, RAIL_HTTP_SECRETS: secrets = [] } = config;
  if (name === undefined || url === undefined) return undefined;
  const { RAIL_HTTP_MODE: mode = 'live', RAIL_HTTP_DESTINATIONS: destinations = [] } = config;
  const { RAIL_HTTP_TOKENS_OF: paysTokensOf = [] } = config;
  return new HttpRail({ name, url, secrets, mode, destinations, paysTokensOf, pool, clock });
}

/** The rails that work by files, of the settings. */
export function fileRails(
  { settings, pool, secretBox, operatorBook, keptBack }: BankOptions,
  clock: Clock,
): Iso20022Rail[] {
  return settings.map((bank) => {
    let bookId: Promise<BookId> | undefined;
    return new Iso20022Rail({
      ...{ settings: bank, pool, secretBox, clock },
      keptBack: () => keptBack(bank.name),
      async rows() {
        bookId ??= operatorBook(bank.mode);
        try {
          return { bookId: await bookId, rail: bank.name };
        } catch (error) {
          bookId = undefined;
          throw error;
        }
      },
    });
  });
}
