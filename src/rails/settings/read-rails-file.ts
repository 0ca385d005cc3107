/** Reads the file that RAILS_FILE names, whole, once at start. The error names the place of each fault. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { ConfigError } from '../../config.ts';
import { canonicalJson } from '../../values/json.ts';
import { NO_RAIL_SETTINGS, type PayoutLimits, type RailSettings, type RailTerms, type Route } from './rail-settings.ts';
import { BOOK_RAIL, type RailMode } from './rail-words.ts';
import { type Fault, faultsOf, rangeOf, routesOf } from './rails-rules.ts';
import { type RailsFile, railsFile } from './rails-schema.ts';

/** A file has a rail or a route a line or so. */
const BYTES_MAX = 1_000_000;
/** More would only hide the first ones. */
const FAULTS_SHOWN = 20;

/** Without a path, no settings. Throws ConfigError for a file that cannot be read or has faults. */
export function readRailsFile(path: string | undefined): RailSettings {
  if (path === undefined) return NO_RAIL_SETTINGS;
  return railSettingsOf(textOf(path));
}

/** Throws ConfigError, which names each fault by its JSON pointer. */
export function railSettingsOf(text: string): RailSettings {
  const given = parsed(text);
  const { success, data, error } = railsFile.safeParse(given);
  if (!success) throw invalid(error.issues.map(faultOfIssue));
  const faults = faultsOf(data);
  if (faults.length > 0) throw invalid(faults);
  return settingsOf(data, given);
}

function textOf(path: string): string {
  try {
    const bytes = readFileSync(path);
    if (bytes.length > BYTES_MAX) throw new ConfigError(`RAILS_FILE: ${path} has more than ${BYTES_MAX} bytes.`);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(
      `RAILS_FILE: ${path} cannot be read (${(error as Error).message}). Expects the path of a JSON file in UTF-8.`,
    );
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`RAILS_FILE: the file is no JSON (${(error as Error).message}).`);
  }
}

function faultOfIssue({ path, message }: z.core.$ZodIssue): Fault {
  const segments = path.map((segment) => String(segment).replaceAll('~', '~0').replaceAll('/', '~1'));
  return { pointer: segments.map((segment) => `/${segment}`).join(''), detail: message };
}

function invalid(faults: readonly Fault[]): ConfigError {
  const lines = faults.slice(0, FAULTS_SHOWN).map(({ pointer, detail }) => `  ${pointer || '/'}: ${detail}`);
  const more = faults.length > FAULTS_SHOWN ? [`  and ${faults.length - FAULTS_SHOWN} more`] : [];
  const count = faults.length === 1 ? 'a fault' : `${faults.length} faults`;
  return new ConfigError(
    `RAILS_FILE: the file has ${count}:\n${[...lines, ...more].join('\n')}\nSee docs/rails.md for every member.`,
  );
}

/** `given`: the file as it was written, so that its digest depends on no default of a version. */
function settingsOf(file: RailsFile, given: unknown): RailSettings {
  const rails = file.rails.map(termsOf);
  const modes = new Set(rails.map(({ mode }) => mode));
  const ofBook = routesThat(file, (rail) => rail === BOOK_RAIL);
  return {
    digest: createHash('sha256').update(canonicalJson(given)).digest('hex'),
    content: canonicalJson(withoutAdapters(given as GivenFile)),
    rails: new Map(rails.map((terms) => [terms.name, terms])),
    routes: new Map(
      [...modes].map((mode) => {
        const ofMode = rails.filter((terms) => terms.mode === mode).map(({ name }) => name);
        return [mode, routesThat(file, (rail) => ofMode.includes(rail))];
      }),
    ),
    routesOfBook: ofBook,
    limits: { test: limitsOf(file, 'test'), live: limitsOf(file, 'live') },
  };
}

function routesThat(file: RailsFile, goesBy: (rail: string) => boolean): Route[] {
  return file.routes.filter(({ rail }) => goesBy(rail)).flatMap((part) => routesOf(file, part));
}

interface GivenFile {
  readonly rails?: readonly { readonly adapter: unknown }[];
}

/** Settings of adapters may have folders and secrets, which belong in no record. */
function withoutAdapters(given: GivenFile): object {
  if (given.rails === undefined) return given;
  return { ...given, rails: given.rails.map(({ adapter, ...rail }) => rail) };
}

function termsOf(part: RailsFile['rails'][number]): RailTerms {
  const { calendar } = part;
  return {
    name: part.name,
    mode: part.mode,
    adapter: part.adapter,
    amounts: new Map(part.currencies.map((one) => [one.currency, rangeOf(one)])),
    schedule: calendar
      ? {
          timeZone: part.time_zone!,
          cutOff: part.cut_off ?? null,
          calendar: calendar.name,
          holidays: calendar.holidays,
          daysToArrive: part.days_to_arrive ?? 0,
        }
      : null,
  };
}

function limitsOf({ limits }: RailsFile, mode: RailMode): Map<string, PayoutLimits> {
  return new Map(
    limits
      .filter((limit) => limit.mode === mode)
      .map(({ currency, payout, day, month }) => [
        currency,
        { payout: payout ?? null, day: day ?? null, month: month ?? null },
      ]),
  );
}
