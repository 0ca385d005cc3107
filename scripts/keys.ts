/**
 * `npm run keys -- create|list|revoke|roll|person|people|end`: an operator makes and ends API keys, and names their
 * owners. Works on the database of DATABASE_URL, or on what `npm start` runs. A key is printed once, when it is made,
 * and cannot be printed again.
 */

import { userInfo } from 'node:os';
import Table from 'cli-table3';
import { Command } from 'commander';
import { createPool, type Pool } from '../src/db/pool.ts';
import { environmentOrEmbedded, mayNameStatements } from '../src/embedded/environment.ts';
import { adoptKeys } from '../src/organisations/adopt-keys.ts';
import { type ApiKey, EVERY_SCOPE, LIVE_BY_NAME, SCOPES, standingOf } from '../src/organisations/api-key.ts';
import { type ApiKeyOfBook, findApiKey, listApiKeys } from '../src/organisations/api-key-store.ts';
import {
  type IssuedApiKey,
  issueApiKey,
  type KeyIssuer,
  revokeApiKey,
  rollApiKey,
} from '../src/organisations/issue-api-key.ts';
import { findBookId } from '../src/organisations/organisation-store.ts';
import { shownPersonId } from '../src/organisations/person.ts';
import { createLogger } from '../src/process/log.ts';
import { encodeActor } from '../src/values/actor.ts';
import { formatInstant, formatInstantOrNull, systemClock } from '../src/values/clock.ts';
import { publicId, type Uuid } from '../src/values/ids.ts';
import { withCommitter } from './intake-command.ts';
import {
  parseDuration,
  parseExpiry,
  parseKeyId,
  parseLimit,
  parseList,
  parseMode,
  parsePersonId,
} from './keys-options.ts';
import { addPeopleCommands, organisationOf, organisationOption, scopesFor } from './keys-people.ts';
import { runDirectly } from './run-directly.ts';

const PAGE = 500;
/** A committer's, and one to read beside it. */
const CONNECTIONS = 4;

export const program = new Command().name('npm run keys --').description('API keys: create, list, revoke, roll.');

program
  .command('create')
  .description('make a key; the organisation is made too when there is none of that name')
  .addOption(organisationOption('whose books it opens'))
  .option(
    '--operator',
    "open the operator's own books instead: to read, and by name for its journal, exceptions and reconciliations",
  )
  .requiredOption('--mode <mode>', 'test or live', parseMode)
  .option('--name <text>', 'what it is for; without --person also the name of the service that it belongs to', 'key')
  .option('--person <id>', 'whose key it is: person_…, as `people` shows it', parsePersonId)
  .option(
    '--scopes <list>',
    `separated by commas: ${EVERY_SCOPE} for all (the default; in live mode without ${LIVE_BY_NAME.join(', ')}), or ${SCOPES.join(', ')}`,
    parseList,
  )
  .option('--expires <when>', 'a time such as 2027-01-31T00:00:00Z, or from now on: 90d, 24h', parseExpiry)
  .option('--ips <list>', 'addresses and networks it may be used from, separated by commas', parseList, [])
  .option('--writes-per-second <n>', "its own limit instead of the book's", parseLimit)
  .option('--reads-per-second <n>', "its own limit instead of the book's", parseLimit)
  .option('--json', 'print one JSON object')
  .action((options) =>
    withDatabase(async (pool) => {
      const scopes = scopesFor(options);
      const organisation = await organisationOf(pool, options);
      const bookId = await findBookId(pool, organisation.id, options.mode);
      if (!bookId) throw new Error(`${organisation.name} has no ${options.mode} book.`);
      const issued = await asOperator(pool, (issuer) =>
        issueApiKey(issuer, {
          bookId,
          mode: options.mode,
          name: options.name,
          personId: options.person,
          scopes,
          allowedIps: options.ips,
          writesPerSecond: options.writesPerSecond,
          readsPerSecond: options.readsPerSecond,
          expiresAt: options.expires,
        }),
      );
      await printIssued(pool, issued, options.json);
    }),
  );

program
  .command('list')
  .description('show keys, also ended ones')
  .option('--organisation <name>', 'of this organisation alone')
  .option('--mode <mode>', 'test or live', parseMode)
  .option('--json', 'print one JSON object a line')
  .action((options) =>
    withDatabase(async (pool) => {
      await adoptKeys(pool);
      const keys: ApiKeyOfBook[] = [];
      for (let after: Uuid | undefined; ; after = keys.at(-1)!.id) {
        const page = await listApiKeys(pool, {
          organisationName: options.organisation,
          mode: options.mode,
          after,
          limit: PAGE,
        });
        keys.push(...page);
        if (page.length < PAGE) break;
      }
      if (options.json) for (const key of keys) console.log(JSON.stringify(viewOfBookKey(key)));
      else
        console.log(
          keys.length > 0
            ? tableOf(keys)
            : 'There are no keys. Make one: npm run keys -- create --organisation NAME --mode test',
        );
    }),
  );

