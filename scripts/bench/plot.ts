/**
 * Draws results beside their bars: `npx tsx scripts/bench/plot.ts docs/plots/results.jsonl > docs/plots/benches.svg`.
 * The file has a line of --json output for each run. The last run of a bench and backend is drawn.
 */
import { readFileSync } from 'node:fs';

interface Run {
  bench: string;
  queue: string;
  date: string;
  revision: string | null;
  machine: Record<string, string | number>;
  [field: string]: unknown;
}

interface Row {
  bench: string;
  queue?: string;
  field: string;
  title: string;
  /** The bar in BARS.md; the audit may cost two hundredths. */
  bar: number;
  /** For times and sizes, where less is better. */
  less?: true;
}

const REDIS = { queue: 'redis' };
const POSTGRES = { queue: 'postgres' };

const ROWS: readonly Row[] = [
  { bench: 'ledger', field: 'ratio', title: 'ledger: entries ÷ bare INSERT', bar: 0.4 },
  { bench: 'ledger', field: 'hot_ratio', title: 'ledger: one hot account ÷ uniform', bar: 1 },
  { bench: 'ledger', field: 'concurrent_ratio', title: 'ledger: 64 callers ÷ one by one', bar: 10 },
  { bench: 'ledger', field: 'books4_ratio', title: 'ledger: four books ÷ one', bar: 1.3 },
  { bench: 'accept', ...REDIS, field: 'ratio', title: 'accept ÷ bare Express', bar: 0.45 },
  { bench: 'payouts', ...REDIS, field: 'ratio', title: 'payouts ÷ bare Express, Redis', bar: 0.12 },
  { bench: 'payouts', ...REDIS, field: 'p99_ms', title: 'payouts, p99 to delivery, ms, Redis', bar: 250, less: true },
  { bench: 'payouts', ...POSTGRES, field: 'ratio', title: 'payouts ÷ bare Express, Postgres', bar: 0.05 },
  { bench: 'payments', ...REDIS, field: 'ratio', title: 'payments ÷ bare Express, Redis', bar: 0.08 },
  { bench: 'payments', ...REDIS, field: 'p99_ms', title: 'payments, p99 to delivery, ms, Redis', bar: 300, less: true },
  { bench: 'webhooks', ...REDIS, field: 'ratio', title: 'webhooks ÷ bare POSTs', bar: 0.4 },
  { bench: 'growth', field: 'ratio_to_empty', title: 'growth: grown ÷ empty ledger', bar: 0.8 },
  { bench: 'growth', field: 'page_p99_ms', title: 'growth: page of 100 lines, p99 ms', bar: 20, less: true },
  { bench: 'growth', field: 'at_p99_ms', title: 'growth: balance at a moment, p99 ms', bar: 20, less: true },
  { bench: 'memory', ...REDIS, field: 'api_mb', title: 'memory: API, MB', bar: 250, less: true },
  { bench: 'memory', ...REDIS, field: 'worker_mb', title: 'memory: worker, MB', bar: 250, less: true },
  { bench: 'memory', ...REDIS, field: 'backlog_mb', title: 'memory: more with a backlog, MB', bar: 50, less: true },
  { bench: 'audit', ...REDIS, field: 'ratio', title: 'audit: posting beside it ÷ alone', bar: 0.98 },
];

const WIDTH = 820;
const LEFT = 290;
const RIGHT = 150;
const TOP = 64;
const ROW_HEIGHT = 34;
const BAR_HEIGHT = 18;
/** The axis counts in bars: each row must reach 1. */
const AXIS_MIN = 2;
/** A row that goes further is cut off here; its number stands beside it. */
const AXIS_MAX = 5;

const runs = readFileSync(process.argv[2] ?? 'docs/plots/results.jsonl', 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line) as Run);

const drawn = ROWS.flatMap((row) => {
  const run = runs.findLast(
    ({ bench, queue }) => bench === row.bench && (row.queue === undefined || queue === row.queue),
  );
  const value = run?.[row.field];
  return typeof value === 'number' ? [{ ...row, value, run: run! }] : [];
});
if (drawn.length === 0) throw new Error('There is no result to draw');

/** How far a row reaches, in bars: 1 just meets the bar, whichever direction is better. */
const reached = ({ value, bar, less }: Row & { value: number }) =>
  less ? bar / Math.max(value, bar / 100) : value / bar;
const axisEnd = Math.min(Math.max(AXIS_MIN, ...drawn.map(reached)), AXIS_MAX);
const x = (bars: number) => LEFT + (Math.min(bars, axisEnd) / axisEnd) * (WIDTH - LEFT - RIGHT);
const height = TOP + drawn.length * ROW_HEIGHT + 56;

const rows = drawn.map((row, index) => {
  const { title, value, bar, less } = row;
  const y = TOP + index * ROW_HEIGHT + (ROW_HEIGHT - BAR_HEIGHT) / 2;
  const fill = reached(row) >= 1 ? '#2f7d5b' : '#b5482f';
  return `
  <text x="${LEFT - 12}" y="${y + 13}" text-anchor="end">${title}</text>
  <rect x="${LEFT}" y="${y}" width="${(x(reached(row)) - LEFT).toFixed(1)}" height="${BAR_HEIGHT}" fill="${fill}"/>
  <text x="${WIDTH - RIGHT + 12}" y="${y + 13}">${value} <tspan class="quiet">(bar ${less ? '≤ ' : ''}${bar})</tspan></text>`;
});

const ticks = Array.from({ length: Math.floor(axisEnd) + 1 }, (_, bars) => {
  const bottom = TOP + drawn.length * ROW_HEIGHT;
  const kind = bars === 1 ? 'bar' : 'tick';
  return `
  <line x1="${x(bars)}" x2="${x(bars)}" y1="${TOP - 6}" y2="${bottom}" class="${kind}"/>
  <text x="${x(bars)}" y="${bottom + 18}" text-anchor="middle" class="quiet">${bars}</text>`;
});

const newest = drawn.map(({ run }) => run).reduce((a, b) => (a.date > b.date ? a : b));
const { cores, node, postgres } = newest.machine;
console.log(`<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="13" fill="#1d2430">
  <style>.quiet { fill: #68707d; } .tick { stroke: #e1e4e8; } .bar { stroke: #1d2430; }</style>
  <rect width="${WIDTH}" height="${height}" fill="#ffffff"/>
  <text x="16" y="26" font-size="16" font-weight="600">Benches beside their bars</text>
  <text x="16" y="46" class="quiet">${newest.date.slice(0, 10)}, ${cores} cores, Node ${node}, Postgres ${postgres}, fsync on. Each ratio compares two things of one run.</text>${ticks.join('')}${rows.join('')}
  <text x="${LEFT}" y="${height - 14}" class="quiet">times as good as the bar asks for; what is far beyond is cut off</text>
</svg>`);
