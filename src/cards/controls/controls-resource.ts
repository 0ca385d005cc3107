import type { Resource, Shown } from '../../ledger/resources/resource.ts';
import { formatInstant, formatInstantOrNull } from '../../values/clock.ts';
import { publicId, publicIdOrNull } from '../../values/ids.ts';
import { allowedOnControls, CONTROLS_TRANSITIONS } from './controls.ts';
import type { AllowOrBlock, ControlsContent, Limit, LimitFilter } from './controls-content.ts';
import { cardControls, type StoredControls } from './controls-table.ts';

export const controlsResource: Resource<StoredControls, Shown> = {
  name: 'card_controls',
  table: cardControls,
  parent: null,
  events: ['card_controls.created', 'card_controls.shadowed', 'card_controls.activated', 'card_controls.retired'],
  books: false,
  phrase: 'version of controls',
  changed: (controls, change) => ({ ...controls, ...change }),
  transitions: CONTROLS_TRANSITIONS,
  allowedActions: allowedOnControls,
  noun: 'version of controls',
  view: (controls, { livemode }) => controlsView(controls, livemode),
};

/** Of a limit by its place, where it is read: what it has used up. */
export type UsageOf = (place: number) => unknown;

/** Usage changes with each purchase: no event and no stored answer has it. */
const NOT_READ: UsageOf = () => null;

export function controlsView(controls: StoredControls, livemode: boolean, usageOf = NOT_READ) {
  return {
    id: publicId('cardControls', controls.id),
    object: 'card_controls',
    livemode,
    status: controls.status,
    scope: controls.scope,
    card: publicIdOrNull('card', controls.cardId),
    account: publicIdOrNull('account', controls.accountId),
    number: controls.ordinal,
    ...contentView(controls.content, usageOf),
    counted_since: formatInstantOrNull(controls.countedSince),
    allowed_actions: allowedOnControls(controls),
    request_id: publicId('request', controls.requestId),
    version: controls.version,
    created_at: formatInstant(controls.createdAt),
    updated_at: formatInstant(controls.updatedAt),
  };
}

function contentView(content: ControlsContent, usageOf: UsageOf) {
  return {
    limits: content.limits.map((limit, place) => ({ ...limitView(limit), usage: usageOf(place) })),
    mcc: listsView(content.mcc),
    countries: listsView(content.countries),
    merchants: listsView(content.merchants),
    entry_modes: content.entryModes && { allow: content.entryModes.allow },
    cash: content.cash,
    require_three_d_secure_above: content.requireThreeDSecureAbove,
  };
}

function limitView({ window, amount, count, for: filter, netOfRefunds }: Limit) {
  return { window, amount, count, for: filter && filterView(filter), net_of_refunds: netOfRefunds };
}

/** A member that is not given restricts nothing: null. */
function filterView({ kinds, mccs, countries, merchants, entryModes }: LimitFilter) {
  return {
    kinds: kinds ?? null,
    mccs: mccs ?? null,
    countries: countries ?? null,
    merchants: merchants ?? null,
    entry_modes: entryModes ?? null,
  };
}

function listsView(lists: AllowOrBlock | null) {
  return lists && { allow: lists.allow ?? null, block: lists.block ?? null };
}
