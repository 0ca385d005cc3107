/**
 * A draft builds a decision: it collects postings, holds, rows and events on top of the state, and finishes as an outcome.
 * The state itself does not change, so a decision that throws or is dropped has no effect.
 */

import type { LedgerForms } from '../../db/forms.ts';
import type { Instant, Moment } from '../../values/clock.ts';
import { idSequence, type ResourceName, type Uuid } from '../../values/ids.ts';
import type { ApartText, WrittenJson } from '../../values/json.ts';
import type { Account, PostingRefusal } from '../account/account.ts';
import { accounts } from '../account/account-table.ts';
import { type ChartCode, chartAccountId, newAccount, partyAccountId } from '../account/chart.ts';
import { leftInClosed } from '../account/closed-accounts.ts';
import type { Book } from '../book/book.ts';
import type { Entry, EntryText } from '../entry/entry.ts';
import { entryHash, textDigest } from '../entry/entry-hash.ts';
import { isRefusal, type LinesRequest, type PostedLines, postLines } from '../entry/post-lines.ts';
import { deriveEvent } from '../events/derive-event.ts';
import type { KeptEvent } from '../events/event.ts';
import { type EventFacts, type EventRequest, eventPayload } from '../events/event-payload.ts';
import type { Hold, TakingKind } from '../hold/hold.ts';
import { effectiveLinesOf, effectOf } from '../journal/effective-day.ts';
import { effectiveLines } from '../journal/journal-tables.ts';
import { withMasked } from '../rows/judged-texts.ts';
import { type PersonalText, referencesOf } from '../rows/personal-text.ts';
import { personalTexts } from '../rows/personal-text-table.ts';
import type { Log, Table } from '../rows/table.ts';
import type { JobRow, LogAppend, Outcome } from './command.ts';
import { captureHeld, type HoldRequest, increaseHold, placeHold, takeFromHold } from './draft-holds.ts';
import { judgeOutcome } from './judge-outcome.ts';
import type { BookState } from './state.ts';

export interface EntryRequest extends LinesRequest {
  /** Left out: the next id of the command. */
  id?: Uuid;
  resource: ResourceName;
  resourceId: Uuid;
  step: string;
  /** When the movement takes effect, if not at the moment of posting. Within a closed day: on the first open day. */
  effectiveAt?: Instant | undefined;
  /** The day on which it happened, YYYY-MM-DD, where that is behind the book's own today. A closed day is noted by itself. */
  occurredOn?: string | undefined;
  reverses?: Uuid;
  text?: EntryText | null;
}

/** The stored form of an event, and the personal text that is stored apart. */
interface KeptText extends Pick<KeptEvent, 'form' | 'firstSequence'> {
  readonly text: string;
  readonly apart?: readonly ApartText[];
}
const NOTHING_APART: readonly ApartText[] = [];

/** A row that the draft has changed. */
interface ChangedRow {
  readonly table: Table<unknown>;
  readonly id: string;
  row: unknown;
}
/** Most commands change a handful of rows: a search through the list is faster than a map. Commands about lines of a file change hundreds. */
const LISTED_MAX = 32;

/** No command is over so many items: it touches at most 1,000 rows. */
const BEHIND_ALL_ITEMS = 0x10000;

/** An account refused a posting that the decision had checked: a bug. Nothing of the command is written. */
export class PostingRefused extends Error {
  override name = 'PostingRefused';
  constructor(readonly refusal: PostingRefusal) {
    super(`Account ${refusal.accountId} does not take the posting: ${refusal.code}`);
  }
}

export class Draft {
  readonly moment: Moment;
  readonly #state: BookState;
  readonly #requestId: Uuid;
  readonly #actor: string;
  readonly #commandId: Uuid;
  #nextId: () => Uuid;
  #walked = false;
  readonly #rows: ChangedRow[] = [];
  /** The same by table and id, once they are more than LISTED_MAX. */
  #rowsByTable: Map<Table<unknown>, Map<string, ChangedRow>> | undefined;
  readonly #entries: Entry[] = [];
  readonly #events: KeptEvent[] = [];
  readonly #appends: LogAppend[] = [];
  readonly #jobs: JobRow[] = [];
  #book: Book;

  /** `id` is the command's, generated at submission: the ids of entries and events are derived from it. */
  constructor(state: BookState, command: { id: Uuid; requestId: Uuid; actor?: string }, moment: Moment) {
    this.#state = state;
    this.#book = state.book;
    this.#requestId = command.requestId;
    this.#actor = command.actor ?? 'system';
    this.#commandId = command.id;
    this.#nextId = idSequence(command.id);
    this.moment = moment;
  }

