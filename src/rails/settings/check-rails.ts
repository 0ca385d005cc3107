/** Whether the rails of the file are those of the process: a name that no client has, or a destination that its client does not carry. */
import { ConfigError } from '../../config.ts';
import type { Rail } from '../rail.ts';
import type { RailSettings } from './rail-settings.ts';
import type { RoutedDestination } from './rail-words.ts';

/** Throws ConfigError. */
export function checkRails(
  { rails, routes }: RailSettings,
  known: readonly Pick<Rail, 'name' | 'mode' | 'destinations'>[],
): void {
  const faults: string[] = [];
  for (const { name, mode, adapter } of rails.values()) {
    const rail = known.find((one) => one.name === name);
    if (rail === undefined) faults.push(`the rail ${name} (${adapter.type}) is not configured in this process.`);
    else if (rail.mode !== mode) faults.push(`the rail ${name} serves ${rail.mode} books, and the file names ${mode}.`);
  }
  for (const route of [...routes.values()].flat()) {
    const carried: readonly RoutedDestination[] | undefined = known.find(
      ({ name }) => name === route.rail,
    )?.destinations;
    if (carried !== undefined && !carried.includes(route.destination))
      faults.push(`a route leads ${route.destination} to ${route.rail}, which carries ${carried.join(', ')}.`);
  }
  if (faults.length > 0) throw new ConfigError([...new Set(faults)].map((fault) => `RAILS_FILE: ${fault}`).join('\n'));
}
