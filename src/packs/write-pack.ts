/**
 * Writes the pack of a closed period. Entries are read page by page, each read for itself: no snapshot stays open, since entries up to a
 * sequence never change. In memory are accounts, and not entries. The same period gives the same bytes while names and texts are the same.
 */
import { createHash } from 'node:crypto';
import { addDays } from '../calendar/day.ts';
import type { Pool } from '../db/pool.ts';
import { BadInput } from '../intake/bad-input.ts';
import type { Period } from '../journal/periods/period.ts';
import { TrialBalance } from '../ledger/balances/trial-balance.ts';
import type { Book } from '../ledger/book/book.ts';
import { entryText } from '../ledger/entry/entry-hash.ts';
import { type ReadEntry, readEntries } from '../ledger/journal/journal-read-store.ts';
import { type Checkpoint, checkpointView } from '../proofs/checkpoint.ts';
import { proveConsistency, proveInclusion } from '../proofs/prove.ts';
import { readStatedAt } from '../reconciliation/position/stated-at-store.ts';
import { nameOf } from '../reports/figures/chart.ts';
import { loadOwnProfiles } from '../reports/figures/chart-store.ts';
import { FigureContradicted } from '../reports/figures/figures.ts';
import { FIGURE_TYPES, type FigureName } from '../reports/figures/kinds.ts';
import { type Axis, placeAt } from '../reports/figures/place.ts';
import { writeFigures } from '../reports/figures/write-figures.ts';
import { PLAIN_FORMATS } from '../reports/plain/plain-text.ts';
import { writePlain } from '../reports/plain/write-plain.ts';
import { formatInstant } from '../values/clock.ts';
import { publicId, type Uuid } from '../values/ids.ts';
import { toJson } from '../values/json.ts';
import { further } from '../values/progress.ts';
import { bankHeader, bankText } from './bank-table.ts';
import { exceptionsHeader, exceptionText } from './exceptions-table.ts';
import { DayFinder, type FoldedLine, JournalFold } from './fold-entries.ts';
import { type Manifest, OPENING_FILES, PACK_FILES, PACK_TYPE, type PreviousPack, startOf } from './pack.ts';
import { bytesOf, PackFolder, type ReadPack } from './pack-folder.ts';
import { listOpenAt, loadCodes } from './pack-store.ts';
import {
  type AccountFacts,
  accountLines,
  accountsHeader,
  accountText,
  laterHeader,
  laterLines,
  laterText,
  openFold,
  readAccountLines,
  readLaterLines,
} from './pack-tables.ts';

export interface PackAsked {
  readonly pool: Pool;
  readonly book: Book;
  /** It is closed. */
  readonly period: Period;
  /** It covers the last entry of the period. Null of a period before the first entry. */
  readonly checkpoint: Checkpoint | null;
  /** The pack to go on from. Undefined: from the first entry. */
  readonly previous: { readonly pack: ReadPack; readonly checkpoint: Checkpoint | null } | undefined;
  readonly folder: string;
  readonly onProgress: (progress: { readonly done: bigint; readonly total: bigint }) => void;
}

export interface PackWritten {
  readonly manifest: Manifest;
  readonly manifestSha256: string;
}

/** Throws BadInput for a folder that cannot be written, FigureContradicted where the figures do not agree with each other. */
export async function writePack(asked: PackAsked): Promise<PackWritten> {
  const folder = await PackFolder.begin(asked.folder);
  try {
    const manifest = await writeFiles(asked, folder);
    return { manifest, manifestSha256: await folder.finish(`${JSON.stringify(manifest, null, 2)}\n`) };
  } catch (error) {
    await folder.abandon();
    throw error;
  }
}

async function writeFiles(asked: PackAsked, folder: PackFolder): Promise<Manifest> {
  const { book, period } = asked;
  const previous = previousOf(asked);
  const from = await firstDayOf(asked);
  const fold = new JournalFold({ from, through: period.through });
  if (asked.previous) await copyOpening(folder, fold, asked.previous.pack);
  await folder.write(PACK_FILES.period, (push) => push(`${toJson(periodRecord(period))}\n`));
  await writeEntries(asked, { folder, fold, after: startOf({ previous }).sequence });
  const periodDigest = await writeTables(asked, folder, fold);
  const digests = await writeReports(asked, folder, from);
  await writeExceptions(asked, folder);
  await writeBanks(asked, folder, fold);
  for (const format of PLAIN_FORMATS) {
    const days = { from, to: period.through, detail: 'entry', sequence: period.throughSequence } as const;
    await folder.write(PACK_FILES[format], (push) => writePlain(asked.pool, book, { format, ...days }, push));
  }
  await writeProofs(asked, folder);
  return {
    type: PACK_TYPE,
    book: publicId('book', book.id),
    time_zone: book.timeZone,
    period: publicId('period', period.id),
    from,
    through: period.through,
    through_sequence: Number(period.throughSequence),
    chain_hash: period.chainHash,
    trial_balance: { period_digest: periodDigest, report_digest: digests.trial_balance },
    previous,
    files: [...folder.files],
  };
}

