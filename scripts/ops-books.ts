/** `npm run ops -- books list | overdraft-ceiling`: the limits that the operator sets for each book. */

import { type Command, InvalidArgumentError } from 'commander';
import { readOverdraftCeiling, setOverdraftCeiling } from '../src/accounts/account/overdraft-ceiling-store.ts';
import type { Pool } from '../src/db/pool.ts';
import { MAX_REQUEST_AMOUNT } from '../src/money/amount.ts';
import { listBooks } from '../src/organisations/organisation-store.ts';
import { parsePublicId, publicId, type Uuid } from '../src/values/ids.ts';
import { further } from '../src/values/progress.ts';

type WithDatabase = (work: (pool: Pool) => Promise<void>) => Promise<void>;
type TableOf = (rows: readonly Record<string, unknown>[]) => string;

const PAGE = 500;

export function addBookCommands(program: Command, withDatabase: WithDatabase, tableOf: TableOf): void {
  const books = program.command('books').description('books and what the operator allows them');

  books
    .command('list')
    .description('show them, in the order in which they were made')
    .option('--json', 'print one JSON object a line')
    .action(({ json }: { json?: boolean }) =>
      withDatabase(async (pool) => {
        for (let after: Uuid | undefined; ; ) {
          const page = await listBooks(pool, { after, limit: PAGE });
          const views = page.map((book) => ({
            book: publicId('book', book.id),
            organisation: book.organisation,
            kind: book.kind,
            mode: book.mode,
            overdraft_ceiling: `${book.overdraftCeiling}`,
          }));
          if (json) for (const view of views) console.log(JSON.stringify(view));
          else if (views.length > 0) console.log(tableOf(views));
          if (page.length < PAGE) break;
          after = further('books', after, page.at(-1)!.id);
        }
      }),
    );

  books
    .command('overdraft-ceiling')
    .description('set how far below zero accounts of a book may be allowed to go; open accounts keep what they have')
    .argument('<book>', 'book_…, as `books list` shows it', parseBookId)
    .argument('<amount>', 'in minor units, from 0', parseCeiling)
    .option('--json', 'print one JSON object')
    .action((bookId: Uuid, ceiling: bigint, { json }: { json?: boolean }) =>
      withDatabase(async (pool) => {
        const before = await readOverdraftCeiling(pool, bookId);
        if (before === undefined || !(await setOverdraftCeiling(pool, bookId, ceiling)))
          throw new Error(`There is no book ${publicId('book', bookId)}. \`npm run ops -- books list\` shows them.`);
        const facts = { book: publicId('book', bookId), overdraft_ceiling: `${ceiling}`, before: `${before}` };
        console.log(json ? JSON.stringify(facts) : `${facts.book}: ${before} before, ${ceiling} from now on.`);
      }),
    );
}

function parseBookId(text: string): Uuid {
  const id = parsePublicId('book', text);
  if (id === undefined) throw new InvalidArgumentError('It is an id such as book_…');
  return id;
}

function parseCeiling(text: string): bigint {
  if (/^\d{1,16}$/.test(text) && BigInt(text) <= MAX_REQUEST_AMOUNT) return BigInt(text);
  throw new InvalidArgumentError(`It is a whole number from 0 to ${MAX_REQUEST_AMOUNT}.`);
}
