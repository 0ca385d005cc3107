/**
 * Filters over events. A filter is a name (`payout.paid`), a group (`payout.*`) or everything (`*`). The list of names is
 * closed: a filter with a spelling mistake is refused when it is set, instead of matching nothing.
 */
import { EVENT_NAMES, EVENT_NAMES_BY_KIND } from '../../ledger/events/event-names.ts';

/**
 * Former names, which older filters and events have. A filter by either name matches both.
 */
const FORMER_NAMES: Readonly<Record<string, string>> = {
  'reconciliation.exception_opened': 'exception.opened',
  'reconciliation.exception_resolved': 'exception.resolved',
};

/** All names that an event may have, including former ones. */
export const EVENT_TYPES: readonly string[] = [...EVENT_NAMES, ...Object.keys(FORMER_NAMES)];

/** All valid filters. */
export const EVENT_FILTERS: ReadonlySet<string> = new Set([
  '*',
  ...Object.keys(EVENT_NAMES_BY_KIND).map((group) => `${group}.*`),
  ...EVENT_TYPES,
]);

/** Most filters of one endpoint, or of one list of events. There are fewer names than this. */
export const EVENT_FILTERS_MAX = 200;

export function isEventFilter(text: string): boolean {
  return EVENT_FILTERS.has(text);
}

/** Compiles filters into a function that decides whether events of a type match any of them. */
export function compileEventFilters(filters: readonly string[]): (eventType: string) => boolean {
  if (filters.includes('*')) return () => true;
  const names = new Set(expandEventFilters(filters));
  return (eventType) => names.has(eventType);
}

/** The names behind filters, each once: `payout.*` is its ten. Other text matches nothing. */
export function expandEventFilters(filters: readonly string[]): string[] {
  if (filters.includes('*')) return [...EVENT_NAMES];
  const names = new Set<string>();
  for (const filter of filters) {
    const prefix = filter.endsWith('.*') ? filter.slice(0, -1) : undefined;
    for (const name of EVENT_TYPES)
      if (prefix === undefined ? name === filter : name.startsWith(prefix)) names.add(name);
  }
  for (const [former, name] of Object.entries(FORMER_NAMES)) {
    if (names.has(former)) names.add(name);
    else if (names.has(name)) names.add(former);
  }
  return [...names];
}
