/** Plays a random world: books move, reports and credits come, the bank writes statements of it, and files are taken while it goes on. */
import { addDays } from '../../src/calendar/day.ts';
import { GROUPS } from '../../src/groups.ts';
import { arrivalsOf } from '../../src/inbound/arrivals/take-arrivals.ts';
import { takeCredits } from '../../src/inbound/credits/take-credits.ts';
import { referenceOf } from '../../src/inbound/references/receive-reference-store.ts';
import { chartAccountId } from '../../src/ledger/account/chart.ts';
import { reportCredits } from '../../src/outside/credits/credit-store.ts';
import type { Payout } from '../../src/payouts/payout/payout.ts';
import { returnPayout } from '../../src/payouts/returns/return-payout.ts';
import { beginFeeDays } from '../../src/reconciliation/fees/begin-fee-days.ts';
import { collectFees } from '../../src/reconciliation/fees/collect-fees.ts';
import { feeDays } from '../../src/reconciliation/fees/fee-collection-table.ts';
import { mirrorAllBooks } from '../../src/reconciliation/mirror/mirror-books.ts';
import { newId, type Uuid } from '../../src/values/ids.ts';
import { keepReportOf } from './acquirer-reports.ts';
import { type CamtEntry, type CamtStatement, camt, IBAN, OperatorsBank, takeBankFile } from './bank-statements.ts';
import { openBook, type TestBook } from './book.ts';
import { LATEST_FORMS } from './forms.ts';
import { activeRules } from './matched-bank.ts';
import { ACME_ACCOUNT, RAIL_ACCOUNT } from './matching.ts';
import type { TestDatabase } from './postgres.ts';
import { JOURNAL_DAYS, type Movement, type World } from './random-bank.ts';
import { TEST_SECRET_BOX } from './secret-box.ts';

/** A Sunday: with it a week of the calendar begins. */
const FIRST_DAY = '2025-10-05';
const SECOND = 'JO94CBJO0010000000000131000303';
/** The last line of a movement stands before it. */
const LAST_DAY = 40;
const LATE = 20;
/** What a bank takes of a movement; no sum of amounts ends with it. */
const CHARGE = 7;
const AT_BANK = GROUPS.flatMap(({ atBank = [] }) => atBank);

/** What a line of the bank is of. */
export interface DrawnLine {
  readonly account: string;
  readonly day: number;
  readonly entry: CamtEntry;
  readonly noise: string;
  /** Items: resource, id and direction. */
  readonly items: readonly string[];
  /** Lines and items that nobody could tell apart have the same. */
  readonly alike?: string;
  /** Lines that cancel each other. */
  readonly pair?: string;
}

export const itemKey = (resource: string, id: Uuid, direction: 'in' | 'out') => `${resource} ${id} ${direction}`;

interface Told {
  readonly statement: CamtStatement;
  readonly lines: readonly DrawnLine[];
}

type Where = Partial<Omit<DrawnLine, 'entry'>>;

export class PlayedBank {
  readonly lines: DrawnLine[] = [];
  /** In the order in which they stand in their statements. */
  readonly told: Told[] = [];
  readonly files: string[] = [];
  /** By what nobody could tell apart. */
  readonly alike = new Map<string, string[]>();
  readonly #actions = new Map<number, (() => Promise<void>)[]>();
  readonly #net = new Map<number, { sum: number; items: string[]; noise: string }>();
  readonly #references: string[] = [];
  #accounts: Uuid[] = [];
  #day = 0;
  #count = 0;

  private constructor(
    readonly world: World,
    readonly bank: OperatorsBank,
    readonly books: readonly TestBook[],
    private readonly clock: { now: () => number; at: number },
  ) {}

  static async open(database: TestDatabase, world: World): Promise<PlayedBank> {
    const bank = await OperatorsBank.open(database.applicationUrl);
    const clock = { at: timeOf(0), now: () => clock.at };
    const books = [];
    for (let index = 0; index < 2; index++)
      books.push(await openBook({ database: bank.pool, forms: LATEST_FORMS, clock }));
    const played = new PlayedBank(world, bank, books, clock);
    await played.#begin();
    return played;
  }

  async close(): Promise<void> {
    for (const book of this.books) await book.close();
    await this.bank.close();
  }

