/** How the product's processes committed, by their own metrics. */

export interface BatchCounters {
  readonly batches: number;
  readonly commands: number;
  readonly books: number;
  /** Books that a shared batch left out, because another transaction had locked them. */
  readonly skipped: number;
  readonly dissolved: number;
}

const NAMES = {
  batches: 'countinghouse_batch_commands_count',
  commands: 'countinghouse_batch_commands_sum',
  books: 'countinghouse_batch_books_sum',
  skipped: 'countinghouse_batch_books_skipped_total',
  dissolved: 'countinghouse_batches_dissolved_total',
} as const;

/** Sums over processes and labels. */
export async function readBatches(urls: readonly string[]): Promise<BatchCounters> {
  const pages = await Promise.all(urls.map(async (url) => (await fetch(`${url}/metrics`)).text()));
  const lines = pages.flatMap((page) => page.split('\n'));
  const sum = (name: string) =>
    lines
      .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
      .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' '))), 0);
  return Object.fromEntries(Object.entries(NAMES).map(([key, name]) => [key, sum(name)])) as unknown as BatchCounters;
}
