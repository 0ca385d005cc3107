/** The first and the last command of a run. */
import type { Pool } from '../../db/pool.ts';
import { posted } from '../../ledger/account/account.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import { chartAccountId } from '../../ledger/account/chart.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { readBankAccountPositions, readInTransit } from '../position/position-store.ts';
import type { CsvProfile } from '../reading/read-csv.ts';
import { isCompared } from '../statements/bank-statement.ts';
import { bankStatements } from '../statements/bank-statement-table.ts';
import type { ReceivedStatement } from '../statements/receive-statement.ts';
import type { CheckedBankFile } from './first-reading.ts';
import type { MatchedRun } from './match-run.ts';
import type { Matched } from './matched-store.ts';
import { RUN_AGAIN_MS } from './moved-runs.ts';
import { FINDINGS_SHOWN, NOTHING_YET, type Position, type Reconciliation, type RunFinding } from './reconciliation.ts';
import { reconciliationResource } from './reconciliation-resource.ts';
import { reconciliations } from './reconciliation-table.ts';

interface NewRun {
  readonly checked: CheckedBankFile;
  readonly name: string;
  readonly csv?: OfCsv | undefined;
}

/** Of a CSV: by whose account and which profile it is read. */
export interface OfCsv {
  /** Null where it is compared with an account of the book. */
  readonly bankAccountId: Uuid | null;
  /** Null where it is not saved. */
  readonly profileId: Uuid | null;
  readonly profile: CsvProfile;
}

export function beginRun(
  { checked, name, csv }: NewRun,
  { id, requestId }: { id: Uuid; requestId: Uuid },
): Command<Reconciliation> {
  const origin = { id: newId(), requestId };
  return {
    ...origin,
    name: 'reconciliation.begin',
    touches: [{ table: reconciliations, ids: [id] }],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const { sha256, bytes, format, statements } = checked;
      const run = draft.put<Reconciliation>(reconciliations, id, {
        ...{ bankAccountId: csv?.bankAccountId ?? null, profileId: csv?.profileId ?? null, comparedAccountId: null },
        ...{ id, status: 'running', sha256, name, format, bytes: BigInt(bytes), statements: statements.length },
        ...NOTHING_YET,
        ...{ through: null, requestId, version: 1, dueAt: null, createdAt: moment.book, updatedAt: moment.book },
      });
      return draft.finish(run);
    },
  };
}

/** pending → running: a worker, or a command, takes it. Another one may have done so. */
export function startRun({ id, requestId }: Pick<Reconciliation, 'id' | 'requestId'>): Command<boolean> {
  return stepOf({ id, requestId, name: 'reconciliation.start' }, (draft, run) => {
    if (run.status !== 'pending') return false;
    advance(draft, reconciliationResource, run, { status: 'running' });
    return true;
  });
}

/** A run that has ended is due while its statements are taken up: where its process dies, another one goes on. `endAgain` ends that. */
export function dueAgain({ id, requestId }: Pick<Reconciliation, 'id' | 'requestId'>): Command<void> {
  return stepOf({ id, requestId, name: 'reconciliation.take_up' }, (draft, run) => {
    if (run.dueAt !== null) return;
    // It waits from now on, not since it ended.
    draft.put(reconciliations, id, { ...run, dueAt: draft.wall + RUN_AGAIN_MS, updatedAt: draft.moment.book });
  });
}

/** → failed: its file cannot be read. `failure`: why, for people. */
export function failRun(
  { id, requestId }: Pick<Reconciliation, 'id' | 'requestId'>,
  failure: string,
): Command<boolean> {
  return stepOf({ id, requestId, name: 'reconciliation.fail' }, (draft, run) => {
    if (run.status !== 'pending' && run.status !== 'running') return false;
    const change = { status: 'failed', failure, dueAt: null } as const;
    advance(draft, reconciliationResource, run, change, { event: 'reconciliation.failed' });
    return true;
  });
}

function stepOf<Answer>(
  { id, requestId, name }: { readonly id: Uuid; readonly requestId: Uuid; readonly name: string },
  step: (draft: Draft, run: Reconciliation) => Answer,
): Command<Answer> {
  const origin = { id: newId(), requestId };
  return {
    ...origin,
    name,
    touches: [{ table: reconciliations, ids: [id] }],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      return draft.finish(step(draft, draft.get(reconciliations, id)!));
    },
  };
}

interface EndRuntime {
  readonly pool: Pool;
  readonly committer: Pick<Committer, 'submit'>;
}

export interface EndedRun {
  readonly bookId: BookId;
  readonly run: Reconciliation;
  readonly statements: readonly ReceivedStatement[];
  readonly matching: MatchedRun;
}

/** Statements at once, of which what became is read. */
const READ_AT_ONCE = 500;

export async function endRun(runtime: EndRuntime, ended: EndedRun): Promise<Reconciliation> {
  const { bookId, run, statements, matching } = ended;
  await runtime.committer.submit(bookId, announceMatched(run, matching));
  const known = statements.filter((one) => one.known).length;
  return runtime.committer.submit(bookId, complete(run, { ...(await changeOf(runtime.pool, ended)), known }));
}