  async #begin(): Promise<void> {
    const { bank, world } = this;
    const parties = [
      { party: 'sandbox', accounts: [RAIL_ACCOUNT], names: [], settles: world.settles },
      { party: 'acme', accounts: [ACME_ACCOUNT], names: [], settles: 'sequence' as const },
    ];
    const first = await bank.account({ parties });
    await bank.account({ name: 'Second', identifiers: [SECOND] });
    const tolerances =
      world.tolerance === 0 ? [] : [{ party: 'sandbox', amount: String(world.tolerance), to: 'differences' as const }];
    const charge = { direction: 'out' as const, code: 'CHRG', text: null, counterparty: null };
    await activeRules(bank.taker, first, {
      tolerances,
      bookings: [{ name: 'Charges', ...charge, amountMax: '25', to: 'bank_charges' }],
    });
    for (const book of this.books) {
      const accountId = await book.account({ currency: 'JOD', amount: 10_000_000n });
      this.#accounts.push(accountId);
      const of = { ownerBookId: book.id, accountId };
      this.#references.push(await referenceOf(bank.pool, bank.book.id, of, this.clock.now()));
      await beginFeeDays(book, book.id, [chartAccountId(book.id, 'due_operator', 'JOD')]);
    }
  }

  async play(): Promise<void> {
    const { daysInFile, isTurned, movements } = this.world;
    for (const one of movements) this.#on(one.day, () => this.#move(one));
    let [file, waiting]: [CamtStatement[], readonly CamtStatement[] | undefined] = [[], undefined];
    const opening = new Map<string, number>();
    for (this.#day = 0; this.#day <= LAST_DAY; this.#day++) {
      this.clock.at = timeOf(this.#day);
      if (this.#day <= JOURNAL_DAYS + 1) await this.#collect();
      for (let next = this.#actions.get(this.#day)?.shift(); next; next = this.#actions.get(this.#day)?.shift())
        await next();
      this.#netOf(this.#day);
      for (const account of [IBAN, SECOND]) {
        const lines = this.lines.filter((line) => line.account === account && line.day === this.#day);
        const before = opening.get(account) ?? 0;
        const number = String(1 + this.told.filter(({ statement }) => statement.account === account).length);
        if (lines.length === 0) continue;
        const entries = lines.map(({ entry }) => entry);
        const statement = { account, number, on: dayOf(this.#day), opening: before, entries };
        opening.set(account, before + entries.reduce((sum, { amount }) => sum + amount, 0));
        this.told.push({ statement, lines });
        file.push(statement);
      }
      if (file.length === 0 || ((this.#day + 1) % daysInFile !== 0 && this.#day < LAST_DAY)) continue;
      const taken = file;
      file = [];
      if (waiting === undefined && isTurned) waiting = taken;
      else {
        await this.#takeBoth(waiting, taken);
        waiting = undefined;
      }
    }
    if (waiting !== undefined) await this.#takeBoth(undefined, waiting);
  }

  /** The later one first. */
  async #takeBoth(first: readonly CamtStatement[] | undefined, second: readonly CamtStatement[]): Promise<void> {
    for (const statements of [second, first]) {
      if (statements === undefined) continue;
      const file = camt(statements, { id: `M${this.files.length}` });
      this.files.push(file);
      await this.take(file);
    }
  }

  take(file: string) {
    const { pool, book } = this.bank;
    const mirror = () => mirrorAllBooks({ pool, committer: book.committer, atBank: AT_BANK }, book.id);
    return takeBankFile({ ...this.bank.taker, mirror, arrivals: arrivalsOf(this.#credits()) }, file);
  }

  #credits() {
    const { pool, book } = this.bank;
    return {
      ...{ pool, clock: this.clock, committer: book.committer, secretBox: TEST_SECRET_BOX, forms: LATEST_FORMS },
      rowFailed: (_: unknown, __: unknown, error: unknown) => Promise.reject(error),
    };
  }

  async #collect(): Promise<void> {
    for (const book of this.books) {
      const known = await feeDays.load(book.pool, book.id, [chartAccountId(book.id, 'due_operator', 'JOD')]);
      await book.submit(collectFees(book.id, [...known.values()], new Map([['JOD', 1_600]])));
    }
  }

  #on(day: number, action: () => Promise<void>): void {
    const known = this.#actions.get(day);
    if (known === undefined) this.#actions.set(day, [action]);
    else known.push(action);
  }

  /** The bank writes it on that day or, where it is over, today. */
  #line(entry: CamtEntry, { day = this.#day, account = IBAN, noise = '', items = [], ...where }: Where): void {
    this.#count += 1;
    const line = { reference: `S${this.#count}`, ...entry };
    this.lines.push({ account, day: Math.max(day, this.#day), entry: line, noise, items, ...where });
    if (where.alike !== undefined) this.alike.set(where.alike, [...(this.alike.get(where.alike) ?? []), ...items]);
  }

  #move(one: Movement): Promise<void> {
    const moves: Record<Movement['kind'], () => Promise<void>> = {
      payout: () => this.#payout(one),
      return: () => this.#return(one),
      merged: () => this.#merged(one),
      report: () => this.#report(one),
      arrival: () => this.#arrival(one),
      charge: async () => this.#line({ amount: -one.amount / 100, code: 'CHRG' }, { noise: 'charge' }),
      transfer: async () => this.#transfer(one),
      reversed: async () => this.#reversed(one),
    };
    return moves[one.kind]();
  }

  async #reserved({ book, amount }: Pick<Movement, 'book' | 'amount'>): Promise<Payout> {
    const among = this.books[book]!;
    const asked = { accountId: this.#accounts[book]!, amount: BigInt(amount), currency: 'JOD', fee: 5n };
    return among.reserve(await among.accept(asked));
  }

  #paid(payout: Payout, book: 0 | 1): Promise<Payout> {
    return this.books[book]!.settle(payout, { status: 'paid', railReference: `R-${payout.id}` });
  }

  async #payout(one: Movement): Promise<void> {
    if (this.world.settles === 'day') return this.#ofDay(one);
    const { amount, book, lag, noise, isNamed } = one;
    const reserved = await this.#reserved(one);
    const { endToEndId, id } = reserved;
    if (noise.startsWith('early')) this.#on(this.#day + 3, () => this.#paid(reserved, book).then(() => undefined));
    else await this.#paid(reserved, book);
    const day = this.#day + (noise.startsWith('early') ? 0 : lag);
    const of = { day, noise, items: [itemKey('payout', id, 'out')] };
    const side = isNamed ? { account: RAIL_ACCOUNT } : {};
    const bare = () => this.#line({ amount: -amount, account: RAIL_ACCOUNT }, { ...of, alike: String(-amount) });
    const inText = `To ${endToEndId.slice(0, 9)} ${endToEndId.slice(9)} thanks`;
    const told: Record<string, () => void> = {
      plain: () => this.#line({ amount: -amount, endToEndId, ...side }, of),
      early: () => this.#line({ amount: -amount, endToEndId, ...side }, of),
      cut: () => this.#line({ amount: -amount, endToEndId: endToEndId.slice(0, 16), ...side }, of),
      'early cut': () => this.#line({ amount: -amount, endToEndId: endToEndId.slice(0, 16), ...side }, of),
      'in text': () => this.#line({ amount: -amount, text: inText, ...side }, of),
      'early in text': () => this.#line({ amount: -amount, text: inText, ...side }, of),
      split: () => {
        this.#line({ amount: -amount + 400, endToEndId }, of);
        this.#line({ amount: -400, endToEndId }, { ...of, day: day + 1 });
      },
      twice: () => {
        this.#line({ amount: -amount, endToEndId, ...side }, of);
        this.#line({ amount: -amount, endToEndId, ...side }, { ...of, day: day + 1 });
      },
      charged: () => this.#line({ amount: -amount - CHARGE, charge: CHARGE, ...(isNamed ? side : { endToEndId }) }, of),
      netted: () => this.#line({ amount: -amount - CHARGE, ...(isNamed ? side : { endToEndId }) }, of),
      short: () => this.#line({ amount: -amount + CHARGE, endToEndId }, of),
      late: () => this.#line({ amount: -amount, endToEndId, ...side }, { ...of, day: day + LATE }),
      misdated: () => this.#line({ amount: -amount, endToEndId, on: dayOf(this.#day - 3), ...side }, of),
      missing: () => undefined,
      foreign: () =>
        this.world.settles === 'reference'
          ? this.#line(
              { amount: -amount, endToEndId: `INV-${this.#count}`, account: RAIL_ACCOUNT },
              { ...of, alike: String(-amount) },
            )
          : this.#line({ amount: -amount, endToEndId: `INV-${this.#count}`, ...side }, { ...of, items: [] }),
      bare,
      blank: () => this.#line({ amount: -amount }, of),
      'bank reference': () => this.#line({ amount: -amount, reference: `R-${id}`, ...side }, of),
    };
    told[noise]!();
  }

  /** A rail that settles net: what is not named is in the line of its day. */
  async #ofDay(one: Movement): Promise<void> {
    const { amount, book, noise } = one;
    const { id, endToEndId } = await this.#paid(await this.#reserved(one), book);
    const key = itemKey('payout', id, 'out');
    if (noise === 'plain') this.#line({ amount: -amount, endToEndId }, { noise, items: [key] });
    else this.#settled(-amount, key, noise);
  }

  #settled(amount: number, key: string, noise: string): void {
    const known = this.#net.get(this.#day) ?? { sum: 0, items: [], noise };
    this.#net.set(this.#day, { ...known, sum: known.sum + amount, items: [...known.items, key] });
  }

  #netOf(day: number): void {
    const net = this.#net.get(day);
    if (net === undefined || net.sum === 0 || net.noise === 'missing') return;
    const { sum, items, noise } = net;
    const of = { day: day + 1, noise: `net ${noise}`, items };
    if (noise === 'charged') this.#line({ amount: sum - CHARGE, charge: CHARGE, account: RAIL_ACCOUNT }, of);
    else this.#line({ amount: noise === 'netted' ? sum - CHARGE : sum, account: RAIL_ACCOUNT }, of);
  }

  async #return(one: Movement): Promise<void> {
    const { book, noise, lag } = one;
    const payout = await this.#paid(await this.#reserved(one), book);
    const { endToEndId } = payout;
    this.#line({ amount: -one.amount, endToEndId }, { noise: 'plain', items: [itemKey('payout', payout.id, 'out')] });
    const amount = noise === 'part' ? one.amount / 2 : one.amount;
    const items: string[] = [];
    const report = async () => {
      const notice = { id: newId(), amount: BigInt(amount), reason: 'AC04', raw: {} };
      await this.books[book]!.submit(returnPayout(this.books[book]!.id, payout, notice));
      const found = await this.books[book]!.row<{ id: Uuid }>(
        'SELECT id FROM payout_returns WHERE book_id = $1 AND payout_id = $2',
        payout.id,
      );
      items.push(itemKey('payout_return', found.id, 'in'));
    };
    const told = (day: number) => this.#line({ amount, endToEndId }, { day, noise: `return ${noise}`, items });
    const day = this.#day + 1;
    if (noise === 'not reported' || noise === 'reported late') told(day + lag);
    if (noise === 'reported late') this.#on(day + lag + 1, report);
    if (noise === 'not reported' || noise === 'reported late') return;
    this.#on(day, async () => {
      await report();
      if (noise === 'missing') return;
      if (this.world.settles === 'day') this.#settled(amount, items[0]!, noise);
      else if (noise === 'bare')
        this.#line({ amount, account: RAIL_ACCOUNT }, { day: day + lag, noise, items, alike: String(amount) });
      else told(day + lag);
    });
  }

  /** Two that the bank booked as one. */
  async #merged(one: Movement): Promise<void> {
    if (this.world.settles === 'day') return this.#ofDay({ ...one, noise: 'bare' });
    const parts = [one.amount + 1, one.amount + 3];
    const payouts = [];
    for (const amount of parts) payouts.push(await this.#paid(await this.#reserved({ ...one, amount }), one.book));
    const items = payouts.map(({ id }) => itemKey('payout', id, 'out'));
    const of = { day: this.#day + one.lag, noise: `merged ${one.noise}`, items };
    const amount = -parts[0]! - parts[1]!;
    const details = payouts.map(({ endToEndId }, index) => ({ amount: parts[index]!, endToEndId }));
    if (one.noise === 'details') this.#line({ amount, details }, of);
    else if (one.noise === 'unnamed') this.#line({ amount, account: RAIL_ACCOUNT }, of);
    else this.#line({ amount, endToEndId: payouts[0]!.endToEndId, account: RAIL_ACCOUNT }, of);
  }

  async #report(one: Movement): Promise<void> {
    const sign = one.noise === 'negative' ? -1 : 1;
    const nets = one.noise === 'merged' ? [one.amount + 1, one.amount + 3] : [sign * one.amount];
    const items: string[] = [];
    const documents: string[] = [];
    for (const net of nets) {
      this.#count += 1;
      const document = `ACME-PAY-${1_000 + this.#count}`;
      const of = { pool: this.bank.pool, bookId: this.bank.book.id };
      const totals = [{ gross: BigInt(net + 25), cost: 25n }];
      const id = await keepReportOf(of, { name: `${document}.csv`, totals, at: this.clock.now() });
      items.push(itemKey('acquirer_report', id, net > 0 ? 'in' : 'out'));
      documents.push(document);
    }
    if (one.noise === 'missing') return;
    const amount = nets.reduce((sum, net) => sum + net, 0);
    const of = { day: this.#day + one.lag, noise: `report ${one.noise}`, items };
    if (one.noise === 'named') this.#line({ amount, text: `Payment ${documents[0]} of today` }, of);
    else if (one.noise === 'charged') this.#line({ amount: amount - CHARGE, charge: CHARGE, text: documents[0]! }, of);
    else this.#line({ amount, account: ACME_ACCOUNT }, { ...of, alike: `acme ${amount}` });
  }

  async #arrival({ amount, book, lag, noise }: Movement): Promise<void> {
    const reference = this.#references[book]!.match(/.{1,4}/g)!.join(' ');
    const items: string[] = [];
    this.#count += 1;
    const ofBank = `T${this.#count}`;
    const text = noise.startsWith('unknown') ? 'From Salma' : `Invoice ${reference}`;
    const of = { noise: `arrival ${noise}`, items, pair: `recalled ${ofBank}` };
    if (noise === 'notified') await this.#notify(ofBank, { amount, text });
    const day = this.#day + lag;
    const tell = (change: Partial<CamtEntry>, on: number) =>
      this.#line({ amount, reference: ofBank, text, ...change }, { ...of, day: on });
    tell({}, day);
    if (noise === 'twice') tell({}, day + 1);
    if (noise.endsWith('recalled')) tell({ amount: -amount, text: 'Recall' }, day + 2);
    // The transfer has its id when its line is taken.
    items.push(`of ${ofBank}`);
  }

  async #notify(bankReference: string, { amount, text }: { amount: number; text: string }): Promise<void> {
    const { pool, book } = this.bank;
    const facts = { endToEndId: null, payerName: null, payerAccount: null, valueOn: null, bookedOn: dayOf(this.#day) };
    const told = { bankAccount: IBAN, bankReference, place: bankReference, amount: BigInt(amount), currency: 'JOD' };
    const reporter = { bookId: book.id, rail: 'example_bank', secretBox: TEST_SECRET_BOX, now: this.clock.now() };
    await reportCredits(pool, reporter, [{ ...told, ...facts, remittance: [text] }]);
    const rows = await book.rows<{ id: Uuid }>(
      'SELECT id FROM inbound_credits WHERE book_id = $1 AND bank_reference = $2',
      bankReference,
    );
    await takeCredits(
      this.#credits(),
      book.id,
      rows.map(({ id }) => id),
    );
  }

  #transfer({ amount, lag, noise }: Movement): void {
    this.#count += 1;
    const reference = noise === 'reference' || noise === 'one side' ? `W${this.#count}` : undefined;
    const same = {
      ...(reference && { reference }),
      ...(noise === 'end-to-end id' && { endToEndId: `OWN-${this.#count}` }),
    };
    const pair = noise === 'accounts' ? `own ${amount}` : `own ${this.#count}`;
    const of = { noise: `transfer ${noise}`, pair };
    this.#line({ amount: -amount, ...same, ...(noise === 'accounts' && { account: SECOND }) }, of);
    if (noise === 'one side') return;
    const into = { ...of, account: SECOND, day: this.#day + lag };
    this.#line({ amount, ...same, ...(noise === 'accounts' && { account: IBAN }) }, into);
  }

  #reversed({ amount, isNamed }: Movement): void {
    this.#count += 1;
    const side = isNamed ? { account: RAIL_ACCOUNT } : {};
    const reference = `V${this.#count}`;
    const of = { noise: 'reversed', pair: `reversed ${reference}` };
    for (const signed of [-amount, amount]) this.#line({ amount: signed, reference, ...side }, of);
  }
}

function dayOf(day: number): string {
  return addDays(FIRST_DAY, day);
}

function timeOf(day: number): number {
  return Date.parse(`${dayOf(day)}T10:00:00Z`);
}
