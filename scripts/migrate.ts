/**
 * `npm run migrate`: brings the database of DATABASE_OWNER_URL up to this code, and gives the roles of DATABASE_URL and
 * SIGNER_DATABASE_URL their rights. Run it before every upgrade, and again whenever rights may be wrong: it changes
 * nothing that is already right. `--contract` is for when no process of the version before runs any more
 * (docs/operations.md, Upgrade).
 */
import { Command } from 'commander';
import { environmentOrEmbedded } from '../src/embedded/environment.ts';
import { RIGHTS } from '../src/groups.ts';
import { install } from '../src/operations/install.ts';
import { databaseUrlOf } from '../src/process/connection-urls.ts';
import { createLogger } from '../src/process/log.ts';
import { outliveReaders } from './run-directly.ts';

const { json, contract } = new Command()
  .name('npm run migrate --')
  .description('Brings the database up to this code, and gives the roles of application and signer their rights.')
  .option('--contract', 'also end the time of the release before: write stored forms that it cannot read; no way back')
  .option('--json', 'print one JSON object')
  .addHelpText(
    'after',
    `
Environment:
  DATABASE_OWNER_URL  the role that owns the schema; a direct connection, not through a pooler
  DATABASE_URL        the role that the application runs under; it must exist: CREATE ROLE … LOGIN PASSWORD '…'
  SIGNER_DATABASE_URL the role that adds checkpoints, likewise; without it no checkpoints are made`,
  )
  .parse()
  .opts<{ json?: boolean; contract?: boolean }>();

outliveReaders();
try {
  // A running `npm start` migrates itself, so only a contract works on its database.
  const environment = contract ? environmentOrEmbedded() : process.env;
  const result = await install({
    ownerUrl: required(environment, 'DATABASE_OWNER_URL'),
    applicationUrl: required(environment, 'DATABASE_URL'),
    signerUrl: databaseUrlOf('SIGNER_DATABASE_URL', environment.SIGNER_DATABASE_URL ?? '') || undefined,
    rights: RIGHTS,
    log: createLogger(process.env.LOG_LEVEL || 'warn', 'migrate'),
    ...(contract && { contract: {} }),
  });
  if (json) {
    const contracted = result.contract && {
      contracted_to: result.contract.contractedTo,
      contracted_now: result.contract.changed,
    };
    console.log(JSON.stringify({ applied: result.applied, left_to_do: result.leftToDo, ...contracted }));
  } else {
    console.log(result.applied.length > 0 ? `Applied: ${result.applied.join(', ')}` : 'The schema is up to date.');
    console.log(
      environment.SIGNER_DATABASE_URL
        ? 'The rights of the application role and the signer are set.'
        : 'The rights of the application role are set. SIGNER_DATABASE_URL is not set: nobody was given the right to add checkpoints.',
    );
    if (result.contract) {
      const { contractedTo, changed } = result.contract;
      // A new database has no rows of an earlier form.
      if (!contract) console.log(`A new database: its stored forms are those of ${contractedTo}.`);
      else
        console.log(
          changed
            ? `Contracted: processes write the stored forms of ${contractedTo} within seconds. No earlier release may run here again.\nNext: npm run ops -- rekey`
            : `The stored forms were contracted before, to ${contractedTo}.`,
        );
    }
    if (result.leftToDo.length > 0) console.log(`A superuser must still run:\n${result.leftToDo.join('\n')}`);
  }
  process.exitCode = result.leftToDo.length > 0 ? 2 : 0;
} catch (error) {
  console.error(describe(error));
  process.exitCode = 1;
}

function required(environment: NodeJS.ProcessEnv, name: 'DATABASE_OWNER_URL' | 'DATABASE_URL'): string {
  const value = environment[name];
  if (value) return databaseUrlOf(name, value);
  throw new Error(`${name} is not set; it expects a URL such as postgres://user:password@127.0.0.1:5432/countinghouse`);
}

/** Postgres names its errors by code; a refused connection to several addresses has no message of its own. */
function describe(error: unknown): string {
  const { message, code, errors } = error as Error & { code?: string; errors?: Error[] };
  return `Not migrated: ${message || errors?.map((inner) => inner.message).join('; ')}${code ? ` (${code})` : ''}`;
}
