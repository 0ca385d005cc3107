/** A process of bench `export`: writes the general ledger of a book, and nothing else, so that its memory is that of an export. */
import { dayOf } from '../../src/calendar/day.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { loadBook } from '../../src/ledger/book/book-store.ts';
import { createLogger } from '../../src/process/log.ts';
import { generalLedger } from '../../src/reports/figures/general-ledger.ts';
import { writeFigures } from '../../src/reports/figures/write-figures.ts';

export interface ExportAsked {
  readonly url: string;
  readonly bookId: string;
}

export interface Exported {
  readonly ms: number;
  readonly lines: number;
  readonly openings: number;
  readonly peakMb: number;
}

const SAMPLE_MS = 20;
let pool: Pool | undefined;

process.on('message', async ({ url, bookId }: ExportAsked) => {
  pool ??= createPool({ url, name: 'exporter', size: 2, log: createLogger('silent', 'bench') });
  let peakMb = 0;
  const sampling = setInterval(() => {
    peakMb = Math.max(peakMb, process.memoryUsage.rss() / 1_000_000);
  }, SAMPLE_MS);
  const started = performance.now();
  const counted = await exportOf(pool, bookId);
  clearInterval(sampling);
  process.send!({ ms: performance.now() - started, ...counted, peakMb } satisfies Exported);
});

/** Its bytes are made and dropped. Throws where debits are not credits. */
async function exportOf(pool: Parameters<typeof loadBook>[0], id: string) {
  const book = (await loadBook(pool, id))!;
  const [from, to] = ['2000-01-01', dayOf(book.lastPostedAt, book.timeZone)];
  const sequence = book.entrySequence;
  const asked = { axis: 'posted', from, to, detail: 'entry', sequence } as const;
  const place = { sequence, postedThrough: sequence, day: null };
  let openings = 0;
  async function* pages() {
    for await (const page of generalLedger.rows({ db: pool, book, asked, place })) {
      openings += page.rows.filter(({ step }) => step === 'opening').length;
      yield page;
    }
  }
  const written = await writeFigures(generalLedger, pages(), { format: 'csv', bom: false, head: {} }, () => undefined);
  return { lines: written.rows - openings, openings };
}
process.once('disconnect', () => process.exit());
