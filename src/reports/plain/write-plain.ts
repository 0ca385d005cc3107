/**
 * Writes days of a book as plain text: its accounts, what stood on them before the first day, every entry by the day on which it takes effect,
 * and for each account and day on which it moved what stands there. That is read from the balances of the ledger's own lines and
 * not from what was written, so a line that is missing or altered is found by the program that reads the file.
 */
import { addDays, dayOf } from '../../calendar/day.ts';
import type { Queryable } from '../../db/pool.ts';
import type { AccountCode } from '../../ledger/account/account-code.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import { loadBalancesAt } from '../../ledger/balances/balances-at.ts';
import { loadEntries, type ReadEntry, readEntries } from '../../ledger/journal/journal-read-store.ts';
import { publicId, type Uuid } from '../../values/ids.ts';
import { further } from '../../values/progress.ts';
import { chartAt, nameOf } from '../figures/chart.ts';
import { loadOwnProfiles } from '../figures/chart-store.ts';
import { type BookOfReport, dayBefore, placeAt } from '../figures/place.ts';
import { listMovedEntries, loadDescriptions } from './plain-store.ts';
import { DIALECTS, type Dialect, type Leg, type PlainFormat, pathOf } from './plain-text.ts';

export interface PlainExport {
  readonly format: PlainFormat;
  /** Days of the book, both of them in. */
  readonly from: string;
  readonly to: string;
  /** A transaction for each entry, or one for all of a day. */
  readonly detail: 'entry' | 'day';
  /** Entries behind it do not count. */
  readonly sequence: bigint;
}

export interface PlainWritten {
  readonly accounts: number;
  readonly entries: number;
  readonly assertions: number;
}

type Push = (text: string) => Promise<void> | void;

export async function writePlain(
  db: Queryable,
  book: BookOfReport,
  asked: PlainExport,
  push: Push,
): Promise<PlainWritten> {
  const dialect = DIALECTS[asked.format];
  const { from, to, sequence } = asked;
  await push(
    dialect.comment(`${publicId('book', book.id)}, ${from} to ${to} (${book.timeZone}), entries up to ${sequence}`),
  );
  const declared = await writeAccounts(db, book, { ...asked, dialect }, push);
  await writeOpening(db, book, { ...asked, dialect }, push);
  const writer = new DayWriter(db, book, asked, push);
  let through = (await placeAt(db, book, { day: dayBefore(from), axis: 'posted', sequence })).postedThrough;
  for (let day = from; day <= to; day = addDays(day, 1)) {
    const end = await placeAt(db, book, { day, axis: 'posted', sequence });
    await writer.write(day, { after: through, through: end.postedThrough });
    through = end.postedThrough;
  }
  return { accounts: declared, entries: writer.entries, assertions: writer.assertions };
}

type InDialect = PlainExport & { readonly dialect: Dialect };

async function writeAccounts(
  db: Queryable,
  book: BookOfReport,
  { dialect, from, sequence }: InDialect,
  push: Push,
): Promise<number> {
  const currencies = new Set<string>();
  let count = 0;
  // By the whole journal: entries take effect before they are posted.
  for await (const { entries } of chartAt(db, book.id, { sequence, postedThrough: sequence, day: null })) {
    const known = entries.filter(({ line }) => line > 0n);
    for (const { currency } of known) currencies.add(currency);
    count += known.length;
    await push(
      known
        .map((one) =>
          dialect.account(pathOf(book.id, one, one.named), { from, currency: one.currency, named: one.named }),
        )
        .join(''),
    );
  }
  await push(dialect.commodities([...currencies].sort(), from));
  return count;
}

/** One transaction: over all accounts, debits are credits. */
async function writeOpening(
  db: Queryable,
  book: BookOfReport,
  { dialect, from, sequence }: InDialect,
  push: Push,
): Promise<void> {
  const place = await placeAt(db, book, { day: dayBefore(from), axis: 'effective', sequence });
  let headed = false;
  for await (const { entries } of chartAt(db, book.id, place)) {
    const standing = entries.filter(({ posted }) => posted !== 0n);
    if (standing.length === 0) continue;
    if (!headed) await push(dialect.head({ day: from, id: null, title: 'Opening balances', text: null }));
    headed = true;
    await push(
      standing
        .map(({ side, posted, ...one }) =>
          dialect.leg({
            account: pathOf(book.id, one, one.named),
            amount: side === 'debit' ? posted : -posted,
            currency: one.currency,
          }),
        )
        .join(''),
    );
  }
}

const ENTRIES_PER_PAGE = 1_000;
const ACCOUNTS_AT_ONCE = 500;
const PATHS_KEPT = 20_000;

class DayWriter {
  entries = 0;
  assertions = 0;
  readonly #paths = new Map<Uuid, string>();
  readonly #dialect: Dialect;
  /** What the day moved on each account. */
  #moved = new Map<Uuid, { debits: bigint; credits: bigint; currency: string }>();

  constructor(
    readonly db: Queryable,
    readonly book: BookOfReport,
    readonly asked: PlainExport,
    readonly push: Push,
  ) {
    this.#dialect = DIALECTS[asked.format];
  }

