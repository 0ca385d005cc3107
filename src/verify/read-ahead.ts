/**
 * Reads a long list page by page, the next one while the one before is being worked on. `read` gets the last row it gave, or
 * undefined at the beginning; an empty page is the end.
 */
export async function* readAhead<Row>(
  read: (last: Row | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[], void> {
  let page = await read(undefined);
  while (page.length > 0) {
    const next = read(page.at(-1));
    // It is awaited below; until then its failure must not end the process.
    next.catch(() => undefined);
    yield page;
    page = await next;
  }
}

/** One row after the other of a list that is read in pages. */
export class RowReader<Row> {
  readonly #pages: AsyncGenerator<readonly Row[], void>;
  #page: readonly Row[] = [];
  #at = 0;
  #ended = false;

  constructor(read: (last: Row | undefined) => Promise<readonly Row[]>) {
    this.#pages = readAhead(read);
  }

  /** The row in front, or undefined at the end. Waits only where a page begins. */
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

  /** Lets go of what was read ahead. */
  async close(): Promise<void> {
    await this.#pages.return();
  }
}
