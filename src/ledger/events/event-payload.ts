/** The body of an event, the same for every receiver and reader. */
import { formatInstant, type Instant } from '../../values/clock.ts';
import { publicId, type Uuid } from '../../values/ids.ts';
import { WrittenJson, writeJson } from '../../values/json.ts';
import type { AccountCode } from '../account/account-code.ts';
import type { BookId } from '../book/book.ts';
import type { Entry } from '../entry/entry.ts';
import { journalEntryView } from '../entry/entry-view.ts';
import type { Derivation } from './event-form.ts';

export interface EventRequest {
  type: string;
  objectId: Uuid;
  /** The object's version: the larger one of two events is of the newer object. */
  objectSequence: number;
  /** The object in full, as the API shows it. */
  object: unknown;
  previousAttributes?: Record<string, unknown>;
  /** The entries that the event announces, with their exact postings. */
  entries?: readonly Entry[];
  /** How the event may be stored. Omitted: as its whole text. */
  derivation?: Derivation;
}

export interface EventFacts {
  bookId: BookId;
  id: Uuid;
  /** Gapless within the book. */
  sequence: bigint;
  requestId: Uuid;
  moment: Instant;
  livemode: boolean;
  codeOf: (accountId: Uuid) => AccountCode;
}

/** The text of an object in an event. An answer that shows the same text may refer to the event. */
export class AnnouncedObject extends WrittenJson {
  constructor(
    { text, keptText, apart }: WrittenJson,
    readonly eventSequence: bigint,
  ) {
    super(text, keptText, apart);
  }
}

/**
 * The JSON text of an event. An event that moved money carries the exact postings, so balances can be rebuilt from
 * events alone.
 */
export function eventPayload(event: EventRequest, facts: EventFacts): WrittenJson {
  return writeJson({
    id: publicId('event', facts.id),
    object: 'event',
    type: event.type,
    sequence: facts.sequence,
    object_sequence: event.objectSequence,
    created_at: formatInstant(facts.moment),
    livemode: facts.livemode,
    request_id: publicId('request', facts.requestId),
    data: { object: event.object, previous_attributes: event.previousAttributes ?? {} },
    journal_entries: (event.entries ?? []).map((entry) => journalEntryView(entry, facts.codeOf)),
  });
}
