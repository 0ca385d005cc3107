/**
 * `npm run ops -- write-offs propose|list|book|withdraw`: what customers owe and nobody will pay. The terminal puts it before the operator's people
 * and books what two of them have approved over the API; a name that is given here approves nothing.
 */

import { userInfo } from 'node:os';
import { type Command, InvalidArgumentError } from 'commander';
import { requireContractedTo } from '../src/db/contract.ts';
import type { Pool } from '../src/db/pool.ts';
import { exceptions } from '../src/exceptions/exception-table.ts';
import { findExceptionOfAnyBook } from '../src/exceptions/open-exceptions-store.ts';
import { bookWriteOff } from '../src/inbound/write-offs/book-write-off.ts';
import {
  checkWriteOff,
  exceptionIdOf,
  proposeWriteOff,
  withdrawWriteOff,
} from '../src/inbound/write-offs/propose-write-off.ts';
import { ABOUT_WRITE_OFFS, type WriteOff } from '../src/inbound/write-offs/write-off.ts';
import { openWriteOffs } from '../src/inbound/write-offs/write-off-table.ts';
import type { BookId } from '../src/ledger/book/book.ts';
import type { Committer } from '../src/ledger/commit/committer.ts';
import { formatAmount, MAX_REQUEST_AMOUNT } from '../src/money/amount.ts';
import { operatorBooks } from '../src/organisations/organisation-store.ts';
import { encodeActor } from '../src/values/actor.ts';
import { type IdKind, parsePublicId, publicId, type Uuid } from '../src/values/ids.ts';
import { withCommitter } from './intake-command.ts';

type WithDatabase = (work: (pool: Pool) => Promise<void>) => Promise<void>;
type TableOf = (rows: readonly Record<string, unknown>[]) => string;

interface ProposeOptions {
  readonly amount?: bigint;
  readonly dryRun?: true;
  readonly json?: true;
}

export function addWriteOffs(
  program: Command,
  { withDatabase, tableOf }: { withDatabase: WithDatabase; tableOf: TableOf },
): void {
  const writeOffs = program.command('write-offs').description('what customers owe and nobody will pay');

  writeOffs
    .command('propose')
    .description('put it before two persons of the operator; nothing is booked')
    .argument('<book>', 'of the customer: book_…, as `books list` shows it', idOf('book'))
    .argument('<account>', 'the account that is below zero: acct_…', idOf('account'))
    .option('--amount <amount>', 'in minor units; all that the account owes without it', parseAmount)
    .option('--dry-run', 'show what would be proposed')
    .option('--json', 'print one JSON object')
    .action((ofBook: Uuid, accountId: Uuid, { amount, dryRun, json }: ProposeOptions) =>
      withDatabase(async (pool) => {
        await requireContractedTo(pool, '0.4.0', 'Debts can be written off');
        const checked = await checkWriteOff(pool, { ofBook, accountId, ...(amount !== undefined && { amount }) });
        const sum = formatAmount(checked.amount, checked.currency);
        if (dryRun) {
          const shown = {
            dry_run: true,
            amount: `${checked.amount}`,
            owed: `${checked.owed}`,
            currency: checked.currency,
          };
          console.log(json ? JSON.stringify(shown) : `${sum} would wait for two persons. Nothing is kept.`);
          return;
        }
        const proposed = await withCommitter(pool, (committer) => proposeWriteOff({ committer }, checked));
        const { exception, ...shown } = viewOf(proposed);
        console.log(
          json
            ? JSON.stringify({ exception, ...shown })
            : `${exception}: ${sum}. Nothing is booked until one person explains it, another one approves it, and \`write-offs book ${exception}\` is run.`,
        );
      }),
    );

  writeOffs
    .command('list')
    .description('show those that are neither booked nor withdrawn')
    .option('--json', 'print one JSON object a line')
    .action(({ json }: { json?: true }) =>
      withDatabase(async (pool) => {
        const views: Record<string, unknown>[] = [];
        for await (const { writeOff, exceptionStatus } of openOf(pool))
          views.push({ ...viewOf(writeOff), exception_status: exceptionStatus });
        if (json) for (const view of views) console.log(JSON.stringify(view));
        else console.log(views.length > 0 ? tableOf(views) : 'No write-off is open.');
      }),
    );

  writeOffs
    .command('book')
    .description('book what two persons have approved: this one, or all of them')
    .argument('[exception]', 'the exception of a write-off: exc_…', idOf('exception'))
    .option('--json', 'print one JSON object a line')
    .action((exceptionId: Uuid | undefined, { json }: { json?: true }) =>
      withDatabase(async (pool) => {
        const named = exceptionId === undefined ? await approvedOf(pool) : [await writeOffOf(pool, exceptionId)];
        await withCommitter(pool, (committer) =>
          bookEach({ pool, committer }, named, (one) =>
            console.log(json ? JSON.stringify(viewOf(one)) : described(one)),
          ),
        );
        if (named.length === 0 && !json) console.log('No write-off is approved and not booked.');
      }),
    );

  writeOffs
    .command('withdraw')
    .description('end one that two persons have not approved')
    .argument('<exception>', 'the exception of the write-off: exc_…', idOf('exception'))
    .option('--by <name>', 'who decides; the user of this system without it')
    .action((exceptionId: Uuid, { by }: { by?: string }) =>
      withDatabase(async (pool) => {
        const actor = encodeActor({ type: 'operator', name: (by ?? userInfo().username).slice(0, 100) });
        const of = await writeOffOf(pool, exceptionId);
        await withCommitter(pool, (committer) => withdrawWriteOff({ pool, committer }, { ...of, actor }));
        console.log(`${publicId('exception', exceptionId)} is withdrawn. Nothing is booked.`);
      }),
    );
}