  /**
   * A draft that goes on from an outcome: what it has is the outcome's, and `finish` returns both. Its ids are those of an item that no
   * command has.
   */
  static behind(
    outcome: Outcome<unknown>,
    {
      state,
      command,
      moment,
    }: { state: BookState; command: { id: Uuid; requestId: Uuid; actor?: string }; moment: Moment },
  ): Draft {
    const draft = new Draft(state, command, moment);
    draft.#nextId = idSequence(command.id, BEHIND_ALL_ITEMS + 1);
    draft.#book = outcome.book;
    for (const { table, id, row } of outcome.rows) draft.#add({ table, id, row });
    draft.#entries.push(...outcome.entries);
    draft.#events.push(...outcome.events);
    draft.#appends.push(...outcome.appends);
    draft.#jobs.push(...outcome.jobs);
    return draft;
  }

  get book(): Book {
    return this.#book;
  }

  /** The time of the world. */
  get wall(): Instant {
    return this.moment.wall;
  }

  get livemode(): boolean {
    return this.#book.mode === 'live';
  }

  /** The stored forms that may be written. */
  get forms(): LedgerForms {
    return this.#state.forms;
  }

  /** The command's own: the ids of its events and entries count up from it. */
  get commandId(): Uuid {
    return this.#commandId;
  }

  /** A further id derived from the command's, the same on every retry. */
  mintId(): Uuid {
    return this.#nextId();
  }

  /**
   * Walks the items of a command over several. The ids minted meanwhile are those of an item's place in the list: an attempt after a lost commit
   * may find other items due than the attempt before it, and none of them gets an id of another, however many ids each needs. A list is walked
   * once: a second walk would mint its ids again. Behind it, the ids of the command itself go on.
   */
  *each<Item>(items: readonly Item[]): Generator<Item> {
    if (this.#walked) throw new Error('A command walks its items once.');
    this.#walked = true;
    const ofCommand = this.#nextId;
    try {
      for (const [place, item] of items.entries()) {
        this.#nextId = idSequence(this.#commandId, place + 1);
        yield item;
      }
    } finally {
      this.#nextId = ofCommand;
    }
  }

  get<Row>(table: Table<Row>, id: string): Row | undefined {
    const own = this.#changed(table as Table<unknown>, id);
    return own ? (own.row as Row) : this.#state.get(table, id);
  }

  /** Returns the row as it is stored: a party's text may be masked (rows/judged-texts.ts). */
  put<Row>(table: Table<Row>, id: string, row: Row): Row {
    const kept = withMasked(table, row, () => this.#state.known(table, id));
    const own = this.#changed(table as Table<unknown>, id);
    if (own) own.row = kept;
    else this.#add({ table: table as Table<unknown>, id, row: kept });
    return kept;
  }

  append<Row>(log: Log<Row>, row: Row): void {
    this.#appends.push({ log: log as Log<unknown>, row: withMasked(log, row, () => undefined) });
  }

  enqueue(job: JobRow): void {
    this.#jobs.push(job);
  }

  account(id: Uuid): Account {
    const account = this.get(accounts, id);
    if (!account) throw new Error(`Account ${id} does not exist`);
    return account;
  }

  /** The book's chart account of this code and currency, opened when first needed. Declare its id in `touches`. */
  chart(code: ChartCode, currency: string): Account {
    return this.#opened(chartAccountId(this.#book.id, code, currency), code, currency);
  }

  /** The same of a code that has an account for each party. */
  partyAccount(code: ChartCode, of: { readonly currency: string; readonly party: Uuid }): Account {
    return this.#opened(partyAccountId(this.#book.id, code, of), code, of.currency);
  }

  #opened(id: Uuid, code: ChartCode, currency: string): Account {
    const known = this.get(accounts, id);
    if (known) return known;
    const opened = newAccount(id, code, currency);
    this.put(accounts, id, opened);
    return opened;
  }

  /**
   * Books an entry. Returns the refusal when an account refuses, and then the draft has nothing of the entry. Postings of zero
   * are omitted. Throws RangeError for a negative amount, for a posting within one account, and for an entry without
   * postings.
   */
  tryPost(request: EntryRequest): Entry | PostingRefusal {
    const lines = postLines(request, (id) => this.account(id));
    if (isRefusal(lines)) return lines;
    const left = leftInClosed(lines.moved.values(), (id) => this.account(id));
    for (const { hold, amount } of lines.captured) captureHeld(this, hold, amount);
    for (const [id, account] of lines.moved) this.put(accounts, id, account);
    const entry = this.#seal(request, lines);
    for (const one of left) request.creditClosed!(one);
    return entry;
  }

  /** Books an entry whose decision has checked the accounts. Throws PostingRefused when one refuses all the same. */
  post(request: EntryRequest): Entry {
    const result = this.tryPost(request);
    if (!('hash' in result)) throw new PostingRefused(result);
    return result;
  }

  /**
   * Reserves an amount. Returns false and holds nothing when the account does not cover the amount, unless the request overrides the
   * floor.
   */
  placeHold(request: HoldRequest): Hold | false {
    return placeHold(this, request);
  }

  /**
   * Reserves more under an open hold. Returns false and changes nothing when the account does not cover the amount, unless the floor is
   * overridden. Throws RangeError for a hold that has ended.
   */
  increaseHold(holdId: Uuid, amount: bigint, { overrideFloor }: Pick<HoldRequest, 'overrideFloor'> = {}): Hold | false {
    return increaseHold(this, holdId, { amount, overrideFloor });
  }

  /** Captures, releases or expires part of a hold; by default, all that remains. Throws RangeError for more. */
  takeFromHold(holdId: Uuid, kind: TakingKind, amount?: bigint): Hold {
    return takeFromHold(this, holdId, { kind, amount });
  }

  emit(request: EventRequest): KeptEvent {
    const facts = this.#nextEvent();
    const { textApart, eventsDerived } = this.forms;
    const { derivation } = request;
    const derived = textApart && eventsDerived && derivation ? deriveEvent(derivation, request, facts) : undefined;
    if (!derived) return this.#keepWhole(request, facts, eventPayload(request, facts));
    const { form, firstSequence } = derivation!;
    return this.#keep(request, facts, { ...derived, form: form.number, firstSequence });
  }

  /** The same, for an answer that shows the event: its body in both forms. */
  emitShown(request: EventRequest): WrittenJson {
    const facts = this.#nextEvent();
    const written = eventPayload(request, facts);
    this.#keepWhole(request, facts, written);
    return written;
  }

  /** Throws CardNumberWritten where a text of the command has a card number that nothing refused. */
  finish<Answer>(answer: Answer): Outcome<Answer> {
    judgeOutcome(this.#state, { rows: this.#rows, appends: this.#appends, entries: this.#entries });
    return {
      book: this.#book,
      entries: this.#entries,
      events: this.#events,
      rows: this.#rows,
      appends: this.#appends,
      jobs: this.#jobs,
      answer,
    };
  }

  #nextEvent(): EventFacts {
    const sequence = this.#book.eventSequence + 1n;
    this.#book = { ...this.#book, eventSequence: sequence, lastPostedAt: this.moment.book };
    return {
      bookId: this.#book.id,
      id: this.#nextId(),
      sequence,
      requestId: this.#requestId,
      moment: this.moment.book,
      livemode: this.livemode,
      codeOf: (accountId) => this.account(accountId).code,
    };
  }

  #keepWhole(request: EventRequest, facts: EventFacts, { text, keptText, apart }: WrittenJson): KeptEvent {
    const whole = { form: null, firstSequence: null };
    return this.#keep(request, facts, this.forms.textApart ? { ...whole, text: keptText, apart } : { ...whole, text });
  }

