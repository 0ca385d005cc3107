/** The part of `npm run import -- opening` that is about customers: it acts on the database, as the operator. */
import { basename } from 'node:path';
import { findExceptionOfAnyBook } from '../src/exceptions/open-exceptions-store.ts';
import { applyOpenings } from '../src/inbound/openings/apply-openings.ts';
import { checkOpenings, keepOpenings } from '../src/inbound/openings/keep-openings.ts';
import { OPENING_BYTES_MAX, type OpeningTotal } from '../src/inbound/openings/opening-file.ts';
import { BadInput } from '../src/intake/bad-input.ts';
import { FileTooLarge, readBounded } from '../src/intake/read-bounded.ts';
import { formatAmount } from '../src/money/amount.ts';
import { systemClock } from '../src/values/clock.ts';
import { publicId, type Uuid } from '../src/values/ids.ts';
import { toJson } from '../src/values/json.ts';
import { secretBoxOf, withCommitter, withDatabase } from './intake-command.ts';
import { rowProgress } from './row-progress.ts';

/** Of its connections to the database. */
const NAME = 'import';

interface Common {
  readonly databaseUrl?: string;
  readonly dryRun?: true;
  readonly json?: true;
}

/** The bytes of the file. Throws BadInput where it cannot be read. */
export function bytesOf(file: string): Buffer {
  try {
    return readBounded(file, OPENING_BYTES_MAX);
  } catch (error) {
    if (error instanceof FileTooLarge) throw new BadInput(null, error.message);
    throw new BadInput(null, `The file cannot be read: ${(error as Error).message}.`);
  }
}

interface KeepForCustomers extends Common {
  readonly ofBook: Uuid;
  readonly bytes: Buffer;
  readonly file: string;
}

/** Resolves to whether everything is booked: false, since two persons are asked first. */
export function keepForCustomers({ ofBook, bytes, file, ...options }: KeepForCustomers): Promise<boolean> {
  const { databaseUrl, dryRun, json } = options;
  return withDatabase({ databaseUrl, name: NAME, since: '0.4.0' }, async (pool, environment) => {
    const checked = await checkOpenings(pool, ofBook, bytes);
    const { sha256, totals, booking } = checked;
    const shown = { book: publicId('book', ofBook), sha256, lines: booking.length, totals };
    if (dryRun) {
      if (json) console.log(toJson({ ok: true, dry_run: true, ...shown }));
      else console.log(`${booking.length} lines would wait for two persons: ${sumsOf(totals)}. Nothing is kept.`);
      return true;
    }
    const { openings, exception, known } = await withCommitter(pool, async (committer) => {
      const runtime = { pool, committer, secretBox: secretBoxOf(environment), clock: systemClock };
      return keepOpenings(runtime, checked, { bytes, name: basename(file).slice(0, 200) });
    });
    const id = publicId('exception', exception.id);
    const isApplied = openings.appliedAt !== null;
    if (json)
      console.log(
        toJson({ ok: isApplied, ...shown, known, exception: id, status: exception.status, applied: isApplied }),
      );
    else if (isApplied) console.log(`This file is booked already, by ${id}. Nothing is booked twice.`);
    else
      console.log(
        `${id} is ${exception.status}: ${booking.length} lines, ${sumsOf(totals)}. Nothing is booked until one person explains it, another one approves it, and --apply ${id} is run.`,
      );
    return isApplied;
  });
}

/** Resolves to whether every line is booked. */
export function applyToCustomers({
  exceptionId,
  databaseUrl,
  json,
}: Common & { readonly exceptionId: Uuid }): Promise<boolean> {
  return withDatabase({ databaseUrl, name: NAME, since: '0.4.0' }, async (pool, environment) => {
    const found = await findExceptionOfAnyBook(pool, exceptionId);
    if (!found) throw new BadInput(null, `There is no exception ${publicId('exception', exceptionId)}.`);
    const progress = rowProgress();
    const { openings, posted, known, refused } = await withCommitter(pool, (committer) =>
      applyOpenings(
        { pool, committer, secretBox: secretBoxOf(environment), clock: systemClock },
        found,
        (done, total) => progress.show({ done: BigInt(done), total: BigInt(total), what: 'lines of the file' }),
      ),
    ).finally(() => progress.end());
    const ok = refused.length === 0;
    const book = publicId('book', openings.ofBook);
    if (json) console.log(toJson({ ok, book, lines: openings.lines, posted, known, refused }));
    else {
      console.log(`${book}: ${posted} lines booked, ${known} were before.`);
      for (const { row, code } of refused) console.log(`  Line ${row} is not booked: ${code}`);
    }
    return ok;
  });
}

const sumsOf = (totals: readonly OpeningTotal[]) =>
  totals.map(({ currency, amount }) => formatAmount(amount, currency)).join(', ');
