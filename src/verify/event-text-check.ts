/**
 * Checks the personal text of events: each event names the references of its markers, and each text that is filled in
 * matches its reference. A text is missing only where a person erased it.
 */

import type { CheckContext } from '../group/check-context.ts';
import type { LedgerEvent } from '../ledger/events/event.ts';
import { markedIn, parseReferences, referenceOf } from '../ledger/rows/personal-text.ts';
import { publicId } from '../values/ids.ts';
import { readErasedObjects, readReferredTexts } from './event-text-store.ts';

const idsOf = ({ id, sequence }: LedgerEvent) => ({ event: publicId('event', id), sequence: `${sequence}` });

/** No query for events that contain all of their text. */
export async function checkEventTexts(context: CheckContext, events: readonly LedgerEvent[]): Promise<void> {
  const { pool, book, report } = context;
  const referring = events.filter(({ textReferences }) => textReferences !== null);
  const replaced = events.filter(({ leaf }) => leaf);
  const missing = referring.length === 0 ? [] : await checkTexts(context, referring);
  const unsure = [...new Set([...missing, ...replaced])];
  if (unsure.length === 0) return;
  const erased = await readErasedObjects(pool, book.id, [...new Set(unsure.map(({ objectId }) => objectId))]);
  for (const event of unsure) {
    if (erased.has(event.objectId)) continue;
    report({
      check: 'event.text',
      ids: idsOf(event),
      expected: 'an erasure',
      actual: 'none',
      detail: event.leaf
        ? 'Its leaf was kept, and nobody erased its text.'
        : 'A text is missing, and nobody erased it.',
    });
  }
}

/** Resolves to the events whose text is not there. */
async function checkTexts(
  { pool, book, report }: CheckContext,
  referring: readonly LedgerEvent[],
): Promise<LedgerEvent[]> {
  const named = [...new Set(referring.flatMap(({ textReferences }) => parseReferences(textReferences)))];
  const texts = new Map((await readReferredTexts(pool, book.id, named)).map((text) => [text.reference, text]));
  const missing: LedgerEvent[] = [];
  for (const event of referring) {
    // A text that is twice in the body, now and as a previous attribute, is named twice.
    const references = [...new Set(parseReferences(event.textReferences))];
    const [expected, actual] = [markedIn(event.payload).sort().join(' '), references.sort().join(' ')];
    if (expected !== actual)
      report({
        check: 'event.text',
        ids: idsOf(event),
        expected,
        actual,
        detail: 'The event names other references than its body has markers.',
      });
    for (const reference of references) {
      const text = texts.get(reference);
      if (!text) {
        missing.push(event);
        continue;
      }
      const digest = referenceOf(text.salt, text.field, text.text);
      if (digest === reference) continue;
      report({
        check: 'event.text',
        ids: idsOf(event),
        expected: reference,
        actual: digest,
        detail: `The text of ${text.field} is not the one that the event refers to.`,
      });
    }
  }
  return missing;
}
