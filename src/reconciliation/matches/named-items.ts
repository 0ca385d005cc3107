/** What a line names: items, by any reference that it carries. Found by maps, since a run has many of both. */
import { truncateCardNumbers } from '../../values/card-number.ts';
import type { Uuid } from '../../values/ids.ts';
import type { MatchItem, OpenLine } from './matching.ts';

/** By what a line names an item. */
export type NamedBy = 'bank_reference' | 'end_to_end_id' | 'reference_in_text' | 'reference_cut' | 'details';

export interface NamedItem {
  readonly item: MatchItem;
  readonly by: NamedBy;
}

/** A bank cuts references; what is shorter may be the beginning of several. */
const CUT_MIN = 12;
/** Shorter ones stand in texts by chance. */
const DOCUMENT_MIN = 5;

/** Our end-to-end ids: outside/instructions/end-to-end-id.ts. */
const OURS = /CH[A-Z2-7]{32}0/g;
const OURS_WHOLE = /^CH[A-Z2-7]{32}0$/;

/** Our ids in what a line states, however a bank has broken its text. */
export function idsInText({ text, refs }: Pick<OpenLine, 'text' | 'refs'>): readonly string[] {
  const all = [text ?? '', ...refs].flatMap((one) => one.replace(/\s+/g, '').toUpperCase().match(OURS) ?? []);
  return [...new Set(all)];
}

export function idsInDetails({ details }: Pick<OpenLine, 'details'>): readonly string[] {
  return [...new Set(details.flatMap(({ endToEndId }) => endToEndId ?? []))];
}

/** Of ours as we write it, whatever a bank makes of its letters and blanks. Others are left as they are. */
export function oursAsIs(endToEndId: string | null): string | null {
  const plain = endToEndId?.replace(/\s+/g, '').toUpperCase();
  return plain !== undefined && OURS_WHOLE.test(plain) ? plain : endToEndId;
}

/** How a line names a file of ours: as its batch or, where it names no single payment, by a reference of the customer's (KREF, BAI2). */
export function batchNames({
  batchId,
  endToEndId,
  refs,
}: Pick<OpenLine, 'batchId' | 'endToEndId' | 'refs'>): readonly string[] {
  if (batchId !== null) return [batchId];
  return endToEndId === null ? refs : [];
}

/** What of a line may be the beginning of a reference. */
export function beginningsOf({ endToEndId, refs }: Pick<OpenLine, 'endToEndId' | 'refs'>): readonly string[] {
  const all = endToEndId === null ? refs : [endToEndId, ...refs];
  return [...new Set(all.filter((one) => one.length >= CUT_MIN))];
}

/** One of ours or, as banks cut them, its beginning. */
const OURS_OR_CUT = /^CH[A-Z2-7]{10,32}0?$/;

/** Whether it states an id of ours, even one of no item: a payment whose outcome is not known here yet. */
export function statesOurs(line: Pick<OpenLine, 'endToEndId' | 'refs' | 'text'>): boolean {
  const { endToEndId, refs } = line;
  return idsInText(line).length > 0 || [endToEndId ?? '', ...refs].some((one) => OURS_OR_CUT.test(one.toUpperCase()));
}

export class NamedItems {
  readonly #byEndToEndId = new Map<string, MatchItem[]>();
  readonly #byReference = new Map<string, MatchItem[]>();
  readonly #byBeginning = new Map<string, MatchItem[]>();
  readonly #documents: NamedDocument[] = [];

  constructor(items: readonly MatchItem[]) {
    for (const item of items) {
      add(this.#byEndToEndId, item.endToEndId, item);
      add(this.#byReference, item.bankReference, item);
      for (const reference of [item.endToEndId, item.documentReference])
        if (reference !== null && reference.length > CUT_MIN) add(this.#byBeginning, reference.slice(0, CUT_MIN), item);
      if (item.documentReference !== null && item.documentReference.length >= DOCUMENT_MIN)
        this.#documents.push(documentOf(item, item.documentReference));
    }
  }

  /** Each item once, by the strongest of its references. Items in other currencies are not named. */
  namedBy(line: OpenLine): readonly NamedItem[] {
    const named = new Map<Uuid, NamedItem>();
    const take = (items: readonly MatchItem[] | undefined, by: NamedBy) => {
      for (const item of items ?? [])
        if (item.currency === line.currency && !named.has(item.id)) named.set(item.id, { item, by });
    };
    if (line.bankReference !== null) take(this.#byReference.get(line.bankReference), 'bank_reference');
    if (line.endToEndId !== null) take(this.#byEndToEndId.get(line.endToEndId), 'end_to_end_id');
    for (const id of idsInText(line)) take(this.#byEndToEndId.get(id), 'reference_in_text');
    for (const reference of line.refs) {
      take(this.#byEndToEndId.get(reference), 'reference_in_text');
      take(this.#byReference.get(reference), 'reference_in_text');
    }
    take(this.#documentsIn(line), 'reference_in_text');
    for (const beginning of beginningsOf(line)) take(this.#cut(beginning), 'reference_cut');
    for (const id of idsInDetails(line)) take(this.#byEndToEndId.get(id), 'details');
    return [...named.values()];
  }

  #documentsIn({ text, refs, endToEndId }: OpenLine): readonly MatchItem[] {
    const all = [text, endToEndId, ...refs].filter((one) => one !== null);
    const whole = this.#documents.filter(({ pattern }) => all.some((one) => pattern.test(one)));
    const kept = this.#documents.filter(({ truncated }) => text !== null && truncated?.test(text) === true);
    // Of several references that are stored alike none is named.
    const alike = new Set(kept.map(({ item }) => item.documentReference));
    return [...whole, ...(alike.size === 1 ? kept : [])].map(({ item }) => item);
  }

  /** The items of the one reference that begins so; several references: none. */
  #cut(beginning: string): readonly MatchItem[] {
    const found = (this.#byBeginning.get(beginning.slice(0, CUT_MIN)) ?? []).filter((item) =>
      [item.endToEndId, item.documentReference].some((one) => isCutFrom(one, beginning)),
    );
    const references = found.flatMap((item) =>
      [item.endToEndId, item.documentReference].filter((one) => isCutFrom(one, beginning)),
    );
    return new Set(references).size === 1 ? found : [];
  }
}

/** A reference that looks like a card number stands in a line's text as it is stored: truncated (bank-line-store.ts). */
interface NamedDocument {
  readonly item: MatchItem;
  readonly pattern: RegExp;
  readonly truncated: RegExp | undefined;
}

function documentOf(item: MatchItem, reference: string): NamedDocument {
  const stored = truncateCardNumbers(reference);
  const truncated = stored === reference ? undefined : inTextPattern(stored);
  return { item, pattern: inTextPattern(reference), truncated };
}

function isCutFrom(reference: string | null, beginning: string): boolean {
  return reference !== null && reference.length > beginning.length && reference.startsWith(beginning);
}

/** White space may stand anywhere in it; letters and digits beside it would make it another one. */
function inTextPattern(reference: string): RegExp {
  const characters = [...reference.replace(/\s+/g, '')].map((one) => one.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  return new RegExp(`(?<![A-Za-z0-9])${characters.join('\\s*')}(?![A-Za-z0-9])`, 'i');
}

function add(map: Map<string, MatchItem[]>, key: string | null, item: MatchItem): void {
  if (key === null) return;
  const known = map.get(key);
  if (known === undefined) map.set(key, [item]);
  else known.push(item);
}
