/**
 * The part of `npm run import -- opening` that is about own accounts: entries between each of them and an account of equity, over the API. A hundred lines are
 * one request under a key of the file and its place, so whoever is killed and run again books each line once.
 */
import { type OpeningLine, type OpeningTotal, readOpenings } from '../src/inbound/openings/opening-file.ts';
import { BadInput } from '../src/intake/bad-input.ts';
import { formatAmount } from '../src/money/amount.ts';
import { toJson } from '../src/values/json.ts';
import { elsewhere } from '../src/values/progress.ts';
import { type ApiClient, apiClient, DONE, Failed, REFUSED } from './api-client.ts';
import { rowProgress } from './row-progress.ts';

export interface ImportOwn {
  readonly bytes: Buffer;
  /** The code of the account on the other side. */
  readonly equity: string;
  readonly on?: string;
  readonly url?: string;
  readonly dryRun?: true;
  readonly json?: true;
}

interface ChartAccount {
  readonly id: string;
  readonly code: string;
  readonly origin: 'system' | 'customer' | 'own';
  readonly type: string;
  readonly normal_side: 'debit' | 'credit';
  readonly currency: string;
  readonly status: 'open' | 'archived';
}

interface Page<One> {
  readonly data: readonly One[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

/** Of a request: so many entries a batch may have. */
const LINES_PER_REQUEST = 100;
const ACCOUNTS_PER_PAGE = 100;

/** Resolves to whether every line is booked. Throws BadInput, with the line of the file, and Failed. */
export async function importOwn({ bytes, equity, on, url, dryRun, json }: ImportOwn): Promise<boolean> {
  const file = readOpenings(bytes);
  const api = apiClient({ url, scopes: 'journal:read and journal:write' });
  const chart = await readChart(api);
  const named = file.lines.map((line) => ({ line, account: chart.accountOf(line, equity) }));
  const others = equityOf(chart, { equity, totals: file.totals });
  const lines = named.filter(({ line }) => line.amount !== 0n);
  const parts = Array.from({ length: Math.ceil(lines.length / LINES_PER_REQUEST) }, (_, part) =>
    lines.slice(part * LINES_PER_REQUEST, (part + 1) * LINES_PER_REQUEST),
  );
  const idOf = new Map(others.map(({ currency, account }) => [currency, account?.id]));
  if (!dryRun)
    for (const { currency, account } of others)
      if (account === undefined) idOf.set(currency, await openEquity(api, { equity, currency }));
  const run: Run = { api, sha256: file.sha256, on, otherOf: (currency) => idOf.get(currency) };
  const known = await tryAll(run, parts);
  if (!dryRun) await bookAll(run, parts);
  const booked = lines.length - known;
  if (json)
    console.log(
      toJson({
        ok: true,
        ...(dryRun && { dry_run: true }),
        sha256: file.sha256,
        lines: lines.length,
        booked,
        known,
        totals: file.totals,
      }),
    );
  else {
    const sums = file.totals.map(({ currency, amount }) => formatAmount(amount, currency)).join(', ');
    console.log(
      `${booked} lines ${dryRun ? 'would be' : 'are'} booked against ${equity}, ${known} were before: ${sums}.`,
    );
  }
  return true;
}

class Chart {
  readonly #byName = new Map<string, ChartAccount>();

  constructor(accounts: readonly ChartAccount[]) {
    for (const account of accounts) {
      this.#byName.set(`${account.id} ${account.currency}`, account);
      this.#byName.set(account.id, account);
      this.#byName.set(`${account.code} ${account.currency}`, account);
    }
  }

  find(name: string, currency: string): ChartAccount | undefined {
    return this.#byName.get(`${name} ${currency}`);
  }

  /** Throws BadInput with the line where it is not booked there. */
  accountOf({ row, account: name, currency }: OpeningLine, equity: string): ChartAccount {
    const found = this.find(name, currency);
    if (found === undefined) {
      const other = this.#byName.get(name);
      if (other) throw new BadInput(row, `${name} is kept in ${other.currency}.`);
      throw new BadInput(
        row,
        `${name} is no own account of this book in ${currency}. Balances of customers are imported with --customers-of.`,
      );
    }
    if (found.status !== 'open') throw new BadInput(row, `${name} is archived.`);
    if (found.code === equity) throw new BadInput(row, `${name} is the account on the other side (--equity).`);
    return found;
  }
}

/** At most 1,000 own accounts a book. */
async function readChart(api: ApiClient): Promise<Chart> {
  const accounts: ChartAccount[] = [];
  let cursor: string | null = null;
  do {
    const behind: string = cursor === null ? '' : `&starting_after=${encodeURIComponent(cursor)}`;
    const page: Page<ChartAccount> = await api.get(
      `/v1/journal/accounts?origin=own&limit=${ACCOUNTS_PER_PAGE}${behind}`,
    );
    accounts.push(...page.data);
    cursor = page.has_more ? elsewhere('own accounts', cursor, page.next_cursor) : null;
  } while (cursor !== null);
  return new Chart(accounts);
}

interface Other {
  readonly currency: string;
  /** Undefined where it does not exist yet. */
  readonly account: ChartAccount | undefined;
}

function equityOf(
  chart: Chart,
  { equity, totals }: { readonly equity: string; readonly totals: readonly OpeningTotal[] },
): Other[] {
  return totals.map(({ currency }) => {
    const account = chart.find(equity, currency);
    if (account && (account.type !== 'equity' || account.status !== 'open'))
      throw new BadInput(
        null,
        `${equity} in ${currency} is no open account of equity. Name another one: --equity CODE.`,
      );
    return { currency, account };
  });
}

/** Its code is unique: one that another run has made is found. */
async function openEquity(
  api: ApiClient,
  { equity, currency }: { readonly equity: string; readonly currency: string },
): Promise<string> {
  const body = { code: equity, name: 'Opening balances', type: 'equity', currency };
  const { id } = await api.postOnce<ChartAccount>(
    '/v1/journal/accounts',
    body,
    `opening-equity-${encodeURIComponent(equity)}-${currency}`,
  );
  return id;
}

interface NamedLine {
  readonly line: OpeningLine;
  readonly account: ChartAccount;
}

interface Run {
  readonly api: ApiClient;
  readonly sha256: string;
  readonly on: string | undefined;
  /** The account on the other side. Undefined in a dry run that would make it. */
  otherOf(currency: string): string | undefined;
}

const BATCHES = '/v1/journal/entries/batches';

/**
 * Asks of each part that is not booked yet whether it would be: what refuses one refuses the file before anything is booked. Resolves to how many
 * lines are booked by now.
 */
async function tryAll(run: Run, parts: readonly (readonly NamedLine[])[]): Promise<number> {
  let known = 0;
  for (const part of parts) {
    if (await isBooked(run, part[0]!)) known += part.length;
    // Without the other account there is nothing to ask about.
    else if (part.every(({ line }) => run.otherOf(line.currency) !== undefined))
      await run.api.post(`${BATCHES}?dry_run=true`, bodyOf(run, part)).catch((error) => withRow(error, part));
  }
  return known;
}

async function isBooked({ api, sha256 }: Run, first: NamedLine): Promise<boolean> {
  const name = encodeURIComponent(nameOf(sha256, first));
  let cursor: string | null = null;
  do {
    const behind: string = cursor === null ? '' : `&starting_after=${encodeURIComponent(cursor)}`;
    const page: Page<object> = await api.get(`/v1/journal/entries?external_id=${name}&limit=1${behind}`);
    if (page.data.length > 0) return true;
    // A page is bounded by what it looks at, and may be empty.
    cursor = page.has_more ? elsewhere('entries of a line', cursor, page.next_cursor) : null;
  } while (cursor !== null);
  return false;
}

async function bookAll(run: Run, parts: readonly (readonly NamedLine[])[]): Promise<void> {
  const progress = rowProgress();
  const total = BigInt(parts.flat().length);
  let done = 0n;
  try {
    for (const part of parts) {
      const key = `opening-${run.sha256}-${part[0]!.line.row}`;
      await run.api.postOnce(BATCHES, bodyOf(run, part), key).catch((error) => {
        if (done === 0n) withRow(error, part);
        throw new Error(`${done} of ${total} lines are booked; run it again to go on. ${(error as Error).message}`);
      });
      done += BigInt(part.length);
      progress.show({ done, total, what: 'lines of the file' });
    }
  } finally {
    progress.end();
  }
}

/** As entries name the line: the file by the beginning of its SHA-256, and the line. */
const nameOf = (sha256: string, { line }: NamedLine) => `opening:${sha256.slice(0, 16)}:${line.row}`;

/** A positive amount stands on the account's own side. */
function bodyOf({ sha256, on, otherOf }: Run, part: readonly NamedLine[]): object {
  return {
    entries: part.map(({ line, account }) => {
      const { currency, amount } = line;
      const other = otherOf(currency)!;
      const isDebit = (account.normal_side === 'debit') === amount > 0n;
      const [debit, credit] = isDebit ? [account.id, other] : [other, account.id];
      return {
        postings: [{ debit, credit, currency, amount: Number(amount < 0n ? -amount : amount) }],
        description: 'Opening balance',
        external_id: nameOf(sha256, { line, account }),
        ...(on !== undefined && { effective_on: on }),
      };
    }),
  };
}

/** Names the line of the file where the API names an entry of the request. */
function withRow(error: unknown, part: readonly NamedLine[]): never {
  if (!(error instanceof Failed) || error.exitCode === DONE) throw error;
  if (error.code === 'idempotency_key_reused')
    throw new Failed(REFUSED, 'This file was booked before, with another --equity or --on. Nothing is booked twice.');
  const at = /^\/entries\/(\d+)\//.exec(error.param ?? '')?.[1];
  if (error.exitCode !== REFUSED || at === undefined) throw error;
  throw new BadInput(part[Number(at)]!.line.row, error.message);
}