  /** `posted`: the entries of the day, by the day of their posting. */
  async write(day: string, posted: { readonly after: bigint; readonly through: bigint }): Promise<void> {
    this.#moved = new Map();
    await this.#writeMoved(day, { after: 0n, through: posted.after });
    for (let { after } = posted; after < posted.through; ) {
      const page = await readEntries(this.db, this.book.id, { after, upTo: posted.through, limit: ENTRIES_PER_PAGE });
      await this.#writeEntries(
        day,
        page.filter((entry) => this.#takesEffectOn(entry, day)),
      );
      after = further('entries of an export', after, page.at(-1)!.sequence);
    }
    await this.#writeMoved(day, { after: posted.through, through: this.asked.sequence });
    if (this.asked.detail === 'day') await this.#writeSum(day);
    await this.#writeAssertions(day);
  }

  #takesEffectOn({ postedAt, effectiveAt }: ReadEntry, day: string): boolean {
    return postedAt === effectiveAt || dayOf(effectiveAt, this.book.timeZone) === day;
  }

  /** Entries that were posted on other days. */
  async #writeMoved(day: string, range: { readonly after: bigint; readonly through: bigint }): Promise<void> {
    for (let { after } = range; ; ) {
      const page = { day, after, through: range.through, limit: ENTRIES_PER_PAGE };
      const sequences = await listMovedEntries(this.db, this.book.id, page);
      await this.#writeEntries(day, await loadEntries(this.db, this.book.id, sequences));
      if (sequences.length < ENTRIES_PER_PAGE) return;
      after = further('entries of other days', after, sequences.at(-1)!);
    }
  }

  async #writeEntries(day: string, page: readonly ReadEntry[]): Promise<void> {
    if (page.length === 0) return;
    this.entries += page.length;
    for (const { postings } of page)
      for (const { debitAccountId, creditAccountId, amount, currency } of postings) {
        this.#sumOf(debitAccountId, currency).debits += amount;
        this.#sumOf(creditAccountId, currency).credits += amount;
      }
    if (this.asked.detail === 'day') return;
    const ids = page.flatMap(({ postings }) => postings.flatMap((one) => [one.debitAccountId, one.creditAccountId]));
    const paths = await this.#pathsOf(ids);
    const described = page.filter(({ textDigest }) => textDigest !== null).map(({ sequence }) => sequence);
    const texts = await loadDescriptions(this.db, this.book.id, described);
    let written = '';
    for (const { id, sequence, resource, step, postings } of page) {
      const title = `${resource} ${step}`;
      written += this.#dialect.head({ day, id: publicId('entry', id), title, text: texts.get(sequence) ?? null });
      for (const { debitAccountId, creditAccountId, amount, currency } of postings) {
        written += this.#dialect.leg({ account: paths.get(debitAccountId)!, amount, currency });
        written += this.#dialect.leg({ account: paths.get(creditAccountId)!, amount: -amount, currency });
      }
    }
    await this.push(written);
  }

  #sumOf(id: Uuid, currency: string) {
    const sum = this.#moved.get(id) ?? { debits: 0n, credits: 0n, currency };
    this.#moved.set(id, sum);
    return sum;
  }

  /** One transaction of what each account was debited and credited. */
  async #writeSum(day: string): Promise<void> {
    if (this.#moved.size === 0) return;
    await this.push(this.#dialect.head({ day, id: null, title: 'Entries of the day', text: null }));
    for (const page of pagesOf([...this.#moved], ACCOUNTS_AT_ONCE)) {
      const paths = await this.#pathsOf(page.map(([id]) => id));
      const legs = page.flatMap(([id, { debits, credits, currency }]): Leg[] =>
        [debits, -credits].flatMap((amount) => (amount === 0n ? [] : { account: paths.get(id)!, amount, currency })),
      );
      await this.push(legs.map(this.#dialect.leg).join(''));
    }
  }

  async #writeAssertions(day: string): Promise<void> {
    if (this.#moved.size === 0) return;
    const place = await placeAt(this.db, this.book, { day, axis: 'effective', sequence: this.asked.sequence });
    for (const ids of pagesOf([...this.#moved.keys()].sort(), ACCOUNTS_AT_ONCE)) {
      const paths = await this.#pathsOf(ids);
      const balances = await loadBalancesAt(this.db, this.book.id, place, ids);
      const legs = balances.map(({ id, side, posted, currency }) => ({
        account: paths.get(id)!,
        amount: side === 'debit' ? posted : -posted,
        currency,
      }));
      this.assertions += legs.length;
      await this.push(this.#dialect.assertions(day, legs));
    }
  }

  async #pathsOf(ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, string>> {
    if (this.#paths.size > PATHS_KEPT) this.#paths.clear();
    const unknown = [...new Set(ids)].filter((id) => !this.#paths.has(id));
    if (unknown.length === 0) return this.#paths;
    const found = await accounts.load(this.db, this.book.id, unknown);
    const isOwn = ({ code }: { code: AccountCode }) => code === 'own';
    const own = [...found.values()].filter(isOwn).map(({ id }) => id);
    const profiles = await loadOwnProfiles(this.db, this.book.id, own);
    for (const account of found.values())
      this.#paths.set(account.id, pathOf(this.book.id, account, nameOf(account, profiles.get(account.id))));
    return this.#paths;
  }
}

function pagesOf<Item>(items: readonly Item[], size: number): Item[][] {
  const pages: Item[][] = [];
  for (let at = 0; at < items.length; at += size) pages.push(items.slice(at, at + size));
  return pages;
}
