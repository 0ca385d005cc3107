/**
 * Bench `reconcile`: a camt.053 against as many payouts of a hundred books, taken by the command as an operator runs it: read, kept, posted, matched;
 * before it the mirror of those payouts, by the command with a statement of no lines. Beside each its rows by bare multi-row writes. At last a file
 * of ten times as many lines. After each file every line is matched by the rule that it is written for, with its own payout, or by none.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { LINES_PER_COMMAND } from '../../../src/reconciliation/statements/post-lines.ts';
import { outputOf } from '../../harness/build.ts';
import { say } from '../../harness/progress.ts';
import { withCommitter } from '../../intake-command.ts';
import { type BenchContext, type BenchResult, partsOf } from '../bench.ts';
import { runMeasured } from '../measured-command.ts';
import { prepareRows, type TableRows, writePrepared } from '../prepared-rows-store.ts';
import { type Measured, takeTurns } from '../slices.ts';
import { addDatabase, type Stage, setStage } from '../stage.ts';
import { median, round } from '../statistics.ts';
import { verifyLedger } from '../verify.ts';
import { BenchBank, Verdicts } from './bank.ts';
import { type Mark, markOf, type RunRows } from './matched-lines-store.ts';
import { openPayingBooks, type Paying, payMany } from './paid-payouts.ts';
import { BEFORE, fileRows, mirroredRows } from './written-rows-store.ts';

const BOOKS = 100;
const LARGE = 10;
const BARS = { ratio: 0.25, ratioLarge: 0.8, peakMb: 250 };
/** Of fewer lines the start of the command is a large part. */
const JUDGED_FROM = 100_000;
/** Some lines are left to people. */
const LEFT = 1;
const PARTS = ['turns', 'large'];

