/**
 * Reads a long list page by page, and reads the next page while the caller works on the current one. `read` gets the
 * last row of the page before, or undefined for the first page. An empty page ends the list. Throws NoProgress for a page that ends as the one
 * before it.
 */
import { elsewhere } from '../values/progress.ts';

export async function* readAhead<Row>(
  read: (last: Row | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[], void> {
  let page = await read(undefined);
  while (page.length > 0) {
    const next = read(page.at(-1));
    // `next` is awaited below; until then its failure must not end the process.
    next.catch(() => undefined);
    yield page;
    const last = page.at(-1);
    page = await next;
    if (page.length > 0) elsewhere('pages', last, page.at(-1));
  }
}

/** Steps row by row through a list that is read in pages. */
export class RowReader<Row> {
  readonly #pages: AsyncGenerator<readonly Row[], void>;
  #page: readonly Row[] = [];
  #at = 0;
  #ended = false;

  constructor(read: (last: Row | undefined) => Promise<readonly Row[]>) {
    this.#pages = readAhead(read);
  }

  /** The current row, or undefined when the next page has to be read or the list has ended. */
  get front(): Row | undefined {
    return this.#page[this.#at];
  }

  get needsPage(): boolean {
    return this.#at >= this.#page.length && !this.#ended;
  }

  async turnPage(): Promise<void> {
    const { value, done } = await this.#pages.next();
    this.#page = value ?? [];
    this.#ended = done === true;
    this.#at = 0;
  }

  advance(): void {
    this.#at++;
  }

  /** Discards the page that was read ahead. */
  async close(): Promise<void> {
    await this.#pages.return();
  }
}