/** What a period is for good: it may be opened again, and its reason may be erased. */
function periodRecord(period: Period): object {
  return {
    id: publicId('period', period.id),
    object: 'period',
    through: period.through,
    closed_before: period.closedBefore,
    through_sequence: period.throughSequence,
    chain_hash: period.chainHash,
    trial_balance_digest: period.trialBalanceDigest,
    open: period.openItems,
    actor: period.actor,
    request_id: publicId('request', period.requestId),
    at: formatInstant(period.createdAt),
  };
}

function previousOf({ previous }: PackAsked): PreviousPack | null {
  if (previous === undefined) return null;
  const { manifest, manifestSha256 } = previous.pack;
  return {
    manifest_sha256: manifestSha256,
    period: manifest.period,
    through: manifest.through,
    through_sequence: manifest.through_sequence,
    chain_hash: manifest.chain_hash,
    checkpoint: previous.checkpoint === null ? null : checkpointView(previous.checkpoint),
  };
}

/** The day behind the last one of the pack before; of the first pack, the day of the first entry. */
async function firstDayOf({ pool, book, period, previous }: PackAsked): Promise<string> {
  if (previous) return addDays(previous.pack.manifest.through, 1);
  const [first] = await readEntries(pool, book.id, { after: 0n, upTo: period.throughSequence, limit: 1 });
  const day = first === undefined ? period.through : new DayFinder(book.timeZone).of(first.postedAt);
  return day < period.through ? day : period.through;
}

/** Throws BadInput where these tables are not the ones that the manifest of that pack names. */
async function copyOpening(folder: PackFolder, fold: JournalFold, { folder: from, manifest }: ReadPack): Promise<void> {
  const [accounts, later] = (['accounts', 'later'] as const).map((table) => {
    const bytes = bytesOf(from, PACK_FILES[table]);
    const named = manifest.files.find(({ name }) => name === PACK_FILES[table]);
    if (named?.sha256 !== createHash('sha256').update(bytes).digest('hex'))
      throw new BadInput(null, `${PACK_FILES[table]} of the pack before is not the one that its manifest names.`);
    return bytes;
  });
  openFold(fold, readAccountLines(accounts!), readLaterLines(later!));
  await folder.copy(OPENING_FILES.accounts, accounts!);
  await folder.copy(OPENING_FILES.later, later!);
}

/** A page is some 2 MB of entries with their postings. */
const ENTRIES_PER_PAGE = 1_000;

async function writeEntries(
  { pool, book, period, onProgress }: PackAsked,
  { folder, fold, after: start }: { folder: PackFolder; fold: JournalFold; after: bigint },
): Promise<void> {
  const upTo = period.throughSequence;
  const [posted, effective] = [new DayFinder(book.timeZone), new DayFinder(book.timeZone)];
  await folder.write(PACK_FILES.entries, async (push) => {
    let previousHash = await hashBefore(pool, book, start);
    for (let after = start; after < upTo; ) {
      const page = await readEntries(pool, book.id, { after, upTo, limit: ENTRIES_PER_PAGE });
      let text = '';
      for (const entry of page) {
        text += `${entryText(book.id, previousHash, entry)}\n`;
        previousHash = entry.hash;
        const days = { postedOn: posted.of(entry.postedAt), effectiveOn: effective.of(entry.effectiveAt) };
        for (const line of linesOfEntry(entry)) contradict(fold.add(line, days), entry);
      }
      await push(text);
      after = further('entries of a pack', after, page.at(-1)?.sequence ?? after);
      onProgress({ done: after - start, total: upTo - start });
    }
  });
}

async function hashBefore(pool: Pool, book: Book, sequence: bigint): Promise<string> {
  if (sequence === 0n) return startOf({ previous: null }).hash;
  const [entry] = await readEntries(pool, book.id, { after: sequence - 1n, upTo: sequence, limit: 1 });
  return entry!.hash;
}

function linesOfEntry({ postings }: Pick<ReadEntry, 'postings'>): FoldedLine[] {
  return postings.flatMap(({ currency, amount, ...posting }): FoldedLine[] => [
    {
      ...{ account: posting.debitAccountId, side: 'debit', currency, amount },
      ...{ line: posting.debitLine, balanceAfter: posting.debitBalanceAfter },
    },
    {
      ...{ account: posting.creditAccountId, side: 'credit', currency, amount },
      ...{ line: posting.creditLine, balanceAfter: posting.creditBalanceAfter },
    },
  ]);
}

function contradict(misfit: ReturnType<JournalFold['add']>, { sequence }: ReadEntry): void {
  if (misfit === null) return;
  throw new FigureContradicted(
    `Entry ${sequence} has ${misfit.actual}, where its account comes to ${misfit.expected}. Run \`npm run verify\`.`,
  );
}

const ACCOUNTS_AT_ONCE = 500;

