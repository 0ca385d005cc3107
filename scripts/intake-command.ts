/** What commands share that book a file of a party: exit codes, the database, and a committer. */
import { lowBalances } from '../src/accounts/account/low-balance.ts';
import { requireContractedTo } from '../src/db/contract.ts';
import { watchForms } from '../src/db/forms.ts';
import { createPool, type Pool } from '../src/db/pool.ts';
import { createSecretBox, type SecretBox } from '../src/db/secret-box.ts';
import { environmentOrEmbedded, mayNameStatements } from '../src/embedded/environment.ts';
import { BadInput } from '../src/intake/bad-input.ts';
import { Committer } from '../src/ledger/commit/committer.ts';
import { databaseUrlOf } from '../src/process/connection-urls.ts';
import { createLogger } from '../src/process/log.ts';
import { systemClock } from '../src/values/clock.ts';
import { toJson } from '../src/values/json.ts';
import { webhookSink } from '../src/webhooks/backlogs/event-sink.ts';
import { databaseFailure } from './database-failure.ts';
import { encryptionKeysOf } from './rekey-command.ts';

/** Every line is booked. */
export const CLEAN = 0;
/** Some lines are exceptions. */
const FOUND = 1;
export const BAD_INPUT = 2;
const COULD_NOT_RUN = 3;

/** A committer's, and one to read beside it. */
const CONNECTIONS = 4;

/** Sets the exit code. `work` resolves to whether every line is booked. `verb`: what could not be done. */
export async function runIntake(
  work: () => Promise<boolean>,
  { json, verb }: { json: true | undefined; verb: string },
): Promise<void> {
  const fail = (code: number, error: string) => {
    if (json) console.log(toJson({ ok: false, error }));
    console.error(code === BAD_INPUT ? `${error} Nothing was booked.` : `Could not ${verb}: ${error}`);
    process.exitCode = code;
  };
  try {
    process.exitCode = (await work()) ? CLEAN : FOUND;
  } catch (error) {
    if (error instanceof BadInput) fail(BAD_INPUT, error.message);
    else fail(COULD_NOT_RUN, databaseFailure(error));
  }
}

interface DatabaseOfCommand {
  readonly databaseUrl: string | undefined;
  /** Of the command, for its connections. */
  readonly name: string;
  /** The version that has the command first: it is refused until the installation is contracted to that version. */
  readonly since?: string;
}

export async function withDatabase<Result>(
  { databaseUrl, name, since }: DatabaseOfCommand,
  work: (pool: Pool, environment: NodeJS.ProcessEnv) => Promise<Result>,
): Promise<Result> {
  const environment = environmentOrEmbedded(process.env);
  const pool = createPool({
    url: databaseUrl ? databaseUrlOf('--database-url', databaseUrl) : environment.DATABASE_URL!,
    name: `countinghouse-${name}`,
    size: CONNECTIONS,
    log: createLogger('silent', name),
    namedStatements: mayNameStatements(process.env),
  });
  try {
    if (since !== undefined) await requireContractedTo(pool, since, `npm run ${name} exists`);
    return await work(pool, environment);
  } finally {
    await pool.end();
  }
}

/** What seals the bytes of files. Throws where no key is set. */
export function secretBoxOf(environment: NodeJS.ProcessEnv): SecretBox {
  const { encryptionKey, oldEncryptionKeys } = encryptionKeysOf(environment);
  return createSecretBox(encryptionKey, oldEncryptionKeys);
}

/** A line of an exception, after it was taken again. */
export interface TakenAgain {
  readonly shown: { readonly ok: boolean } & Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Prints it. Resolves to whether the line is booked. */
export async function runAgain(
  { databaseUrl, name, json }: { databaseUrl: string | undefined; name: string; json: true | undefined },
  takeAgain: (runtime: { pool: Pool; committer: Committer }) => Promise<TakenAgain>,
): Promise<boolean> {
  const { shown, text } = await withDatabase({ databaseUrl, name }, (pool) =>
    withCommitter(pool, (committer) => takeAgain({ pool, committer })),
  );
  console.log(json ? toJson(shown) : text);
  return shown.ok;
}

export async function withCommitter<Result>(
  pool: Pool,
  work: (committer: Committer) => Promise<Result>,
): Promise<Result> {
  const forms = watchForms(pool, { onFailure: () => undefined });
  await forms.read().finally(() => forms.close());
  // What is to be enqueued is due in Postgres: the sweeper finds it.
  const sink = webhookSink;
  const committer = new Committer({
    watch: lowBalances,
    pool,
    clock: systemClock,
    sink,
    forms,
    enqueue: () => undefined,
  });
  return work(committer).finally(() => committer.close());
}
