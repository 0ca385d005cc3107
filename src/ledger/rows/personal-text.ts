/**
 * Personal text: descriptions, metadata, names. It is stored in the row of its object, and once more in personal_texts
 * for the events and answers that show it. Those are kept for a long time or for ever, and contain a marker instead:
 * `{"$personal":"<reference>"}`. The text is filled in whenever they are read or delivered, so that what is sent is the
 * same to the byte until the text is erased, and null from then on.
 *
 * A reference is the SHA-256 of salt, field, a zero byte and the text. It commits to the text like a copy would, and
 * reveals nothing about it once the salt is erased. Only references that a row names are filled in: text of a client
 * that looks like a marker stays what it is.
 * Next: personal-text-table.ts, personal-text-store.ts (filling in), docs/decisions/personal-text.md.
 */
import { hash } from 'node:crypto';
import type { ResourceName, Uuid } from '../../values/ids.ts';
import { ApartText, toJson } from '../../values/json.ts';
import { takeRandom } from '../../values/random.ts';

/** The object whose text it is. */
export interface TextOwner {
  readonly object: ResourceName;
  readonly objectId: Uuid;
  /** Random, of the object: the same text has the same reference in all its events. */
  readonly salt: Buffer;
}

/** 128 bits: nobody can try all salts. */
const SALT_BYTES = 16;

export function newSalt(): Buffer {
  return takeRandom(SALT_BYTES);
}

/** A text in a view, and its row in personal_texts. The reference is computed on first use: reading needs none. */
export class PersonalText extends ApartText {
  #reference: string | undefined;

  constructor(
    readonly owner: TextOwner,
    readonly field: string,
    value: unknown,
  ) {
    super(toJson(value));
  }

  get reference(): string {
    this.#reference ??= referenceOf(this.owner.salt, this.field, this.text);
    return this.#reference;
  }

  override get marker(): string {
    return `{"$personal":"${this.reference}"}`;
  }
}

/** Sixty-four hexadecimal digits. `text` is JSON. */
export function referenceOf(salt: Buffer, field: string, text: string): string {
  return hash('sha256', Buffer.concat([salt, Buffer.from(`${field}\0${text}`)]), 'hex');
}

/** A member of a view. Null, and metadata without pairs, are no personal text and are shown as they are. */
export function personal(owner: TextOwner, field: string, value: string | Readonly<Record<string, string>> | null) {
  if (value === null || (typeof value === 'object' && isEmpty(value))) return value;
  return new PersonalText(owner, field, value);
}

/** An object with a description and metadata. Most have neither, and then no salt. */
export interface Described {
  readonly description: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
}

/** Whether the object has personal text. */
export function hasText({ description, metadata }: Described): boolean {
  return description !== null || (metadata !== null && !isEmpty(metadata));
}

/** Description and metadata as the view shows them. */
export function shownTexts(
  object: ResourceName,
  { id, description, metadata, textSalt }: Described & { readonly id: Uuid; readonly textSalt: Buffer | null },
) {
  if (textSalt === null) return { description, metadata };
  const owner: TextOwner = { object, objectId: id, salt: textSalt };
  return {
    description: personal(owner, 'description', description),
    metadata: personal(owner, 'metadata', metadata),
  };
}

function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}

/** The references that a row with markers stores beside them; null without markers. */
export function referencesOf(apart: readonly ApartText[]): string | null {
  return apart.length === 0 ? null : (apart as readonly PersonalText[]).map(({ reference }) => reference).join(' ');
}

export function parseReferences(references: string | null): string[] {
  return references === null ? [] : references.split(' ');
}

const MARKER = /\{"\$personal":"([0-9a-f]{64})"\}/g;

/** The references in the markers of a text. */
export function markedIn(kept: string): string[] {
  return [...new Set([...kept.matchAll(MARKER)].map(([, reference]) => reference!))];
}

/**
 * A stored text as it is sent, with the texts of the references that its row names, and null for erased ones. No marker can
 * stand inside a JSON string, where its quotes would be escaped, and what is filled in is not looked through again.
 */
export function filledIn(kept: string, references: string | null, texts: ReadonlyMap<string, string>): string {
  if (references === null) return kept;
  const named = new Set(parseReferences(references));
  return kept.replace(MARKER, (marker, reference: string) =>
    named.has(reference) ? (texts.get(reference) ?? 'null') : marker,
  );
}