/** Throws FigureContradicted where the entries do not come to the trial balance with which the days were closed. */
async function writeTables({ pool, book, period }: PackAsked, folder: PackFolder, fold: JournalFold): Promise<string> {
  const facts = await factsOf(pool, book, [...fold.accounts.keys()]);
  const trial = new TrialBalance();
  await folder.write(PACK_FILES.accounts, async (push) => {
    await push(accountsHeader);
    for (const line of accountLines(fold, (id) => facts.get(id)!)) {
      const { id, code, side, currency, debit, credit } = line;
      const balance = side === 'debit' ? debit - credit : credit - debit;
      if (balance !== 0n) trial.add({ id, code, side, currency, balance });
      await push(accountText(line));
    }
  });
  await folder.write(PACK_FILES.later, async (push) => {
    await push(laterHeader);
    for (const line of laterLines(fold)) await push(laterText(line));
  });
  const digest = trial.digest();
  if (digest === period.trialBalanceDigest) return digest;
  throw new FigureContradicted(
    `The entries come to a trial balance of ${digest}, and the period was closed with ${period.trialBalanceDigest}. Run \`npm run verify\`.`,
  );
}

async function factsOf(pool: Pool, book: Book, ids: readonly Uuid[]): Promise<Map<Uuid, AccountFacts>> {
  const facts = new Map<Uuid, AccountFacts>();
  for (let at = 0; at < ids.length; at += ACCOUNTS_AT_ONCE) {
    const page = ids.slice(at, at + ACCOUNTS_AT_ONCE);
    const codes = await loadCodes(pool, book.id, page);
    const own = await loadOwnProfiles(
      pool,
      book.id,
      page.filter((id) => codes.get(id)!.code === 'own'),
    );
    for (const [id, { code, side }] of codes) {
      const { code: shownCode, type } = nameOf({ code }, own.get(id));
      facts.set(id, { code, side, shownCode, type });
    }
  }
  return facts;
}

const REPORTS = [
  ['trial_balance', PACK_FILES.trialBalance, 'effective'],
  ['account_activity', PACK_FILES.activity, 'effective'],
  ['open_items', PACK_FILES.openItems, 'posted'],
] as const satisfies readonly (readonly [FigureName, string, Axis])[];

/** As `npm run report` writes them. Answers their digests. */
async function writeReports(
  { pool, book, period }: PackAsked,
  folder: PackFolder,
  from: string,
): Promise<Record<(typeof REPORTS)[number][0], string>> {
  const digests: Record<string, string> = {};
  for (const [name, file, axis] of REPORTS) {
    const { through: to, throughSequence: sequence } = period;
    const asked = { axis, from, to, sequence };
    const place = await placeAt(pool, book, { day: to, axis, sequence });
    const { kind } = FIGURE_TYPES[name];
    const pages = kind.rows({ db: pool, book, asked, place });
    const written = await folder.write(file, (push) =>
      writeFigures(kind, pages, { format: 'csv', bom: false, head: {} }, push),
    );
    digests[name] = written.digest;
  }
  return digests as Record<(typeof REPORTS)[number][0], string>;
}

const EXCEPTIONS_PER_PAGE = 500;

/** Those that were open when the days were closed: what became of them since is in none of the columns. */
async function writeExceptions({ pool, book, period }: PackAsked, folder: PackFolder): Promise<void> {
  await folder.write(PACK_FILES.exceptions, async (push) => {
    await push(exceptionsHeader);
    for (let after = 0n; ; ) {
      const page = await listOpenAt(pool, book.id, { at: period.createdAt, after, limit: EXCEPTIONS_PER_PAGE });
      await push(page.map(({ exception }) => (exception === null ? '' : exceptionText(exception))).join(''));
      if (page.length < EXCEPTIONS_PER_PAGE) return;
      after = further('exceptions of a pack', after, page.at(-1)!.place);
    }
  });
}

/** In the journal's own words: what stands on the account of each bank is what its entries come to. */
async function writeBanks({ pool, book, period }: PackAsked, folder: PackFolder, fold: JournalFold): Promise<void> {
  const { through, throughSequence, createdAt: closedAt } = period;
  const found = await readStatedAt(pool, book.id, { through, throughSequence, closedAt });
  await folder.write(PACK_FILES.banks, async (push) => {
    await push(bankHeader);
    for (const row of found)
      await push(bankText({ ...row, books: fold.accounts.get(row.ledgerAccountId)?.closing ?? 0n }));
  });
}

/** That the checkpoint has the last entry of the period, and that it goes on from the checkpoint of the pack before. */
async function writeProofs({ pool, book, period, checkpoint, previous }: PackAsked, folder: PackFolder): Promise<void> {
  const view = checkpoint === null ? null : checkpointView(checkpoint);
  await folder.write(PACK_FILES.checkpoint, (push) => push(view === null ? '' : `${JSON.stringify(view)}\n`));
  await folder.write(PACK_FILES.proofs, async (push) => {
    if (checkpoint === null) return;
    const { throughSequence: sequence } = period;
    const [entry] = await readEntries(pool, book.id, { after: sequence - 1n, upTo: sequence, limit: 1 });
    await push(`${JSON.stringify(await proveInclusion(pool, { entry: entry!, checkpoint }))}\n`);
    if (!previous?.checkpoint) return;
    const proof = await proveConsistency(pool, { first: previous.checkpoint, second: checkpoint });
    await push(`${JSON.stringify(proof)}\n`);
  });
}
