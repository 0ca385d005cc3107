/** `npm run ops -- rails list|adopt|missing|check|assign`: rails that work by files, what pauses them, and credits that name no account. */
import { type Command, Option } from 'commander';
import type { Pool } from '../src/db/pool.ts';
import { createSecretBox } from '../src/db/secret-box.ts';
import { dataDirectory, readCredentials } from '../src/embedded/environment.ts';
import { operatorBooks } from '../src/organisations/organisation-store.ts';
import { keptBackOf } from '../src/payouts/pauses/pause.ts';
import { readPauses } from '../src/payouts/pauses/pause-store.ts';
import { banksOf } from '../src/rails/iso20022/bank-settings.ts';
import type { Iso20022Rail } from '../src/rails/iso20022/iso20022-rail.ts';
import { fileRails } from '../src/rails/rails.ts';
import { readRailsFile } from '../src/rails/settings/read-rails-file.ts';
import { systemClock } from '../src/values/clock.ts';
import { encryptionKeysOf } from './rekey-command.ts';

type WithDatabase = (work: (pool: Pool, environment: NodeJS.ProcessEnv) => Promise<void>) => Promise<void>;
type TableOf = (rows: readonly Record<string, unknown>[]) => string;

export function addRails(
  program: Command,
  { withDatabase, tableOf }: { withDatabase: WithDatabase; tableOf: TableOf },
): void {
  const rails = program.command('rails').description('rails that pay by files, as RAILS_FILE has them');

  rails
    .command('list')
    .description('show what waits for a file, and what pauses them')
    .option('--json', 'print one JSON object a line')
    .action(({ json }: { json?: boolean }) =>
      withDatabase(async (pool, environment) => {
        const rows = await Promise.all(railsOf(pool, environment).map(viewOf));
        if (json) for (const row of rows) console.log(JSON.stringify(row));
        else console.log(rows.length > 0 ? tableOf(rows) : 'No rail pays by files.');
      }),
    );

  rails
    .command('adopt')
    .description('record what unknown files in sent/ carry as filed, and end the pause (file_unknown)')
    .argument('<rail>', 'the rail, as RAILS_FILE names it')
    .option('--json', 'print one JSON object a line')
    .action((name: string, { json }: { json?: boolean }) =>
      withDatabase(async (pool, environment) => {
        for (const { file, payments, repeated } of await railNamed(pool, environment, name).adopt()) {
          if (json) console.log(JSON.stringify({ file, payments, repeated }));
          else console.log(`${file}: ${payments} payments are known as filed.`);
          if (repeated.length === 0) continue;
          console.error(`${file}: in another file too, so the bank has them twice: ${repeated.join(', ')}`);
          process.exitCode = 1;
        }
      }),
    );
  addMissing(rails, withDatabase);
  addAssign(rails);
}

function addMissing(rails: Command, withDatabase: WithDatabase): void {
  rails
    .command('missing')
    .description('end the pause for a missing file (file_missing), once the bank has answered whether it has it')
    .argument('<rail>', 'the rail, as RAILS_FILE names it')
    .addOption(
      new Option(
        '--bank <answer>',
        'has: it is kept as sent, and not sent again; has-not: the same bytes are sent again',
      )
        .choices(['has', 'has-not'])
        .makeOptionMandatory(),
    )
    .action((name: string, { bank }: { bank: 'has' | 'has-not' }) =>
      withDatabase(async (pool, environment) => {
        const file = await railNamed(pool, environment, name).resolveMissing(bank === 'has' ? 'has_it' : 'has_it_not');
        console.log(
          `${file}: ${bank === 'has' ? 'kept as sent' : 'sent again, under its name and MsgId'}. The pause has ended.`,
        );
      }),
    );

  rails
    .command('check')
    .description('compare the files in sent/ with those that were published; exits with 1 where they differ')
    .argument('<rail>', 'the rail, as RAILS_FILE names it')
    .option('--json', 'print one JSON object a line')
    .action((name: string, { json }: { json?: boolean }) =>
      withDatabase(async (pool, environment) => {
        const differences = await railNamed(pool, environment, name).compare();
        for (const { file, what } of differences)
          console.log(json ? JSON.stringify({ file, what }) : `${file}: ${what}`);
        if (differences.length > 0) process.exitCode = 1;
        else if (!json) console.log('Every file that was published is in sent/, as it was, and no other one.');
      }),
    );
}

