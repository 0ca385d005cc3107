/**
 * `npm start`: the whole product in one process, with real parts. Postgres is embedded unless DATABASE_URL names one,
 * and has the queues unless REDIS_URL names a Redis. The process runs the API, all pools and the sandbox rails, and
 * makes a key and an account. Ctrl-C finishes running work, then stops Postgres. After a kill, the next start recovers.
 * Next: instance-lock.ts (one at a time), postgres-server.ts (the database), sandbox.ts (key and account).
 */
import { realpathSync } from 'node:fs';
import { POOL_NAMES, startPools } from '../../workers/run.ts';
import { type Config, ConfigError, readConfig } from '../config.ts';
import { DatabaseRoleError } from '../db/roles.ts';
import { SecretBoxError } from '../db/secret-box.ts';
import { RIGHTS } from '../groups.ts';
import { ListenError } from '../http/connections/http-server.ts';
import { install } from '../operations/install.ts';
import { createLogger, type Logger } from '../process/log.ts';
import { EvictionPolicyError } from '../queue/memory-policy.ts';
import { QueueUnfit } from '../queue/try-queue.ts';
import { createRuntime } from '../runtime.ts';
import { startApi } from '../server.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { dataDirectory } from './environment.ts';
import { greet } from './greeting.ts';
import { AlreadyRunning, claimInstance } from './instance-lock.ts';
import { makeDataFolder } from './place.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';
import { isPortFree, quietPort } from './postmaster.ts';
import { keepSandboxAccount, keepSandboxKey } from './sandbox.ts';
import { createShutdown, StoppedWhileStarting } from './shutdown.ts';
import { keepSigningKey } from './signing-key-file.ts';

class PortTaken extends Error {
  override name = 'PortTaken';

  constructor(port: number) {
    super(
      `Port ${port} is taken by another program. Set PORT to a free one, or to 0 to have one picked: PORT=0 npm start`,
    );
  }
}

/** Errors that a person can fix. Only their message is printed, without a stack. */
const PLAIN_FAULTS = [
  PortTaken,
  AlreadyRunning,
  ConfigError,
  EmbeddedPostgresError,
  DatabaseRoleError,
  EvictionPolicyError,
  ListenError,
  QueueUnfit,
  SecretBoxError,
];

const LOCAL_RECEIVERS = '127.0.0.1:*,localhost:*';

const directory = dataDirectory();
const shutdown = createShutdown();

await shutdown.start(start).catch(async (error: Error) => {
  if (error instanceof StoppedWhileStarting) return;
  console.error(PLAIN_FAULTS.some((kind) => error instanceof kind) ? error.message : error);
  await shutdown.run(1);
});

async function start(): Promise<void> {
  makeDataFolder(directory);
  const claim = claimInstance(realpathSync(directory));
  shutdown.add('data folder', async () => claim.remove());
  const port = await choosePort();
  const postgres = process.env.DATABASE_URL ? undefined : await startOwnPostgres();
  const config = readConfig(environmentWith(postgres, port));
  const log = createLogger(config.LOG_LEVEL, 'countinghouse');
  if (postgres) keepPostgresRunning(postgres, log);
  if (config.DATABASE_OWNER_URL) {
    const urls = { applicationUrl: config.DATABASE_URL, signerUrl: config.SIGNER_DATABASE_URL };
    await install({ ownerUrl: config.DATABASE_OWNER_URL, ...urls, rights: RIGHTS, log });
  }
  await startProduct({ config, log, postgres, announce: claim.announce });
}

/** The given environment, completed by defaults for everything that a start needs. */
function environmentWith(postgres: PostgresServer | undefined, port: string): NodeJS.ProcessEnv {
  const given = process.env;
  return {
    ...given,
    PORT: port,
    // The greeting should stay visible. LOG_LEVEL=info adds a line for each request.
    LOG_LEVEL: given.LOG_LEVEL || 'warn',
    // Test books may send webhooks to this machine (`npm run listen`), as long as only this machine can reach the API.
    WEBHOOK_ALLOW_HOSTS: given.WEBHOOK_ALLOW_HOSTS || (isLoopback(given.HOST) ? LOCAL_RECEIVERS : ''),
    ...(postgres && {
      DATABASE_URL: postgres.applicationUrl,
      DATABASE_OWNER_URL: postgres.ownerUrl,
      SIGNER_DATABASE_URL: postgres.signerUrl,
      COUNTINGHOUSE_ENCRYPTION_KEY: given.COUNTINGHOUSE_ENCRYPTION_KEY || postgres.encryptionKey,
      CHECKPOINT_SIGNING_KEY: given.CHECKPOINT_SIGNING_KEY || keepSigningKey(directory),
    }),
  };
}

function isLoopback(host: string | undefined): boolean {
  return !host || ['127.0.0.1', 'localhost', '::1'].includes(host);
}

async function startOwnPostgres(): Promise<PostgresServer> {
  const postgres = await startPostgres({ directory });
  shutdown.add('Postgres', () => postgres.stop('fast'));
  // An immediate stop loses nothing committed; the next start recovers.
  shutdown.onForce(() => postgres.stop('immediate'));
  return postgres;
}

/** Restarts a Postgres that was killed. The product keeps running, and its pools reconnect by themselves. */
function keepPostgresRunning(postgres: PostgresServer, log: Logger): void {
  postgres.onUnexpectedExit((description) => {
    if (shutdown.running) return;
    log.error({ description }, 'Postgres ended; starting it again');
    postgres.start().catch((error) => {
      log.fatal({ err: error }, 'Postgres does not start again');
      void shutdown.run(1);
    });
  });
}

async function startProduct(options: {
  config: Config;
  log: Logger;
  postgres: PostgresServer | undefined;
  announce(baseUrl: string): void;
}): Promise<void> {
  const { config, log, postgres, announce } = options;
  const runtime = createRuntime(config, log);
  shutdown.add('connections', () => runtime.close());
  await runtime.prepare();
  const pools = await startPools(runtime, { pools: POOL_NAMES });
  shutdown.add('worker pools', () => pools.close());
  let testKey: string | undefined;
  // Under a public URL a proxy stands before this machine, and its connections come from here as well.
  const api = await startApi(runtime, { sandboxKey: () => (config.PUBLIC_URL ? undefined : testKey) });
  shutdown.add('API', () => api.close());
  testKey = await keepSandboxKey({ ...runtime, directory, baseUrl: api.url });
  announce(api.url);
  const account = await keepSandboxAccount({ directory, baseUrl: api.url, token: testKey }).catch((error) => {
    log.warn({ err: error }, 'the sandbox account could not be made');
    return undefined;
  });
  const queues = config.REDIS_URL ? 'Redis' : 'Postgres';
  console.log(greet({ baseUrl: api.url, testKey, account, directory, queues, cluster: postgres?.cluster }));
}

/** Reports a taken port before anything starts. PORT=0 is resolved here, because links in answers contain the port. */
async function choosePort(): Promise<string> {
  const port = process.env.PORT || '8080';
  if (port === '0') return String(await quietPort());
  // A value that is not a port number is refused with the rest of the configuration.
  const free =
    !/^\d{1,5}$/.test(port) || Number(port) > 65_535 || (await isPortFree(Number(port), process.env.HOST || undefined));
  if (!free) throw new PortTaken(Number(port));
  return port;
}
