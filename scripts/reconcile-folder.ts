/**
 * `npm run reconcile -- DIR`: takes the files of a folder, one behind the other, and moves each to done/. What is no file of a bank is moved to
 * quarantine/ with a reason, and an exception for a person; the next file goes on. The folder is claimed in Postgres while it is read. Killed, it is
 * run again: a file that was taken and not moved is known. Exits as for a file, with the highest code of all.
 */
import { hash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Pool } from '../src/db/pool.ts';
import { openOnce } from '../src/exceptions/open-exception.ts';
import { BadInput } from '../src/intake/bad-input.ts';
import type { Committer } from '../src/ledger/commit/committer.ts';
import { operatorBooks } from '../src/organisations/organisation-store.ts';
import { failpoint } from '../src/process/failpoints.ts';
import { moveInto } from '../src/rails/iso20022/folders.ts';
import { claimFolder, type FolderClaim, leaveFolder } from '../src/reconciliation/runs/folder-claim-store.ts';
import type { BankFile } from '../src/reconciliation/runs/import-file.ts';
import type { Reconciliation } from '../src/reconciliation/runs/reconciliation.ts';
import { reconciliationView } from '../src/reconciliation/runs/reconciliation-resource.ts';
import { systemClock } from '../src/values/clock.ts';
import { deriveId, newId, type Uuid } from '../src/values/ids.ts';
import { toJson } from '../src/values/json.ts';
import { BAD_INPUT, runIntake, withCommitter, withDatabase } from './intake-command.ts';

export type Mode = 'test' | 'live';

export interface ReconcileOptions {
  mode?: Mode;
  dryRun?: true;
  databaseUrl?: string;
  json?: true;
  profile?: Uuid;
  bankAccount?: Uuid;
  rests: number;
}

/** The mode of a file does not show. That is no fault of the file. */
export class NoMode extends BadInput {
  override name = 'NoMode';
}

export interface TakenAt {
  readonly pool: Pool;
  readonly environment: NodeJS.ProcessEnv;
}

export interface TakingAt extends TakenAt {
  readonly committer: Committer;
}

export interface OpenedFile {
  readonly mode: Mode;
  readonly bankFile: BankFile;
}

export interface Left {
  readonly status: 'held' | 'rejected';
  readonly count: number;
}

export interface TakenFile {
  readonly run: Reconciliation;
  readonly left: readonly Left[];
  /** Whether nothing is left to a person. */
  readonly ok: boolean;
}

interface Taking {
  readonly open: (file: string, options: ReconcileOptions, at: TakenAt) => Promise<OpenedFile>;
  readonly take: (opened: OpenedFile, at: TakingAt) => Promise<TakenFile>;
}