  #keep({ type, objectId }: EventRequest, { id, sequence }: EventFacts, kept: KeptText): KeptEvent {
    const { text, apart = NOTHING_APART, form, firstSequence } = kept;
    for (const one of apart) this.append(personalTexts, one as PersonalText);
    const event: KeptEvent = {
      sequence,
      id,
      type,
      objectId,
      requestId: this.#requestId,
      actor: this.#actor,
      createdAt: this.moment.book,
      payload: text,
      textReferences: referencesOf(apart),
      form,
      firstSequence,
      leaf: null,
    };
    this.#events.push(event);
    return event;
  }

  #add(changed: ChangedRow): void {
    this.#rows.push(changed);
    if (this.#rowsByTable !== undefined) this.#index(changed);
    else if (this.#rows.length > LISTED_MAX) {
      this.#rowsByTable = new Map();
      for (const row of this.#rows) this.#index(row);
    }
  }

  #index(changed: ChangedRow): void {
    const { table, id } = changed;
    const rows = this.#rowsByTable!.get(table);
    if (rows === undefined) this.#rowsByTable!.set(table, new Map([[id, changed]]));
    else rows.set(id, changed);
  }

  #changed(table: Table<unknown>, id: string): ChangedRow | undefined {
    if (this.#rowsByTable !== undefined) return this.#rowsByTable.get(table)?.get(id);
    for (const change of this.#rows) if (change.id === id && change.table === table) return change;
    return undefined;
  }

  #seal(request: EntryRequest, { postings, floorOverridden }: PostedLines): Entry {
    const book = this.#book;
    const effect = effectOf(book, this.moment.book, request.effectiveAt);
    const entry = {
      sequence: book.entrySequence + 1n,
      id: request.id ?? this.#nextId(),
      resource: request.resource,
      resourceId: request.resourceId,
      step: request.step,
      postedAt: this.moment.book,
      effectiveAt: effect.at,
      requestId: this.#requestId,
      floorOverridden,
      textDigest: request.text ? textDigest(request.text) : null,
      text: request.text ?? null,
      reverses: request.reverses ?? null,
      occurredOn: effect.occurredOn ?? request.occurredOn ?? null,
      postings,
      hash: '', // computed below, from all other fields
    };
    entry.hash = entryHash(book.id, book.chainHash, entry);
    this.#book = { ...book, entrySequence: entry.sequence, chainHash: entry.hash, lastPostedAt: this.moment.book };
    this.#entries.push(entry);
    if (effect.days !== null)
      for (const line of effectiveLinesOf(entry, effect.days, (id) => this.account(id)))
        this.append(effectiveLines, line);
    return entry;
  }
}
