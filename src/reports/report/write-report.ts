/**
 * Writes reports, page by page, beside the book: figures of its place never change, so no snapshot stays open and no lock is kept. A process
 * that dies is followed by another, which goes on behind the last page that was kept.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { StatementContradicted } from '../../accounts/statements/statement.ts';
import type { RowFailed } from '../../group/moved-rows.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import { failpoint } from '../../process/failpoints.ts';
import type { Uuid } from '../../values/ids.ts';
import { type Asked, FigureContradicted } from '../figures/figures.ts';
import { FIGURE_TYPES, type FigureName, isFigure, kindFor } from '../figures/kinds.ts';
import { placeAt } from '../figures/place.ts';
import { headOf } from '../figures/report-head.ts';
import { FigureWriter, type Format, type WriterState } from '../figures/write-figures.ts';
import { failReport, startReport, succeedReport } from './end-report.ts';
import { movedReports } from './moved-reports.ts';
import { type DocumentRuntime, openDocument, type ReportDocument } from './open-document.ts';
import { type FailureCode, REPORT_LIMITS, type Report } from './report.ts';
import { FileLost, type FileRuntime, FileTooLong, type ReachedPage, ReportFile } from './report-file.ts';
import { dropFile } from './report-file-store.ts';
import { reports } from './report-table.ts';

export interface WriteRuntime extends FileRuntime, DocumentRuntime {
  readonly committer: Pick<Committer, 'submit'>;
  readonly rowFailed: RowFailed;
}

const DAY_MS = 86_400_000;
/** After a page, as long a rest: half of a core and of a connection at most. */
const REST_MAX_MS = 1_000;

export class ReportWriting {
  readonly #runtime: WriteRuntime;
  /** The sweeper enqueues further jobs of a long report. */
  readonly #underWay = new Set<Uuid>();
  #closing = false;

  constructor(runtime: WriteRuntime) {
    this.#runtime = runtime;
  }

