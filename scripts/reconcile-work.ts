/**
 * `npm run reconcile -- list | match | allocate | approve`: what a person does with lines that no rule explains, through the API with the person's
 * key in COUNTINGHOUSE_API_KEY. Exits 0 when it is done, 1 when something waits for people, 2 when the request is refused, 3 when the API does not answer.
 */
import { Command, InvalidArgumentError } from 'commander';
import { formatAmount } from '../src/money/amount.ts';
import {
  type ApiClient,
  type ApiOptions,
  apiClient,
  DONE,
  Failed,
  LEFT,
  REFUSED,
  runThroughApi,
} from './api-client.ts';

interface Line {
  readonly id: string;
  readonly booked_on: string;
  readonly amount_open: number;
  readonly currency: string;
  readonly counterparty: { readonly name: string | null };
  readonly text: string | null;
  readonly exception: string | null;
}

interface Match {
  readonly id: string;
  readonly status: string;
  readonly version: number;
  readonly rule: string;
  readonly reason: string | null;
}

interface Statement {
  readonly id: string;
  readonly version: number;
  readonly number: string | null;
  readonly decision: string | null;
  readonly findings: readonly { readonly code: string }[];
}

interface Exception {
  readonly id: string;
  readonly status: string;
  readonly version: number;
}

interface Page<One> {
  readonly data: readonly One[];
  readonly has_more: boolean;
}

const PAGE = 100;
const AT = '/v1/transactions';

export function reconcileWork(): Command[] {
  return [listCommand(), matchCommand(), allocateCommand(), approveCommand()];
}

function command(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--url <url>', 'the API; without it COUNTINGHOUSE_URL, or what `npm start` runs')
    .option('--json', 'print one JSON object')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? DONE : REFUSED));
}

function listCommand(): Command {
  return command(
    'list',
    'Lists what waits for people: lines, matches that are proposed, held statements. Exits 1 if something does.',
  )
    .option('--bank-account <id>', 'of this bank account alone (ba_…)')
    .action((options: ApiOptions & { bankAccount?: string }) =>
      runThroughApi(() => list(options), options, 'list what waits'),
    );
}

async function list({ url, json, bankAccount }: ApiOptions & { bankAccount?: string }): Promise<number> {
  const api = apiClient({ url, scopes: 'reconciliations:read' });
  const of = bankAccount === undefined ? '' : `&bank_account=${encodeURIComponent(bankAccount)}`;
  const lines = await api.get<Page<Line>>(`${AT}/bank_lines?status=open&status=partly_matched&limit=${PAGE}${of}`);
  const statements = await api.get<Page<Statement>>(`${AT}/bank_statements?status=held&limit=${PAGE}${of}`);
  const matches = await api.get<Page<Match>>(`${AT}/matches?status=proposed&limit=${PAGE}`);
  const waiting = lines.data.length + statements.data.length + matches.data.length;
  if (json) console.log(JSON.stringify({ ok: waiting === 0, lines, statements, matches }));
  else {
    for (const line of lines.data) console.log(lineText(line));
    for (const { id, version, rule, reason } of matches.data)
      console.log(`${id} version ${version}  proposed by ${rule}: ${reason ?? ''}`);
    for (const { id, version, number, decision, findings } of statements.data)
      console.log(
        `${id} version ${version}  statement ${number ?? ''} is held: ${findings.map(({ code }) => code).join(', ')}${decision === null ? '' : `; ${decision} waits for approval`}`,
      );
    if ([lines, statements, matches].some(({ has_more: hasMore }) => hasMore))
      console.log(`There are more: the newest ${PAGE} of each are shown.`);
    if (waiting === 0) console.log('Nothing waits.');
  }
  return waiting === 0 ? DONE : LEFT;
}

function lineText({ id, booked_on: on, amount_open: open, currency, counterparty, text, exception }: Line): string {
  const about = [counterparty.name, text].filter(Boolean).join(', ');
  return `${id}  ${on}  ${formatAmount(BigInt(open), currency)}  ${about}${exception === null ? '' : `  (${exception})`}`;
}

interface MatchOptions extends ApiOptions {
  readonly item: readonly string[];
  readonly reason: string;
  readonly differenceTo?: string;
}

