/** The part of a process's runtime that is about rails: their clients, and the settings of RAILS_FILE. */
import { type Config, ConfigError } from '../config.ts';
import type { Contracted } from '../db/forms.ts';
import type { Pool } from '../db/pool.ts';
import type { CallLimits } from '../outside/calls/call-limits.ts';
import type { Logger } from '../process/log.ts';
import { isEarlierVersion } from '../process/version.ts';
import type { Clock } from '../values/clock.ts';
import { banksOf } from './iso20022/bank-settings.ts';
import { type BankOptions, createRails, type Rails } from './rails.ts';
import { checkRails } from './settings/check-rails.ts';
import type { RailSettings } from './settings/rail-settings.ts';
import { keepRailSettings } from './settings/rail-settings-store.ts';
import type { SharedRail } from './shared-rail.ts';

export interface RailsRuntime {
  readonly rails: Rails;
  /** Of RAILS_FILE, as this process read it. */
  readonly railSettings: RailSettings;
  rail(name: string): SharedRail;
  /** Before anything names the settings. Throws ConfigError for rails that the version before may not know. */
  keepRailSettings(): Promise<void>;
}

export interface RailsParts extends Pick<BankOptions, 'pool' | 'secretBox' | 'operatorBook' | 'keptBack'> {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly pool: Pool;
  readonly limits: CallLimits;
  readonly forms: Contracted;
  readonly railSettings: RailSettings;
}

/** Throws ConfigError where the rails of this process are not those of the settings. */
export function createRailsRuntime({
  config,
  log,
  clock,
  limits,
  forms,
  railSettings,
  ...own
}: RailsParts): RailsRuntime {
  const banks = { ...own, settings: banksOf(railSettings) };
  const rails = createRails(config, log, { clock, limits, ownPool: own.pool, banks });
  checkRails(railSettings, rails.all());
  return {
    rails,
    railSettings,
    rail: (name) => rails.get(name),
    async keepRailSettings() {
      requireKnownRails(config, forms);
      await keepRailSettings(own.pool, railSettings);
    },
  };
}

/** 0.3.0 has the sandbox alone, and would set aside payouts of other rails. Throws ConfigError until the contract. */
function requireKnownRails({ RAILS_FILE, RAIL_HTTP_NAME }: Config, { contractedTo }: Contracted): void {
  if ((RAILS_FILE ?? RAIL_HTTP_NAME) === undefined || !isEarlierVersion(contractedTo, '0.4.0')) return;
  throw new ConfigError(
    'RAILS_FILE and RAIL_HTTP_NAME are settings since release 0.4.0. A process of an earlier release would not know their rails: set them once the installation is contracted (npm run migrate -- --contract).',
  );
}
