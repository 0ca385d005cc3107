/** An entry as the routes of the journal show it: as its events do, and who asked for it, with what references. */
import type { Entry } from '../../ledger/entry/entry.ts';
import { journalEntryView } from '../../ledger/entry/entry-view.ts';
import { personal } from '../../ledger/rows/personal-text.ts';
import { parseActor, viewOfActor } from '../../values/actor.ts';
import { publicIdOrNull, type Uuid } from '../../values/ids.ts';
import { MANUAL, type ManualEntry } from './manual-entry.ts';

/** Facts of an entry that other tables have. */
export interface EntryFacts {
  readonly codeOf: (accountId: Uuid) => string;
  /** Of a manual entry. */
  readonly manual: ManualEntry | undefined;
  readonly description: string | null;
  readonly reversedBy: Uuid | null;
  readonly livemode: boolean;
}

/** A key always names its owner: manual entries are younger than keys that did not. */
const NO_OWNERS = new Map<Uuid, never>();

export function entryView(
  entry: Omit<Entry, 'text'>,
  { codeOf, manual, description, reversedBy, livemode }: EntryFacts,
) {
  const owner = manual?.textSalt ? { object: MANUAL.resource, objectId: entry.id, salt: manual.textSalt } : undefined;
  return {
    ...journalEntryView(entry, codeOf),
    livemode,
    origin: entry.resource === MANUAL.resource ? 'manual' : 'system',
    actor: manual ? viewOfActor(parseActor(manual.actor), NO_OWNERS) : null,
    occurred_on: entry.occurredOn,
    description: owner ? personal(owner, 'description', description) : description,
    external_id: manual?.externalId ?? null,
    metadata: manual ? (owner ? personal(owner, 'metadata', manual.metadata) : manual.metadata) : {},
    reverses: publicIdOrNull('entry', entry.reverses),
    reversed_by: publicIdOrNull('entry', reversedBy),
  };
}