function matchCommand(): Command {
  return command('match', 'Proposes that lines show these items. Another person approves.')
    .argument('<lines...>', 'lines of statements (bln_…)')
    .requiredOption('--item <ids...>', 'what they show (xit_…)')
    .requiredOption('--reason <text>', 'why')
    .option(
      '--difference-to <account>',
      'where a difference is booked: rail_costs, bank_charges, differences, interest',
    )
    .action((lines: readonly string[], options: MatchOptions) =>
      runThroughApi(() => match(lines, options), options, 'propose the match'),
    );
}

async function match(
  lines: readonly string[],
  { url, json, item, reason, differenceTo }: MatchOptions,
): Promise<number> {
  const api = apiClient({ url, scopes: 'reconciliations:write' });
  const difference = differenceTo === undefined ? {} : { difference_to: differenceTo };
  const made = await api.post<Match>(`${AT}/matches`, { lines, items: item, ...difference, reason });
  console.log(
    json
      ? JSON.stringify(made)
      : `${made.id} is proposed. Another person: npm run reconcile -- approve ${made.id} --version ${made.version}`,
  );
  return DONE;
}

function allocateCommand(): Command {
  return command(
    'allocate',
    'Gives a credit that no account received to a book, to an account of that book, or to an account of the key’s own book.',
  )
    .argument('<exception>', 'the exception of the credit (exc_…)')
    .option('--book <id>', "a customer's book (book_…), with a key of the operator's")
    .option('--account <id>', 'an account (acct_…): of --book, or with a key of its own book; another person approves')
    .action((exception: string, options: AllocateOptions) =>
      runThroughApi(() => allocate(exception, options), options, 'allocate the credit'),
    );
}

interface AllocateOptions extends ApiOptions {
  readonly book?: string;
  readonly account?: string;
}

async function allocate(exception: string, { url, json, book, account }: AllocateOptions): Promise<number> {
  if (book === undefined && account === undefined)
    throw new Failed(REFUSED, 'Say to what the credit is allocated: --book, --account, or both.');
  const api = apiClient({ url, scopes: 'exceptions:write' });
  const path = `/v1/exceptions/${encodeURIComponent(exception)}`;
  const answer =
    book === undefined
      ? await api.post<Exception>(`${path}/move_to`, { account })
      : await api.post<Exception>(`${path}/allocate`, { book, ...(account !== undefined && { account }) });
  const next =
    account !== undefined
      ? ` Another person: npm run reconcile -- approve ${answer.id} --version ${answer.version}`
      : '';
  console.log(json ? JSON.stringify(answer) : `${answer.id} is ${answer.status}.${next}`);
  return DONE;
}

function approveCommand(): Command {
  return command('approve', 'Approves what another person proposed or decided.')
    .argument('<id>', 'a match (mtc_…), a statement (bst_…) or an exception (exc_…)')
    .requiredOption('--version <n>', 'the version that you have looked at', parseVersion)
    .action((id: string, options: ApiOptions & { version: number }) =>
      runThroughApi(() => approve(id, options), options, 'approve'),
    );
}

async function approve(id: string, { url, json, version }: ApiOptions & { version: number }): Promise<number> {
  const api = apiClient({ url, scopes: 'reconciliations:approve, or exceptions:approve' });
  const answer = await approved(api, id, version);
  console.log(json ? JSON.stringify(answer) : `${answer.id} is ${answer.status}.`);
  return DONE;
}

const APPROVED_AT: Readonly<Record<string, string>> = {
  mtc: `${AT}/matches`,
  bst: `${AT}/bank_statements`,
  exc: '/v1/exceptions',
};

function approved(api: ApiClient, id: string, version: number): Promise<Exception> {
  const path = APPROVED_AT[id.split('_')[0]!];
  if (path === undefined) throw new Failed(REFUSED, `${id} is no match, statement or exception: mtc_…, bst_… or exc_…`);
  return api.post<Exception>(`${path}/${encodeURIComponent(id)}/approve`, { version });
}

function parseVersion(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It is a number: `list` shows it.');
  return Number(text);
}
