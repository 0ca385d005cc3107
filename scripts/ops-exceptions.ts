/** `npm run ops -- exceptions list|show`: exceptions that wait for people, in the books of all organisations and the operator's. */
import type { Command } from 'commander';
import { COUNT_LIMIT } from '../src/db/count-limit.ts';
import type { Pool } from '../src/db/pool.ts';
import { EXCEPTION_STATUSES } from '../src/exceptions/exception.ts';
import { exceptionView } from '../src/exceptions/exception-view.ts';
import {
  type ExceptionOfBook,
  findExceptionOfAnyBook,
  listOpenExceptions,
} from '../src/exceptions/open-exceptions-store.ts';
import { loadBook } from '../src/ledger/book/book-store.ts';
import { systemClock } from '../src/values/clock.ts';
import { parsePublicId, publicId } from '../src/values/ids.ts';
import { toJson } from '../src/values/json.ts';

type WithDatabase = (work: (pool: Pool) => Promise<void>) => Promise<void>;
type TableOf = (rows: readonly Record<string, unknown>[]) => string;

/** Rows that a person reads in one go; a script gets all rows up to the counting limit. */
const SHOWN = 100;

interface ListOptions {
  status?: string;
  kind?: string;
  json?: boolean;
}

export function addExceptions(
  program: Command,
  { withDatabase, tableOf }: { withDatabase: WithDatabase; tableOf: TableOf },
): void {
  const exceptions = program.command('exceptions').description('what the books cannot follow by themselves');

  exceptions
    .command('list')
    .description('show those that nobody has approved, the oldest first')
    .option('--status <status>', 'open, assigned, explained or adjusted')
    .option('--kind <kind>', 'such as paid_after_failed')
    .option('--json', 'print one JSON object a line')
    .action(({ status, kind, json }: ListOptions) =>
      withDatabase(async (pool) => {
        if (status !== undefined && !(EXCEPTION_STATUSES as readonly string[]).includes(status))
          throw new Error(`--status is one of ${EXCEPTION_STATUSES.join(', ')}.`);
        const found = await listOpenExceptions(pool, { limit: json ? COUNT_LIMIT : SHOWN, status, kind });
        const rows = found.map(rowOf);
        if (json) for (const row of rows) console.log(JSON.stringify(row));
        else console.log(rows.length > 0 ? tableOf(rows) : 'No exception is open.');
      }),
    );

  exceptions
    .command('show')
    .description('print one as the API shows it, with its book')
    .argument('<id>', 'the exception: exc_…')
    .action((shownId: string) =>
      withDatabase(async (pool) => {
        const id = parsePublicId('exception', shownId);
        const found = id && (await findExceptionOfAnyBook(pool, id));
        if (!found) throw new Error(`There is no exception ${shownId}.`);
        const { mode } = (await loadBook(pool, found.bookId))!;
        const view = exceptionView(found.exception, { livemode: mode === 'live', wall: systemClock.now() });
        console.log(toJson({ ...view, book: publicId('book', found.bookId) }));
      }),
    );
}

/** The members that this command has always shown, and the status. */
function rowOf({ bookId, exception }: ExceptionOfBook) {
  const { id, kind, status, resource_id, created_at, detail } = exceptionView(exception, {
    livemode: false,
    wall: systemClock.now(),
  });
  return { id, book: publicId('book', bookId), kind, status, resource: resource_id, created_at, detail };
}