program
  .command('revoke')
  .description('end a key now; every process refuses it within a second')
  .argument('<id>', 'key_…, as `list` shows it', parseKeyId)
  .option('--json', 'print one JSON object')
  .action((id: Uuid, options) =>
    withDatabase(async (pool) => {
      await knownKey(pool, id);
      const revoked = await asOperator(pool, (issuer) => revokeApiKey(issuer, id));
      if (options.json) console.log(JSON.stringify({ id: publicId('apiKey', id), revoked: true, changed: revoked }));
      else
        console.log(revoked ? `Revoked ${publicId('apiKey', id)}.` : `${publicId('apiKey', id)} was revoked before.`);
    }),
  );

program
  .command('roll')
  .description('make a successor with the same rights, and let the old key go on for a while')
  .argument('<id>', 'key_…, as `list` shows it', parseKeyId)
  .option('--overlap <duration>', 'how long the old key still opens: 24h, 30m, 7d, 0', parseDuration, 24 * 3_600_000)
  .option('--json', 'print one JSON object')
  .action((id: Uuid, options) =>
    withDatabase(async (pool) => {
      // Version 0.2.0 makes keys without an owner.
      await adoptKeys(pool);
      const issued = await asOperator(pool, (issuer) => rollApiKey(issuer, { id, overlapMs: options.overlap }));
      await printIssued(pool, issued, options.json);
    }),
  );

addPeopleCommands(program, withDatabase);

await runDirectly(import.meta, program);

async function withDatabase(work: (pool: Pool) => Promise<void>): Promise<void> {
  let pool: Pool | undefined;
  try {
    const environment = environmentOrEmbedded();
    pool = createPool({
      url: environment.DATABASE_URL!,
      name: 'countinghouse-keys',
      size: CONNECTIONS,
      log: createLogger('silent', 'keys'),
      namedStatements: mayNameStatements(environment),
    });
    await work(pool);
  } catch (error) {
    const { message, code, errors } = error as Error & { code?: string; errors?: Error[] };
    console.error(message || errors?.map((inner) => inner.message).join('; ') || code);
    process.exitCode = 1;
  } finally {
    await pool?.end();
  }
}

/** By the commands that the API runs, in a committer of this process. */
function asOperator<Result>(pool: Pool, work: (issuer: KeyIssuer) => Promise<Result>): Promise<Result> {
  const actor = encodeActor({ type: 'operator', name: userInfo().username.slice(0, 100) });
  return withCommitter(pool, (committer) => work({ db: pool, committer, actor }));
}

async function knownKey(pool: Pool, id: Uuid): Promise<ApiKeyOfBook> {
  const key = await findApiKey(pool, id);
  if (!key) throw new Error(`There is no key ${publicId('apiKey', id)}. \`npm run keys -- list\` shows them.`);
  return key;
}

function viewOf(key: ApiKey) {
  return {
    id: publicId('apiKey', key.id),
    name: key.name,
    owner: { type: key.owner.kind, id: shownPersonId(key.owner), name: key.owner.name },
    key: `${key.prefix}…${key.lastFour}`,
    scopes: key.scopes,
    allowed_ips: key.allowedIps,
    writes_per_second: key.writesPerSecond,
    reads_per_second: key.readsPerSecond,
    created_at: formatInstant(key.createdAt),
    expires_at: formatInstantOrNull(key.expiresAt),
    revoked_at: formatInstantOrNull(key.revokedAt),
    last_used_at: formatInstantOrNull(key.lastUsedAt),
  };
}

function viewOfBookKey(key: ApiKeyOfBook) {
  return {
    ...viewOf(key),
    organisation: key.organisationName,
    mode: key.mode,
    standing: standingOf(key, systemClock.now()),
  };
}

async function printIssued(pool: Pool, { id, token }: IssuedApiKey, json: boolean | undefined): Promise<void> {
  const key = await knownKey(pool, id);
  if (json) console.log(JSON.stringify({ ...viewOf(key), key: token }));
  else console.log(`${token}\n\n${publicId('apiKey', key.id)}, shown this once: keep it where secrets are kept.`);
}

function tableOf(keys: readonly ApiKeyOfBook[]): string {
  const head = ['id', 'organisation', 'name', 'owner', 'key', 'scopes', 'standing', 'ends', 'last used'];
  const table = new Table({ head, ...(process.stdout.isTTY ? {} : { style: { head: [], border: [] } }) });
  for (const key of keys) {
    const view = viewOfBookKey(key);
    table.push([
      view.id,
      view.organisation,
      view.name,
      `${view.owner.type} ${view.owner.name ?? ''}\n${view.owner.id}`,
      view.key,
      view.scopes.join('\n'),
      view.standing,
      view.revoked_at ?? view.expires_at ?? '',
      view.last_used_at ?? 'never',
    ]);
  }
  return table.toString();
}
