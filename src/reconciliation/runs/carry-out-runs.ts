/**
 * Carries out runs that were accepted by API, in the reports pool: over the bytes that are kept, by the same code as `npm run reconcile`. A process
 * that dies is followed by another, which goes on where the first one was.
 */
import type { SecretBox } from '../../db/secret-box.ts';
import type { RowFailed } from '../../group/moved-rows.ts';
import { BadInput } from '../../intake/bad-input.ts';
import type { ReadParts } from '../../intake/read-twice.ts';
import { FileDamaged, openFile } from '../../intake/sealed-file.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { failpoint } from '../../process/failpoints.ts';
import type { Uuid } from '../../values/ids.ts';
import { bankAccounts } from '../accounts/bank-account-table.ts';
import type { TakeLinesRuntime } from '../items/take-lines.ts';
import { asBankAccount, profileFor } from '../profiles/saved-profile.ts';
import { csvProfiles } from '../profiles/saved-profile-table.ts';
import { compareFile } from './compare-file.ts';
import { compareOpen } from './compare-open.ts';
import { endRun, failRun, type OfCsv, startRun } from './end-run.ts';
import { checkBankParts } from './first-reading.ts';
import { carryOut, type ImportRuntime } from './import-file.ts';
import { matchRun } from './match-run.ts';
import { movedRuns } from './moved-runs.ts';
import type { Reconciliation } from './reconciliation.ts';
import { reconciliations } from './reconciliation-table.ts';
import { keepProgress, takeLease } from './run-lease-store.ts';

export interface CarryOutRuntime extends ImportRuntime, TakeLinesRuntime {
  readonly rowFailed: RowFailed;
}

/** A process that is silent for so long is believed to be dead. */
const LEASE_MS = 5_000;
/** How often a living one prolongs its lease and its progress. */
const PROGRESS_MS = 1_000;

/** The process is ending: another one goes on. */
class Stopped extends Error {
  override name = 'Stopped';
}

export class RunsInHand {
  readonly #runtime: CarryOutRuntime;
  /** The sweeper enqueues further jobs of a long run. */
  readonly #underWay = new Set<Uuid>();
  #closing = false;

  constructor(runtime: CarryOutRuntime) {
    this.#runtime = runtime;
  }

  /** Carries them out one after the other. One that has ended, or that another process has, is left alone. */
  async carryOut(bookId: BookId, ids: readonly Uuid[]): Promise<void> {
    for (const id of ids) {
      if (this.#underWay.has(id) || this.#closing) continue;
      this.#underWay.add(id);
      try {
        await this.#carryOutOne(bookId, id);
      } catch (error) {
        if (!(error instanceof Stopped)) await this.#runtime.rowFailed(movedRuns, { bookId, id }, error);
      } finally {
        this.#underWay.delete(id);
      }
    }
  }

  /** A file that is being read is left behind its part. */
  close(): void {
    this.#closing = true;
  }

  async #carryOutOne(bookId: BookId, id: Uuid): Promise<void> {
    const { pool, clock } = this.#runtime;
    const run = await reconciliations.find(pool, bookId, id);
    if (run === undefined || run.status === 'failed') return;
    const now = clock.now();
    if (!(await takeLease(pool, { bookId, id }, { now, until: now + LEASE_MS }))) return;
    const progress = { bytes: 0n, lines: 0 };
    // The next one prolongs it.
    const prolong = () =>
      void keepProgress(pool, { bookId, id }, { until: clock.now() + LEASE_MS, ...progress }).catch(() => undefined);
    const timer = setInterval(prolong, PROGRESS_MS);
    try {
      await this.#carryOut({ bookId, run }, progress);
    } finally {
      clearInterval(timer);
      await keepProgress(pool, { bookId, id }, { until: null, ...progress }).catch(() => undefined);
    }
  }

  async #carryOut({ bookId, run }: OfRun, progress: { bytes: bigint; lines: number }): Promise<void> {
    const { committer } = this.#runtime;
    if (run.sha256 === null) {
      await matchAgain(this.#runtime, { bookId, run });
      return;
    }
    try {
      await this.#takeFile({ bookId, run, sha256: run.sha256 }, progress);
    } catch (error) {
      const isUnreadable = error instanceof BadInput || error instanceof FileDamaged;
      // One that has ended does not fail any more: its statements wait until somebody looks.
      if (!isUnreadable || run.status === 'completed') throw error;
      await committer.submit(bookId, failRun(run, error.message));
    }
  }

  async #takeFile(
    { bookId, run, sha256 }: OfRun & { readonly sha256: string },
    progress: { bytes: bigint; lines: number },
  ) {
    const runtime = this.#runtime;
    const csv = await csvOf(runtime, bookId, run);
    const read: ReadParts = () => this.#partsOf(runtime, { bookId, sha256 });
    const checked = await checkBankParts(read(), csv?.profile);
    failpoint('reconciliation.checked');
    const counted: ReadParts = async function* () {
      for await (const part of read()) {
        yield part;
        progress.bytes += BigInt(part.length);
      }
    };
    const file = { bookId, checked, name: run.name!, read: counted, csv };
    const onTaken = (lines: number) => {
      progress.lines = lines;
    };
    const { comparedAccountId } = run;
    if (comparedAccountId === null) await carryOut(runtime, { file, run }, onTaken);
    else await compareFile(runtime, { file, run: { ...run, comparedAccountId } }, onTaken);
  }

  async *#partsOf(
    { pool, secretBox }: { readonly pool: CarryOutRuntime['pool']; readonly secretBox: SecretBox },
    place: { readonly bookId: BookId; readonly sha256: string },
  ): AsyncGenerator<Buffer> {
    const parts = await openFile(pool, secretBox, place);
    if (parts === undefined) throw new FileDamaged(`The file ${place.sha256} is not kept.`);
    for await (const part of parts) {
      if (this.#closing) throw new Stopped();
      yield part;
    }
  }
}

interface OfRun {
  readonly bookId: BookId;
  readonly run: Reconciliation;
}

/** Of a run over a CSV. Neither bank accounts nor profiles are ever deleted. */
async function csvOf({ pool }: CarryOutRuntime, bookId: BookId, run: Reconciliation): Promise<OfCsv | undefined> {
  const { bankAccountId, comparedAccountId, profileId } = run;
  if (profileId === null) return undefined;
  const account =
    comparedAccountId === null
      ? (await bankAccounts.find(pool, bookId, bankAccountId!))!
      : asBankAccount((await accounts.find(pool, bookId, comparedAccountId))!);
  const saved = (await csvProfiles.find(pool, bookId, profileId))!;
  return { bankAccountId, profileId, profile: profileFor(saved, account) };
}

/** A run without a file. */
async function matchAgain(runtime: CarryOutRuntime, { bookId, run }: OfRun): Promise<void> {
  if (run.status === 'completed') return;
  if (run.status === 'pending') await runtime.committer.submit(bookId, startRun(run));
  const { bankAccountId, comparedAccountId, through, requestId } = run;
  const matching =
    comparedAccountId === null
      ? await matchRun(runtime, { bookId, requestId, scope: { accountId: bankAccountId!, through } })
      : await compareOpen(runtime, { bookId, comparedAccountId, requestId, through });
  await endRun(runtime, { bookId, run, statements: [], matching });
}