  /** Writes them one after the other. One that is ended, or that another process writes, is left alone. */
  async write(bookId: BookId, ids: readonly Uuid[]): Promise<void> {
    for (const id of ids) {
      if (this.#underWay.has(id) || this.#closing) continue;
      this.#underWay.add(id);
      try {
        await this.#writeOne(bookId, id);
      } catch (error) {
        if (!(error instanceof FileLost || error instanceof WritingStopped))
          await this.#runtime.rowFailed(movedReports, { bookId, id }, error);
      } finally {
        this.#underWay.delete(id);
      }
    }
  }

  /** What is under way stops behind its page; another process goes on there. */
  close(): void {
    this.#closing = true;
  }

  async #writeOne(bookId: BookId, id: Uuid): Promise<void> {
    const { pool, committer } = this.#runtime;
    const report = await reports.find(pool, bookId, id);
    if (report?.status !== 'pending' && report?.status !== 'running') return;
    const place = { bookId, reportId: id };
    let file = new ReportFile(this.#runtime, place);
    let reached = await file.take();
    if (reached && !isFigure(report.type)) {
      await dropFile(pool, place);
      file = new ReportFile(this.#runtime, place);
      reached = await file.take();
    }
    if (reached === undefined) return;
    if (report.status === 'pending') await committer.submit(bookId, startReport(id));
    try {
      if (isFigure(report.type)) await this.#fill(file, { bookId, report, type: report.type, reached });
      else await this.#fillWhole(file, bookId, report);
    } catch (error) {
      const failure = failureOf(error);
      if (failure === undefined) {
        await file.leave().catch(() => undefined);
        throw error;
      }
      await dropFile(pool, { bookId, reportId: id });
      await committer.submit(bookId, failReport(id, ...failure));
    }
  }

  async #fill(
    file: ReportFile,
    {
      bookId,
      report,
      type,
      reached,
    }: { bookId: BookId; report: Report; type: FigureName; reached: ReachedPage | null },
  ): Promise<void> {
    const { kind, origin, options } = await openReport(this.#runtime, bookId, { ...report, type });
    const writer = new FigureWriter(kind, options, reached?.writer);
    if (reached === null) await file.add(writer.begin(), { next: BEGINNING, writer: writer.state() });
    if (reached?.next !== null) {
      const from = reached === null || reached.next === BEGINNING ? undefined : reached.next;
      let last: ReachedPage = { next: from ?? BEGINNING, writer: writer.state() };
      let began = performance.now();
      for await (const { rows, next } of kind.rows(origin, from)) {
        const text = writer.page(rows);
        last = { next, writer: writer.state() };
        await file.add(text, last);
        if (this.#closing) {
          await file.keep(last);
          return file.leave();
        }
        await pause(Math.min(performance.now() - began, REST_MAX_MS));
        began = performance.now();
      }
      await file.add(writer.end(), { next: null, writer: writer.state() });
    }
    await this.#end(file, { bookId, report, state: writer.state(), digest: writer.digest });
  }

  /** Pages rest as those of figures do. */
  async #fillWhole(file: ReportFile, bookId: BookId, report: Report): Promise<void> {
    let document: ReportDocument | undefined;
    let began = performance.now();
    const reached = () => ({ next: null, writer: document?.state() ?? NOTHING });
    const breathe = async () => {
      if (this.#closing) throw new WritingStopped();
      if (file.isDue) await file.keep(reached());
      await pause(Math.min(performance.now() - began, REST_MAX_MS));
      began = performance.now();
    };
    document = await openDocument(this.#runtime, { bookId, report, breathe });
    for await (const text of document.content) await file.add(text, reached());
    for (const command of document.commands) await this.#runtime.committer.submit(bookId, command);
    await this.#end(file, { bookId, report, state: document.state(), digest: document.digest });
  }

  async #end(
    file: ReportFile,
    { bookId, report, state, digest }: { bookId: BookId; report: Report; state: WriterState; digest: string },
  ): Promise<void> {
    const { committer, clock } = this.#runtime;
    const { rows, totals } = state;
    const ended = await file.end(state);
    const expiresAt = clock.now() + REPORT_LIMITS.keptDays * DAY_MS;
    await file.close(expiresAt);
    failpoint('report.file.ended');
    await committer.submit(bookId, succeedReport(report.id, { rows, totals, ...ended, digest }, expiresAt));
  }
}

/** The process ends: another one begins a file that is made as a whole anew. */
class WritingStopped extends Error {
  override name = 'WritingStopped';
}

const NOTHING: WriterState = { rows: 0, totals: [], digest: '' };

/** Before the first page: what a kind calls its pages never begins with a space. */
const BEGINNING = ' ';

function failureOf(error: unknown): [FailureCode, string] | undefined {
  if (error instanceof FigureContradicted) return ['figures_contradicted', error.message];
  if (error instanceof StatementContradicted)
    return ['figures_contradicted', `${error.message}. Run \`npm run verify\`.`];
  if (error instanceof FileTooLong) return ['file_too_long', error.message];
  return undefined;
}

/** What the report is made of. The same for every writer of it. */
async function openReport(
  { pool }: Pick<WriteRuntime, 'pool'>,
  bookId: BookId,
  report: Report & { readonly type: FigureName },
) {
  const { type: name, from, to, axis, currency, throughSequence: sequence, chainHash, bom } = report;
  // A report of figures is accepted in one of the two.
  const format: Format = report.format === 'json' ? 'json' : 'csv';
  const of = { account: report.accountId ?? undefined, detail: report.detail ?? undefined };
  const type = FIGURE_TYPES[name];
  const { id, timeZone } = (await loadBook(pool, bookId))!;
  const book = { id, timeZone };
  const asked: Asked = { axis, from, to, currency: currency ?? undefined, ...of, sequence };
  const place = await placeAt(pool, book, { day: to, axis, sequence });
  const head = headOf({ name, of: type.of, book, asked, chainHash });
  return { kind: kindFor(type, asked), origin: { db: pool, book, asked, place }, options: { format, bom, head } };
}