export async function benchReconcile(context: BenchContext): Promise<BenchResult> {
  const { closing, seconds, payouts: lines, profile } = context;
  const parts = partsOf(context, PARTS);
  const stage = await setStage(closing, { queue: null, profile });
  await addDatabase(stage, 'ceiling');
  const url = stage.postgres.urlFor('owner', 'ceiling');
  const ceiling = createPool({ url, name: 'ceiling', size: 2, log: stage.log });
  closing.add('connections of the owner', () => ceiling.end());
  const folder = mkdtempSync(join(tmpdir(), 'reconcile-bench-'));
  closing.add('files', () => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
  const books = await openPayingBooks(stage.pool, BOOKS);
  return withCommitter(stage.pool, async (committer) => {
    const bank = await BenchBank.open(stage.pool, committer, folder);
    const bench = new Bench(stage, { ceiling, bank, paying: { pool: stage.pool, committer, books } });
    const turns = parts.includes('turns') ? await bench.inTurns(lines, seconds) : undefined;
    const peakMb = bench.peakMb;
    const large = parts.includes('large') ? await bench.large(lines * LARGE) : undefined;
    return result({ stage, lines, turns, large, peakMb, bench });
  });
}

interface Turns {
  readonly linesPerSecond: number;
  readonly ceilingPerSecond: number;
  readonly ratio: number;
  readonly mirrorPerSecond: number;
  readonly mirrorCeilingPerSecond: number;
  readonly mirrorRatio: number;
  readonly seconds: number;
}

class Bench {
  readonly verdicts = new Verdicts();
  /** Of commands so far. */
  peakMb = 0;
  readonly #stage: Stage;
  readonly #ceiling: Pool;
  readonly #bank: BenchBank;
  readonly #paying: Paying;
  #next = 1;

  constructor(stage: Stage, { ceiling, bank, paying }: { ceiling: Pool; bank: BenchBank; paying: Paying }) {
    this.#stage = stage;
    this.#ceiling = ceiling;
    this.#bank = bank;
    this.#paying = paying;
  }

  async inTurns(lines: number, seconds: number): Promise<Turns> {
    const { bookId } = this.#bank;
    const batches = Math.ceil(lines / LINES_PER_COMMAND);
    const taken: number[] = [];
    let [from, before, mirrored, after] = [this.#next, await this.#mark(), await this.#mark(), await this.#mark()];
    let run: RunRows | undefined;
    await this.#write(BEFORE, { runId: bookId, batches: 1 });
    const slices = [
      {
        name: 'mirror',
        run: async () => {
          from = this.#next;
          await this.#pay(lines);
          before = await this.#mark();
          const measured = await this.#mirror(lines);
          mirrored = await this.#mark();
          return measured;
        },
      },
      { name: 'mirror_ceiling', run: () => this.#ceilingOf(mirroredRows(before, mirrored), { lines, batches }) },
      {
        name: 'file',
        run: async () => {
          const measured = await this.#take(from, lines);
          after = await this.#mark();
          ({ run } = measured);
          taken.push(measured.seconds);
          return measured;
        },
      },
      {
        name: 'ceiling',
        run: () => this.#ceilingOf(fileRows(mirrored, after), { lines, batches, runId: run!.runId }),
      },
    ];
    const { rate, ratio } = await takeTurns(slices, seconds, { warmUpRounds: 0 });
    return {
      ...{ linesPerSecond: rate('file'), ceilingPerSecond: rate('ceiling'), ratio: ratio('file', 'ceiling') },
      ...{ mirrorPerSecond: rate('mirror'), mirrorCeilingPerSecond: rate('mirror_ceiling') },
      ...{ mirrorRatio: ratio('mirror', 'mirror_ceiling'), seconds: median(taken) },
    };
  }

  /** Lines a second of one file. */
  async large(lines: number): Promise<{ readonly perSecond: number; readonly seconds: number }> {
    const from = this.#next;
    await this.#pay(lines);
    await this.#mirror(lines);
    const { seconds } = await this.#take(from, lines);
    return { perSecond: lines / seconds, seconds };
  }

  async #pay(count: number): Promise<void> {
    const onPaid = (paid: number) => paid % 100_000 === 0 && say(`${paid} of ${count} payouts are paid`);
    await payMany(this.#paying, { from: this.#next, count, onPaid });
    this.#next += count;
  }

  /** What a statement of a day without lines leads to is the mirror of what moved since the one before. */
  async #mirror(count: number): Promise<Measured> {
    const { seconds } = await this.#take(this.#next, 0);
    return { count, seconds };
  }

  async #take(from: number, lines: number): Promise<Measured & { readonly run: RunRows }> {
    const bookIds = this.#paying.books.map(({ id }) => id);
    const file = await this.#bank.write({ from, lines, bookIds });
    const { code, seconds, peakMb } = await runMeasured(this.#stage, ['reconcile', file.path, '--mode', 'test']);
    if (code !== 0 && code !== LEFT) throw new Error(`The file was not taken: ${code}`);
    this.peakMb = Math.max(this.peakMb, peakMb);
    if (lines > 0) say(`${lines} lines in ${round(seconds, 1)} s`);
    return { count: lines, seconds, run: await this.#bank.judge(file, this.verdicts) };
  }

  #mark(): Promise<Mark> {
    return markOf(this.#stage.pool, this.#bank.bookId);
  }

  async #ceilingOf(
    tables: readonly TableRows[],
    { lines, batches, runId = this.#bank.bookId }: { lines: number; batches: number; runId?: string },
  ): Promise<Measured> {
    return { count: lines, seconds: await this.#write(tables, { runId, batches }) };
  }

  /** Resolves to the seconds that the writes took. */
  async #write(tables: readonly TableRows[], { runId, batches }: { runId: string; batches: number }): Promise<number> {
    const ids = [this.#bank.bookId, runId] as const;
    const prepared = await Promise.all(
      tables.map((table) => prepareRows(this.#stage.pool, table, { ids: [...ids], batches })),
    );
    const began = performance.now();
    await writePrepared(this.#ceiling, prepared, batches);
    return (performance.now() - began) / 1_000;
  }
}

interface Ended {
  readonly stage: Stage;
  readonly lines: number;
  readonly turns: Turns | undefined;
  readonly large: { readonly perSecond: number; readonly seconds: number } | undefined;
  /** Before the large file. */
  readonly peakMb: number;
  readonly bench: Bench;
}

async function result({ stage, lines, turns, large, peakMb, bench }: Ended): Promise<BenchResult> {
  const { verdicts } = bench;
  const { build, environment } = stage;
  const report = await outputOf(
    build.root,
    ['report', 'bank-reconciliation', '--mode', 'test', '--format', 'json'],
    environment,
  );
  const checked = await verifyLedger(stage);
  const precision = verdicts.right / verdicts.confirmed;
  const recall = verdicts.right / verdicts.meant;
  const ratioLarge = turns && large && large.perSecond / turns.linesPerSecond;
  const isJudged = lines >= JUDGED_FROM;
  for (const wrong of verdicts.wrong) say(wrong);
  const missed = [
    ...(verdicts.wrong.length > 0 ? ['some lines were not matched as they were meant'] : []),
    ...(isJudged && turns && turns.ratio < BARS.ratio ? [`a file: ${round(turns.ratio, 3)} of the bare writes`] : []),
    ...(isJudged && turns && turns.mirrorRatio < BARS.ratio
      ? [`the mirror: ${round(turns.mirrorRatio, 3)} of the bare writes`]
      : []),
    ...(isJudged && ratioLarge !== undefined && ratioLarge < BARS.ratioLarge
      ? [`the large file at ${round(ratioLarge, 3)} of the rate`]
      : []),
    ...(bench.peakMb > BARS.peakMb ? [`the command had ${round(bench.peakMb)} MB`] : []),
  ];
  return {
    versions: stage.versions,
    checked: { ...checked, bank_reconciliation: (JSON.parse(report) as { ok?: boolean }).ok },
    missed,
    fields: {
      lines,
      ...(turns && {
        lines_per_s: round(turns.linesPerSecond),
        ceiling_per_s: round(turns.ceilingPerSecond),
        ratio: round(turns.ratio, 3),
        mirror_per_s: round(turns.mirrorPerSecond),
        mirror_ceiling_per_s: round(turns.mirrorCeilingPerSecond),
        mirror_ratio: round(turns.mirrorRatio, 3),
        seconds_of_a_file: round(turns.seconds, 1),
        peak_mb: round(peakMb),
      }),
      ...(large && {
        large_lines: lines * LARGE,
        large_per_s: round(large.perSecond),
        seconds_of_large: round(large.seconds, 1),
        peak_1m_mb: round(bench.peakMb),
      }),
      ...(ratioLarge !== undefined && { ratio_1m: round(ratioLarge, 3) }),
      ...{ precision, recall, by_rule: verdicts.byRule },
    },
  };
}
