/**
 * Names of events and the filters over them. A filter is a name (`payout.paid`), a group (`payout.*`) or everything
 * (`*`). The list is closed: a filter with a spelling mistake is refused when it is set, instead of matching nothing.
 */

const NAMES_BY_GROUP = {
  account: ['created', 'updated', 'frozen', 'unfrozen', 'closed', 'balance_low'],
  hold: ['created', 'increased', 'released', 'expired', 'captured'],
  card: ['created', 'activated', 'frozen', 'unfrozen', 'closed', 'replaced', 'shipped', 'controls_updated'],
  card_token: ['requested', 'activated', 'suspended', 'resumed', 'deactivated'],
  payment: [
    'created',
    'updated',
    'requires_action',
    'authorized',
    'captured',
    'partially_captured',
    'settled',
    'failed',
    'canceled',
    'expired',
  ],
  refund: ['created', 'succeeded', 'failed'],
  dispute: ['opened', 'evidence_due_soon', 'evidence_submitted', 'accepted', 'won', 'lost', 'escalated'],
  release: ['created'],
  settlement: ['received', 'completed'],
  reader_action: ['succeeded', 'failed', 'canceled'],
  payout: [
    'created',
    'requires_approval',
    'approved',
    'rejected',
    'scheduled',
    'processing',
    'paid',
    'failed',
    'canceled',
    'returned',
  ],
  payout_batch: ['created', 'processing', 'completed', 'partially_completed', 'failed', 'canceled'],
  transaction: ['authorized', 'declined', 'incremented', 'reversed', 'expired', 'cleared', 'force_posted', 'refunded'],
  exception: ['opened', 'updated', 'resolved'],
  reconciliation: ['completed'],
  personal_data: ['erased'],
  statement: ['ready'],
  webhook_endpoint: ['disabled', 'secret_rotated'],
  webhook: ['test'],
} as const;

/** The names of all events. */
export const EVENT_NAMES: readonly string[] = Object.entries(NAMES_BY_GROUP).flatMap(([group, names]) =>
  names.map((name) => `${group}.${name}`),
);

/**
 * Names of release 0.2.0, which still stand in filters, and its events in lists. A filter by either name lets both through.
 * This release accepts the former names, the next one no longer.
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
  ...Object.keys(NAMES_BY_GROUP).map((group) => `${group}.*`),
  ...EVENT_TYPES,
]);

/** Most filters of one endpoint, or of one list of events. There are fewer names than this. */
export const EVENT_FILTERS_MAX = 200;

export function isEventFilter(text: string): boolean {
  return EVENT_FILTERS.has(text);
}

/** Compiles filters into a function that says whether events of a type match any of them. */
export function compileEventFilters(filters: readonly string[]): (eventType: string) => boolean {
  if (filters.includes('*')) return () => true;
  const names = new Set(expandEventFilters(filters));
  return (eventType) => names.has(eventType);
}

/** The names behind filters, each once: `payout.*` is its ten. Text that is no filter matches nothing. */
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