interface Named {
  readonly bookId: BookId;
  readonly id: Uuid;
}

/** Throws Error for an exception that is about something else. */
async function writeOffOf(pool: Pool, exceptionId: Uuid): Promise<Named> {
  const found = await findExceptionOfAnyBook(pool, exceptionId);
  if (found?.exception.resource === ABOUT_WRITE_OFFS.resource)
    return { bookId: found.bookId, id: found.exception.resourceId };
  throw new Error(`There is no write-off with an exception ${publicId('exception', exceptionId)}.`);
}

/** Of both modes: those whose exceptions two persons have ended. */
async function approvedOf(pool: Pool): Promise<Named[]> {
  const named: Named[] = [];
  for await (const { bookId, writeOff, exceptionStatus } of openOf(pool))
    if (exceptionStatus === 'approved') named.push({ bookId, id: writeOff.id });
  return named;
}

interface OpenOne {
  readonly bookId: BookId;
  readonly writeOff: WriteOff;
  readonly exceptionStatus: string | undefined;
}

/** Of both modes. */
async function* openOf(pool: Pool): AsyncGenerator<OpenOne> {
  for (const bookId of Object.values(await operatorBooks(pool)))
    for await (const page of openWriteOffs(pool, bookId)) {
      const ids = page.map(({ id }) => exceptionIdOf(id));
      const about = await exceptions.load(pool, bookId, ids);
      for (const writeOff of page)
        yield { bookId, writeOff, exceptionStatus: about.get(exceptionIdOf(writeOff.id))?.status };
    }
}

/** One that cannot be booked does not keep the others. Throws the first failure once all were tried. */
async function bookEach(
  runtime: { pool: Pool; committer: Committer },
  named: readonly Named[],
  onBooked: (one: WriteOff) => void,
): Promise<void> {
  const failures: unknown[] = [];
  for (const one of named) await bookWriteOff(runtime, one).then(onBooked, (error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

function viewOf({ id, ofBook, accountId, currency, amount, status, bookedAmount }: WriteOff) {
  return {
    exception: publicId('exception', exceptionIdOf(id)),
    book: publicId('book', ofBook),
    account: publicId('account', accountId),
    ...{ amount: `${amount}`, currency, status },
    booked: bookedAmount === null ? null : `${bookedAmount}`,
  };
}

function described(writeOff: WriteOff): string {
  const { account, book } = viewOf(writeOff);
  const { bookedAmount, amount, currency } = writeOff;
  if (bookedAmount === 0n) return `${account} of ${book}: it owes nothing any more, and nothing was booked.`;
  const rest = bookedAmount === amount ? '' : `, of ${formatAmount(amount, currency)}: it owes no more`;
  return `${account} of ${book}: ${formatAmount(bookedAmount!, currency)} written off${rest}.`;
}

function idOf(kind: IdKind): (text: string) => Uuid {
  return (text) => {
    const id = parsePublicId(kind, text);
    if (id === undefined)
      throw new InvalidArgumentError(`It is an id such as ${publicId(kind, NOBODY).slice(0, -26)}…`);
    return id;
  };
}
const NOBODY = '00000000-0000-7000-8000-000000000000';

function parseAmount(text: string): bigint {
  if (/^[1-9]\d{0,15}$/.test(text) && BigInt(text) <= MAX_REQUEST_AMOUNT) return BigInt(text);
  throw new InvalidArgumentError(`It is a whole number of minor units from 1 to ${MAX_REQUEST_AMOUNT}.`);
}