/** Over the API, with the key of a person of the operator's: the books keep who has given a credit to which of them. */
function addAssign(rails: Command): void {
  rails
    .command('assign')
    .description("give a credit that no account received to a book, with a person's key in COUNTINGHOUSE_API_KEY")
    .argument('<exception>', "the exception of the operator's book: exc_…")
    .argument('<book>', 'the book of a customer: book_…, as `books list` shows it')
    .option('--url <url>', 'the API; without it COUNTINGHOUSE_URL, or what `npm start` runs')
    .option('--json', 'print the exception as one JSON object')
    .action(async (exception: string, book: string, options: { url?: string; json?: boolean }) => {
      try {
        const ended = await allocate({ exception, book, url: options.url });
        console.log(
          options.json ? ended : `${exception} has ended: two persons of ${book} say for which account it is.`,
        );
      } catch (error) {
        const { message, cause } = error as Error & { cause?: Error };
        console.error(cause ? `${message} (${cause.message})` : message);
        process.exitCode = 1;
      }
    });
}

/** Resolves to the text of the answer. Repeated after a lost answer it is refused: the exception has ended. */
async function allocate({ exception, book, url }: { exception: string; book: string; url?: string }): Promise<string> {
  const { COUNTINGHOUSE_API_KEY: key, COUNTINGHOUSE_URL } = process.env;
  if (!key)
    throw new Error("Set COUNTINGHOUSE_API_KEY to the key of a person of the operator's, with exceptions:write.");
  const base = url ?? COUNTINGHOUSE_URL ?? readCredentials(dataDirectory())?.base_url;
  if (base === undefined) throw new Error('Name the API: --url or COUNTINGHOUSE_URL. Or run `npm start` first.');
  const response = await fetch(`${base.replace(/\/+$/, '')}/v1/exceptions/${encodeURIComponent(exception)}/allocate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ book }),
  });
  const text = await response.text();
  if (response.ok) return text;
  const { param, detail, title } = readProblem(text);
  throw new Error([response.status, param, detail ?? title ?? 'no reason given'].filter(Boolean).join(': '));
}

function readProblem(text: string): { param?: string; detail?: string; title?: string } {
  try {
    return JSON.parse(text) as { param?: string; detail?: string; title?: string };
  } catch {
    return {};
  }
}

async function viewOf(rail: Iso20022Rail): Promise<Record<string, unknown>> {
  const { waiting, pause } = await rail.state();
  return { rail: rail.name, mode: rail.mode, waiting, paused: pause?.kind ?? null, file: pause?.file ?? null };
}

function railNamed(pool: Pool, environment: NodeJS.ProcessEnv, name: string): Iso20022Rail {
  const rail = railsOf(pool, environment).find((one) => one.name === name);
  if (rail === undefined) throw new Error(`RAILS_FILE has no rail ${name} that pays by files.`);
  return rail;
}

/** The rails by files of RAILS_FILE. */
export function railsOf(pool: Pool, environment: NodeJS.ProcessEnv): readonly Iso20022Rail[] {
  const { encryptionKey, oldEncryptionKeys } = encryptionKeysOf(environment);
  const banks = {
    settings: banksOf(readRailsFile(environment.RAILS_FILE || undefined)),
    pool,
    secretBox: createSecretBox(encryptionKey, oldEncryptionKeys),
    keptBack: async (rail: string) => keptBackOf(await readPauses(pool), rail),
    operatorBook: async (mode: 'test' | 'live') => (await operatorBooks(pool))[mode],
  };
  return fileRails(banks, systemClock);
}
