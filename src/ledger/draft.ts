/**
 * A draft builds a decision: it collects postings, holds, rows and events on top of the state, and finishes as an outcome.
 * The state itself does not change, so a decision that throws or is dropped has no effect.
 */

import type { LedgerForms } from '../db/forms.ts';
import type { Instant, Moment } from '../values/clock.ts';
import { idSequence, type ResourceName, type Uuid } from '../values/ids.ts';
import type { ApartText, WrittenJson } from '../values/json.ts';
import { type Account, covers, type Direction, type PostingPermissions, type PostingRefusal } from './account.ts';
import { accounts } from './account-table.ts';
import type { Book } from './book.ts';
import { type ChartCode, chartAccountId, newAccount } from './chart.ts';
import { type ClosedPermissions, leftInClosed, moveBy } from './closed-accounts.ts';
import type { JobRow, LogAppend, Outcome } from './command.ts';
import { judgeOutcome } from './commit/judge-outcome.ts';
import type { BookState } from './commit/state.ts';
import { type HoldRequest, increaseHold, placeHold, takeFromHold } from './draft-holds.ts';
import type { Entry, EntryText, Posting, PostingDraft } from './entry.ts';
import { entryHash, textDigest } from './entry-hash.ts';
import { deriveEvent } from './events/derive-event.ts';
import type { KeptEvent } from './events/event.ts';
import { type EventFacts, type EventRequest, eventPayload } from './events/event-payload.ts';
import type { Hold, TakingKind } from './hold.ts';
import { newPosting } from './posting.ts';
import { withMasked } from './rows/judged-texts.ts';
import { type PersonalText, referencesOf } from './rows/personal-text.ts';
import { personalTexts } from './rows/personal-text-table.ts';
import type { Log, Table } from './rows/table.ts';

export interface EntryRequest extends Omit<PostingPermissions, 'allowClosed'>, ClosedPermissions {
  resource: ResourceName;
  resourceId: Uuid;
  step: string;
  postings: readonly PostingDraft[];
  /** When the movement takes effect, if not at the moment of posting. */
  effectiveAt?: Instant;
  text?: EntryText | null;
}

/** The stored form of an event, and the personal text that is stored apart. */
interface KeptText extends Pick<KeptEvent, 'form' | 'firstSequence'> {
  readonly text: string;
  readonly apart?: readonly ApartText[];
}
const NOTHING_APART: readonly ApartText[] = [];

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
  readonly #nextId: () => Uuid;
  /** A handful of rows: a search through the list is faster than a map. */
  readonly #rows: { table: Table<unknown>; id: string; row: unknown }[] = [];
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
    this.#nextId = idSequence(command.id);
    this.moment = moment;
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

  /** A further id derived from the command's, the same on every retry. */
  mintId(): Uuid {
    return this.#nextId();
  }

  get<Row>(table: Table<Row>, id: string): Row | undefined {
    const own = this.#changed(table as Table<unknown>, id);
    return own ? (own.row as Row) : this.#state.get(table, id);
  }

  /** Returns the row as it is kept: what a party said may be masked (judged-texts.ts). */
  put<Row>(table: Table<Row>, id: string, row: Row): Row {
    const kept = withMasked(table, row, () => this.#state.known(table, id));
    const own = this.#changed(table as Table<unknown>, id);
    if (own) own.row = kept;
    else this.#rows.push({ table: table as Table<unknown>, id, row: kept });
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
    const id = chartAccountId(this.#book.id, code, currency);
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
    const moved = new Map<Uuid, Account>();
    const postings: Posting[] = [];
    let floorOverridden = false;
    for (const { debit, credit, amount } of request.postings) {
      if (amount === 0n) continue;
      if (amount < 0n) throw new RangeError('A posting moves a positive amount');
      if (debit === credit) throw new RangeError('A posting moves between two accounts');
      const source = moved.get(debit) ?? this.account(debit);
      const target = moved.get(credit) ?? this.account(credit);
      const currency = source.currency;
      floorOverridden ||= breaksFloor(source, 'debit', amount) || breaksFloor(target, 'credit', amount);
      const debited = moveBy(request, source, { direction: 'debit', amount, currency });
      if ('code' in debited && !('id' in debited)) return debited;
      const credited = moveBy(request, target, { direction: 'credit', amount, currency });
      if ('code' in credited && !('id' in credited)) return credited;
      moved.set(debit, debited as Account);
      moved.set(credit, credited as Account);
      postings.push(
        newPosting({
          ordinal: postings.length + 1,
          amount,
          debited: debited as Account,
          credited: credited as Account,
        }),
      );
    }
    if (postings.length === 0) throw new RangeError('An entry has at least one posting');
    const left = leftInClosed(moved.values(), (id) => this.account(id));
    for (const [id, account] of moved) this.put(accounts, id, account);
    const entry = this.#seal(request, { postings, floorOverridden });
    for (const one of left) request.creditClosed!(one);
    return entry;
  }

  /** Books an entry whose decision has checked the accounts. Throws PostingRefused when one refuses all the same. */
  post(request: EntryRequest): Entry {
    const result = this.tryPost(request);
    if (!('hash' in result)) throw new PostingRefused(result);
    return result;
  }

  /** Reserves an amount. Returns false and holds nothing when the account does not cover the amount. */
  placeHold(request: HoldRequest): Hold | false {
    return placeHold(this, request);
  }

  /**
   * Reserves more under an open hold. Returns false and changes nothing when the account does not cover the amount. Throws
   * RangeError for a hold that has ended.
   */
  increaseHold(holdId: Uuid, amount: bigint): Hold | false {
    return increaseHold(this, holdId, amount);
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

  #changed(table: Table<unknown>, id: string) {
    for (const change of this.#rows) if (change.id === id && change.table === table) return change;
    return undefined;
  }

  #seal(request: EntryRequest, body: { postings: Posting[]; floorOverridden: boolean }): Entry {
    const book = this.#book;
    const entry = {
      sequence: book.entrySequence + 1n,
      id: this.#nextId(),
      resource: request.resource,
      resourceId: request.resourceId,
      step: request.step,
      postedAt: this.moment.book,
      effectiveAt: request.effectiveAt ?? this.moment.book,
      requestId: this.#requestId,
      floorOverridden: body.floorOverridden,
      textDigest: request.text ? textDigest(request.text) : null,
      text: request.text ?? null,
      postings: body.postings,
      hash: '', // computed below, from all other fields
    };
    entry.hash = entryHash(book.id, book.chainHash, entry);
    this.#book = { ...book, entrySequence: entry.sequence, chainHash: entry.hash, lastPostedAt: this.moment.book };
    this.#entries.push(entry);
    return entry;
  }
}

/** Whether the line takes the account below its floor. Without a permission, move() refuses such a line. */
function breaksFloor(account: Account, direction: Direction, amount: bigint): boolean {
  return direction !== account.side && !covers(account, amount);
}