export function requireBoth({ profile, bankAccount }: ReconcileOptions): void {
  if ((profile === undefined) !== (bankAccount === undefined))
    throw new BadInput(
      null,
      'A CSV needs both: --profile csvp_… states its columns, --bank-account ba_… whose lines they are.',
    );
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** What became of a file. */
type Result =
  | { readonly file: string; readonly is: 'taken'; readonly ok: boolean; readonly reconciliation: object }
  /** `left`: it may still grow, or the command does not know what it is of. */
  | { readonly file: string; readonly is: 'quarantined' | 'left'; readonly reason: string };

export async function reconcileFolder(folder: string, options: ReconcileOptions, taking: Taking): Promise<void> {
  let isBad = false;
  await runIntake(
    async () => {
      requireBoth(options);
      if (options.dryRun) throw new BadInput(null, 'A dry run is of one file: name it in place of the folder.');
      const results = await claimed(folder, options, (at, claim) => new Folder(claim, options, taking, at).read());
      if (options.json) console.log(toJson({ ok: results.every(isClean), folder, files: results }));
      else if (results.length === 0) console.log('No file is in the folder.');
      isBad = results.some(({ is }) => is === 'quarantined');
      return results.every(isClean);
    },
    { json: options.json, verb: 'take the files of the folder' },
  );
  if (isBad && (process.exitCode ?? 0) !== 3) process.exitCode = BAD_INPUT;
}

/** A file that may still grow is taken by the next run. */
const isClean = (result: Result) => result.is === 'left' || (result.is === 'taken' && result.ok);

/** After a kill the folder is free again. */
const CLAIM_MS = 60_000;
const PROLONGED_EVERY_MS = 15_000;

async function claimed<Answer>(
  folder: string,
  { databaseUrl }: ReconcileOptions,
  work: (at: TakingAt, claim: FolderClaim) => Promise<Answer>,
): Promise<Answer> {
  return withDatabase({ databaseUrl, name: 'reconcile', since: '0.4.0' }, async (pool, environment) => {
    const books = await operatorBooks(pool);
    // Files of both modes may be in it: one book has the claims of all folders.
    const claim = { bookId: books.live, folder: realpathSync(folder), by: newId() };
    const prolong = () => {
      const now = systemClock.now();
      return claimFolder(pool, claim, { now, until: now + CLAIM_MS });
    };
    if (!(await prolong()))
      throw new Error('another process reads the folder. It is free a minute after a process that was killed.');
    // Where Postgres does not answer, the work fails by itself.
    const timer = setInterval(() => void prolong().catch(() => undefined), PROLONGED_EVERY_MS);
    try {
      return await withCommitter(pool, (committer) => work({ pool, environment, committer }, claim));
    } finally {
      clearInterval(timer);
      await leaveFolder(pool, claim, systemClock.now()).catch(() => undefined);
    }
  });
}

const REASON_MAX = 500;

class Folder {
  readonly #folder: string;
  readonly #options: ReconcileOptions;
  readonly #taking: Taking;
  readonly #at: TakingAt;

  constructor({ folder }: FolderClaim, options: ReconcileOptions, taking: Taking, at: TakingAt) {
    this.#folder = folder;
    this.#options = options;
    this.#taking = taking;
    this.#at = at;
  }

  async read(): Promise<Result[]> {
    const names = readdirSync(this.#folder).filter((name) => !name.startsWith('.'));
    for (const own of ['done', 'quarantine']) mkdirSync(join(this.#folder, own), { recursive: true });
    const results: Result[] = [];
    for (const name of names.sort()) {
      const result = await this.#readFile(name);
      if (result === undefined) continue;
      results.push(result);
      if (!this.#options.json) print(result);
    }
    return results;
  }

  async #readFile(name: string): Promise<Result | undefined> {
    const path = join(this.#folder, name);
    const before = stateOf(path);
    if (before === undefined || before.isDirectory) return undefined;
    if (!before.isFile) return this.#quarantine(name, 'It is a link or a device, and no file.');
    // By the clock of the file system: one that comes from another machine may be ahead.
    const restedMs = systemClock.now() - before.changedMs;
    if (this.#options.rests > 0 && restedMs < this.#options.rests * 1_000)
      return { file: name, is: 'left', reason: 'It may still grow: the next run takes it.' };
    let opened: OpenedFile;
    try {
      opened = await this.#taking.open(path, this.#options, this.#at);
    } catch (error) {
      if (!(error instanceof BadInput)) throw error;
      if (stateOf(path)?.state !== before.state)
        return { file: name, is: 'left', reason: 'It has changed while it was read: the next run takes it.' };
      if (error instanceof NoMode) return { file: name, is: 'left', reason: error.message };
      return this.#quarantine(name, error.message);
    }
    if (stateOf(path)?.state !== before.state)
      return { file: name, is: 'left', reason: 'It has changed while it was read: the next run takes it.' };
    const { run, ok } = await this.#taking.take(opened, this.#at);
    failpoint('reconciliation.file.taken');
    const mark = opened.bankFile.checked.sha256.slice(0, 12);
    await moveInto(path, { folder: join(this.#folder, 'done'), name, mark });
    return { file: name, is: 'taken', ok, reconciliation: reconciliationView(run, opened.mode === 'live') };
  }

  /** The reason stands beside the file, and in an exception of the operator's. */
  async #quarantine(name: string, why: string): Promise<Result> {
    const reason = why.slice(0, REASON_MAX);
    const { pool, environment, committer } = this.#at;
    const mode = this.#options.mode ?? (environment === process.env ? 'live' : 'test');
    const bookId = (await operatorBooks(pool))[mode];
    const path = join(this.#folder, name);
    const mark = hash('sha256', `${path} ${stateOf(path)?.state}`, 'hex').slice(0, 12);
    const id = deriveId('bank-folder', path, mark);
    await committer.submit(
      bookId,
      openOnce({
        id: deriveId('bank-folder-exception', path, mark),
        kind: 'file_quarantined',
        resource: 'bank_file',
        resourceId: id,
        detail: `A file of the folder ${basename(this.#folder)} was not understood: ${reason} It is in quarantine/, and nothing of it was booked.`,
      }),
    );
    const quarantine = join(this.#folder, 'quarantine');
    writeFileSync(join(quarantine, `${name}.${mark}.reason`), `${reason}\n`);
    await moveInto(path, { folder: quarantine, name, mark });
    return { file: name, is: 'quarantined', reason };
  }
}

function stateOf(path: string) {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  const state = `${found.ino} ${found.size} ${found.mtimeMs}`;
  const changedMs = Math.max(found.mtimeMs, found.ctimeMs);
  return { state, changedMs, isFile: found.isFile(), isDirectory: found.isDirectory() };
}

function print(result: Result): void {
  if (result.is !== 'taken') {
    console.log(`${result.file}: ${result.is}. ${result.reason}`);
    return;
  }
  const { id, lines, open } = result.reconciliation as { id: string; lines: number; open: number };
  console.log(`${result.file}: ${id}, ${lines} lines posted, ${open} not explained.`);
}