/** A run that has ended, after more of its statements were posted: what it found then is found no longer. */
export async function endAgain(runtime: EndRuntime, ended: EndedRun): Promise<Reconciliation> {
  const { bookId, run, matching } = ended;
  await runtime.committer.submit(bookId, announceMatched(run, matching));
  return runtime.committer.submit(bookId, complete(run, await changeOf(runtime.pool, ended), { again: true }));
}

/**
 * One event for all that a run has matched: each match has one of its own. A run whose process died behind it counts the same again, which is
 * announced once; what more it matches, after statements were released, is announced then.
 */
function announceMatched(run: Reconciliation, { matched, byRule }: Matched): Command<void> {
  const of = { id: run.id, requestId: run.requestId, name: 'reconciliation.match' };
  return stepOf(of, (draft, now) => {
    if (now.status === 'failed' || matched <= now.matched) return;
    advance(draft, reconciliationResource, now, { matched, byRule }, { event: 'reconciliation.matched' });
  });
}

async function changeOf(pool: Pool, ended: EndedRun) {
  const { rulesVersions, ...matching } = ended.matching;
  const { accountIds, ...state } = await stateOf(pool, ended);
  const versions = new Set(accountIds.map((id) => rulesVersions.get(id) ?? null));
  const [rulesVersion = null] = versions.size === 1 ? versions : [];
  const { run } = ended;
  // A run that read its file has read all of it.
  return { ...matching, ...state, rulesVersion, progressBytes: run.bytes ?? 0n, progressLines: linesOf(ended) };
}

/** Of a file that was read: its booked lines. */
const linesOf = ({ statements }: EndedRun) =>
  statements.reduce((sum, { statement }) => sum + statement.creditsCount + statement.debitsCount, 0);

/** What became of the statements of a run. */
async function stateOf(
  pool: Pool,
  { bookId, run, statements }: Pick<EndedRun, 'bookId' | 'run' | 'statements'>,
): Promise<
  Pick<Reconciliation, 'lines' | 'findings' | 'findingsTotal' | 'position'> & { readonly accountIds: readonly Uuid[] }
> {
  const ids = [...new Set(statements.map(({ statement }) => statement.id))];
  const findings: RunFinding[] = [];
  const accountIds = new Set<Uuid>();
  let [lines, findingsTotal] = [0, 0];
  for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
    const page = await bankStatements.load(pool, bookId, ids.slice(from, from + READ_AT_ONCE));
    for (const statement of page.values()) {
      if (statement.reconciliationId === run.id)
        lines += isCompared(statement) ? statement.lines : statement.bookedLines;
      if (statement.bankAccountId !== null) accountIds.add(statement.bankAccountId);
      findingsTotal += statement.findings.length;
      for (const finding of statement.findings)
        if (findings.length < FINDINGS_SHOWN) findings.push({ ...finding, statementId: statement.id });
    }
  }
  // Without a file it is of one account.
  if (run.sha256 === null && run.bankAccountId !== null) accountIds.add(run.bankAccountId);
  const position = await positionOf(pool, bookId, [...accountIds].slice(0, READ_AT_ONCE));
  return { lines, findings, findingsTotal, position, accountIds: [...accountIds] };
}

function complete(
  run: Reconciliation,
  change: Partial<Reconciliation>,
  { again = false }: { readonly again?: boolean } = {},
): Command<Reconciliation> {
  const origin = { id: newId(), requestId: run.requestId };
  return {
    ...origin,
    name: 'reconciliation.complete',
    touches: [{ table: reconciliations, ids: [run.id] }],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const now = draft.get(reconciliations, run.id)!;
      if ((now.status !== 'running') !== again) return draft.finish(now);
      const step = { event: 'reconciliation.completed' };
      const moved = { ...(!again && { status: 'completed' as const }), ...change, dueAt: null };
      return draft.finish(advance(draft, reconciliationResource, now, moved, step));
    },
  };
}

async function positionOf(pool: Pool, bookId: BookId, ids: readonly Uuid[]): Promise<Position[]> {
  if (ids.length === 0) return [];
  const found = await readBankAccountPositions(pool, bookId, ids);
  const transit = new Map((await readInTransit(pool, bookId)).map((one) => [one.currency, one]));
  const chart = found.flatMap(({ currency }) => [
    chartAccountId(bookId, 'unallocated', currency),
    chartAccountId(bookId, 'suspense', currency),
  ]);
  const balances = await accounts.load(pool, bookId, [...new Set(chart)]);
  const balance = (id: Uuid) => {
    const account = balances.get(id);
    return String(account === undefined ? 0n : posted(account));
  };
  return found.map(({ id, currency, books, stated, statedOn }) => ({
    ...{ bankAccountId: id, currency, on: statedOn, bank: stated === null ? null : String(stated) },
    inTransitIn: String(transit.get(currency)?.comes ?? 0n),
    inTransitOut: String(transit.get(currency)?.leaves ?? 0n),
    unallocated: balance(chartAccountId(bookId, 'unallocated', currency)),
    suspense: balance(chartAccountId(bookId, 'suspense', currency)),
    books: String(books),
  }));
}
