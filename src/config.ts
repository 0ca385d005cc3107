/** Configuration: read once from the environment, checked whole. Errors name each variable and its expected value. */
import { Resolver } from 'node:dns';
import proxyAddress from 'proxy-addr';
import { z } from 'zod';
import { amountsByCurrency, amountsFault } from './money/amounts-by-currency.ts';
import { percentByCurrency, percentFault } from './money/percent-by-currency.ts';
import { credentialsFault, databaseUrlFault, RAW_CREDENTIALS } from './process/connection-urls.ts';
import { brokenRules, SECRETS_EXPECTATION } from './process/settings-rules.ts';
import { isHost, isUrl } from './values/url.ts';

const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\/.+/, 'expects a URL such as postgres://user:password@127.0.0.1:5432/countinghouse')
  .superRefine((url, context) => {
    const fault = databaseUrlFault(url);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  });
const redisUrls = z
  .string()
  .transform((text) => text.replaceAll(/\s/g, ''))
  .refine((text) => text.split(',').every((url) => credentialsFault(url) === undefined), RAW_CREDENTIALS)
  .refine(
    (text) => text.split(',').every((url) => /^rediss?:\/\/.+/.test(url) && isUrl(url)),
    'expects a URL such as redis://127.0.0.1:6379, or those of the nodes of a cluster, separated by commas',
  )
  .refine(
    isOneCluster,
    'expects the nodes of one cluster: with the same scheme, user and password, and no number of a database',
  );

/** One login opens every node, and a cluster has only database 0. */
function isOneCluster(text: string): boolean {
  const nodes = text.split(',');
  if (nodes.length === 1 || !nodes.every((url) => isUrl(url))) return true;
  const logins = nodes.map((url) => new URL(url)).map((url) => `${url.protocol}//${url.username}:${url.password}`);
  const databases = nodes.map((url) => new URL(url).pathname);
  return new Set(logins).size === 1 && databases.every((path) => path === '' || path === '/' || path === '/0');
}

const port = whole(0, 65_535);

/** Acquirers, processors and rails share one name space, by which their notices are stored. `book` is the rail of payouts that name none. */
const TAKEN_NAMES: readonly string[] = ['sandbox_acquirer', 'sandbox_processor', 'sandbox', 'book'];

/** A whole number in the text of a variable. */
function whole(minimum: number, maximum: number) {
  const expectation = `expects a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, expectation)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, expectation);
}

const flag = z.enum(['true', 'false'], 'expects true or false').transform((text) => text === 'true');

/** Texts separated by commas. */
const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  );

const amounts = list
  .superRefine((parts, context) => {
    const fault = amountsFault(parts);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  })
  .transform(amountsByCurrency);

const percentages = list
  .superRefine((parts, context) => {
    const fault = percentFault(parts);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  })
  .transform(percentByCurrency);

const NETWORKS_EXPECTATION =
  'expects addresses, networks such as 10.0.0.0/8, loopback, linklocal or uniquelocal, separated by commas';

function isListOfNetworks(parts: readonly string[]): boolean {
  try {
    proxyAddress.compile([...parts]);
    return true;
  } catch {
    return false;
  }
}

/** As Standard Webhooks writes them (standard-webhooks.ts). */
function isWebhookSecret(text: string): boolean {
  const base64 = text.startsWith('whsec_') ? text.slice('whsec_'.length) : '';
  const bytes = Buffer.from(base64, 'base64');
  const isWhole = bytes.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '');
  return isWhole && bytes.length >= 24 && bytes.length <= 64;
}

/** A base URL: http or https, a host, and maybe a path. As text, since the parser (WHATWG) drops an empty query and spaces. */
function isBaseUrl(text: string): boolean {
  return /^https?:\/\/[^\s/?#\\@]+(\/[^\s?#\\]*)?$/i.test(text) && isUrl(text);
}

/** A gateway is called by https; by http only on this machine, where a proxy may add TLS. */
function isGatewayUrl(text: string): boolean {
  if (!isBaseUrl(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname));
}

const gatewayName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{1,31}$/, 'expects a name of 2 to 32 lower-case letters, digits and underscores')
  .refine((name) => !TAKEN_NAMES.includes(name), `expects another name: ${TAKEN_NAMES.join(', ')} are taken`)
  .optional();

const gatewayUrl = z
  .string()
  .refine(isGatewayUrl, 'expects an https URL without a query, or an http URL of this machine')
  .optional();

const gatewaySecrets = list.refine((secrets) => secrets.every(isWebhookSecret), SECRETS_EXPECTATION);

const gatewayMode = z.enum(['live', 'test'], 'expects live or test').default('live');

/** What a rail can carry (rails/rail.ts). */
const RAIL_DESTINATIONS = ['cliq', 'iban', 'wallet', 'card'] as const;

const hostAndPort = z
  .string()
  .regex(/^(\[[0-9a-fA-F:]+\]|[^\s:,]+):(\*|\d{1,5})$/, 'expects host:port or host:*, separated by commas')
  .refine(
    (text) => isPortOrAny(text.slice(text.lastIndexOf(':') + 1)),
    'expects ports from 1 to 65535, without leading zeros',
  );

/** As parseAllowList compares them: as text. */
function isPortOrAny(text: string): boolean {
  return text === '*' || (/^[1-9]\d*$/.test(text) && Number(text) <= 65_535);
}

const NAME_SERVERS_EXPECTATION =
  'expects addresses of name servers, such as 10.0.0.2 or [2001:db8::1]:5353, separated by commas';

function areNameServers(parts: readonly string[]): boolean {
  try {
    new Resolver().setServers([...parts]);
    return true;
  } catch {
    return false;
  }
}

/** The bytes before the 32 bytes of a seed in PKCS #8 (RFC 8410, section 7). */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SIGNING_KEY_EXPECTATION =
  'expects an Ed25519 key in base64 (openssl genpkey -algorithm ed25519 -outform DER | base64)';

function isSigningKey(bytes: Buffer): boolean {
  if (bytes.length === 32) return true;
  return bytes.length === 48 && bytes.subarray(0, 16).equals(PKCS8_ED25519);
}

const FORMER_KEYS_EXPECTATION =
  'expects public keys of 32 bytes in base64, or their ids (ed25519:…), as `npm run checkpoint -- --show-key` prints them, separated by commas';

function isPublicKey(text: string): boolean {
  return /^ed25519:[0-9a-f]{64}$/.test(text) || /^[A-Za-z0-9+/]{43}=$/.test(text);
}

const schema = z.object({
  /** The application's role: it cannot change the journal. */
  DATABASE_URL: postgresUrl,
  /** The owner's role: migrations and grants only. */
  DATABASE_OWNER_URL: postgresUrl.optional(),
  /** The signer's role: adds checkpoints and may write nothing else. Without it no checkpoints are made. */
  SIGNER_DATABASE_URL: postgresUrl.optional(),
  /** Redis as the queue backend; without it, Postgres. Several URLs, separated by commas: a Redis Cluster. */
  REDIS_URL: redisUrls.optional(),
  /** Reads a single REDIS_URL as that of a Redis Cluster: its configuration endpoint. */
  REDIS_CLUSTER: flag.default(false),
  /** Begins every key in Redis. Installations that share a Redis have one each. */
  REDIS_PREFIX: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_.-]{0,63}$/, 'expects up to 64 lower-case letters, digits, dots, hyphens and underscores')
    .default('countinghouse'),
  /** A direct connection for the Postgres queue backend (it needs LISTEN), when DATABASE_URL goes through a pooler. */
  QUEUE_DATABASE_URL: postgresUrl.optional(),
  /**
   * Partitions of a pool's jobs, a queue each. A book's jobs are in partition hash(book) mod QUEUE_LANES. The same in
   * every process.
   */
  QUEUE_LANES: whole(1, 64).default(1),
  HOST: z.string().min(1, 'expects an address to listen on').default('127.0.0.1'),
  PORT: port.default(8080),
  /** Where integrators reach the API; the base of the links in answers. */
  PUBLIC_URL: z
    .string()
    .refine(
      (text) => isBaseUrl(text) && isHost(new URL(text).hostname),
      'expects an http or https URL without a user, a query and a fragment, such as https://pay.example.com',
    )
    .optional(),
  /** Where a worker process answers /livez, /readyz and /metrics. */
  WORKER_PORT: port.optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  /**
   * Proxies whose X-Forwarded-For names the caller: addresses, networks, names of private networks. None: the peer is
   * the caller.
   */
  TRUSTED_PROXIES: list.refine(isListOfNetworks, NETWORKS_EXPECTATION),
  /** 32 bytes in base64; encrypts webhook secrets and alias data at rest. */
  COUNTINGHOUSE_ENCRYPTION_KEY: z
    .string()
    .refine(
      (text) => Buffer.from(text, 'base64').length === 32,
      'expects 32 bytes in base64 (openssl rand -base64 32)',
    ),
  /** Earlier keys, which only decrypt, separated by commas. */
  COUNTINGHOUSE_ENCRYPTION_KEYS_OLD: z
    .string()
    .default('')
    .transform((text) => text.split(',').filter(Boolean))
    .refine(
      (keys) => keys.every((key) => Buffer.from(key, 'base64').length === 32),
      'expects keys of 32 bytes in base64, separated by commas',
    ),
  /** Ed25519 key in base64: a seed of 32 bytes, or PKCS #8. Signs checkpoints; without it none are made. */
  CHECKPOINT_SIGNING_KEY: z
    .string()
    .refine((text) => isSigningKey(Buffer.from(text, 'base64')), SIGNING_KEY_EXPECTATION)
    .optional(),
  /** Public keys, or their ids, that signed before CHECKPOINT_SIGNING_KEY. Their checkpoints are continued too. */
  CHECKPOINT_FORMER_KEYS: list.refine((keys) => keys.every(isPublicKey), FORMER_KEYS_EXPECTATION),
  /** The time between two checkpoints of a book whose journal grows. */
  CHECKPOINT_INTERVAL_SECONDS: whole(1, 604_800).default(3_600),
  /** host:port pairs that webhooks of test books may reach although they are not public. */
  WEBHOOK_ALLOW_HOSTS: list.pipe(z.array(hostAndPort)),
  /** Ports to which webhooks may be sent beside 443, 80 and 8443. */
  WEBHOOK_ALLOW_PORTS: list.pipe(z.array(whole(1, 65_535))),
  /** Name servers for webhooks, instead of the system's: address or address:port. */
  WEBHOOK_DNS_SERVERS: list.refine(areNameServers, NAME_SERVERS_EXPECTATION),
  RATE_LIMIT_WRITES_PER_SECOND: whole(1, 1_000_000).default(100),
  /** Of processors' messages, which are decided while somebody stands at a till. */
  RATE_LIMIT_MESSAGES_PER_SECOND: whole(1, 1_000_000).default(1_000),
  /** Of POST /v1/payouts/resolve: the operators of alias schemes limit questions. */
  RATE_LIMIT_LOOKUPS_PER_SECOND: whole(1, 1_000_000).default(10),
  RATE_LIMIT_READS_PER_SECOND: whole(1, 1_000_000).default(400),
  DATABASE_POOL_SIZE: whole(2, 200).default(10),
  /** Connections for lists, beside that pool: one book has at most half of them. Opened by the first list. */
  DATABASE_LIST_POOL_SIZE: whole(1, 50).default(4),
  /** Basis points (hundredths of a per cent) of a payout's amount, per destination. */
  PAYOUT_FEE_CLIQ_BASIS_POINTS: whole(0, 10_000).default(50),
  PAYOUT_FEE_IBAN_BASIS_POINTS: whole(0, 10_000).default(50),
  PAYOUT_FEE_WALLET_BASIS_POINTS: whole(0, 10_000).default(50),
  PAYOUT_FEE_CARD_BASIS_POINTS: whole(0, 10_000).default(50),
  PAYOUT_FEE_ACCOUNT_BASIS_POINTS: whole(0, 10_000).default(0),
  /** A JSON file with rails, routes, fees and limits of payouts (docs/rails.md). The same in every process. */
  RAILS_FILE: z.string().min(1).optional(),
  /** Basis points of what is captured of a payment, and a fixed part by currency: JOD:100,USD:30 in minor units. */
  PAYMENT_FEE_BASIS_POINTS: whole(0, 10_000).default(250),
  PAYMENT_FEE_FIXED: amounts,
  /** Days for which an authorization can be captured: no longer than the acquirer keeps it. */
  PAYMENT_AUTHORIZATION_DAYS: whole(1, 30).default(7),
  /** The merchant's fee for a chargeback, by currency in minor units, and whether it is refunded when the chargeback is won. */
  PAYMENT_DISPUTE_FEE: amounts,
  PAYMENT_DISPUTE_FEE_REFUNDED: flag.default(false),
  /** The tax that fees contain, in per cent by currency: JOD:16. A currency that is not in it is not taxed. */
  FEE_TAX_PERCENT: percentages,
  /** Days from a capture until its money is available to the merchant, for books without a schedule of their own. */
  PAYMENT_RELEASE_DAYS: whole(1, 90).default(2),
  PAYMENT_RELEASE_UNIT: z.enum(['days', 'business_days']).default('days'),
  /**
   * The calendar of business days: src/calendar/business-days.ts. With calendar days it is the calendar of a book that
   * sets business days for itself and names none.
   */
  PAYMENT_RELEASE_CALENDAR: z.enum(['sat_sun', 'fri_sat', 'target2']).default('sat_sun'),
  /** HH:MM in the time zone of the book: from then on, captures count as those of the next day. */
  PAYMENT_RELEASE_CUT_OFF: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'expects a time of day such as 17:00')
    .optional(),
  /** Whether only amounts that the acquirer has paid are released. */
  PAYMENT_RELEASE_ONCE_SETTLED: flag.default(true),
  /** A partner's gateway that takes payments (docs/partners.md): its name, base URL, and the secrets shared with it. */
  ACQUIRER_HTTP_NAME: gatewayName,
  ACQUIRER_HTTP_URL: gatewayUrl,
  /** Each signs, and one valid signature is enough: several during a rotation. */
  ACQUIRER_HTTP_SECRETS: gatewaySecrets,
  /** The books whose payments it takes. */
  ACQUIRER_HTTP_MODE: gatewayMode,
  /** Whether the API takes card numbers for it. It puts the installation in scope of PCI DSS. */
  ACQUIRER_HTTP_CARD_DATA: flag.default(false),
  /** A partner's gateway that makes cards: as the acquirer's. */
  PROCESSOR_HTTP_NAME: gatewayName,
  PROCESSOR_HTTP_URL: gatewayUrl,
  PROCESSOR_HTTP_SECRETS: gatewaySecrets,
  /** The books whose cards it makes. */
  PROCESSOR_HTTP_MODE: gatewayMode,
  /** A partner's gateway that pays out: as the acquirer's. */
  RAIL_HTTP_NAME: gatewayName,
  RAIL_HTTP_URL: gatewayUrl,
  RAIL_HTTP_SECRETS: gatewaySecrets,
  /** The books whose payouts it carries. */
  RAIL_HTTP_MODE: gatewayMode,
  /** The types of destinations that it carries. */
  RAIL_HTTP_DESTINATIONS: z
    .string()
    .default(RAIL_DESTINATIONS.join(','))
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(z.enum(RAIL_DESTINATIONS, `expects some of ${RAIL_DESTINATIONS.join(', ')}, separated by commas`))),
  /** Names of acquirers and processors whose tokens of cards it pays out to. */
  RAIL_HTTP_TOKENS_OF: list,
  /** After this many days an idempotency key's stored answer is dropped; the key itself stays. */
  IDEMPOTENCY_BODY_RETENTION_DAYS: whole(1, 3_650).default(30),
  /** After this many days a rail's booked notice is deleted. Its evidence stays beside its payout. */
  NOTICE_RETENTION_DAYS: whole(1, 3_650).default(90),
  /** How long a stopping process may take to finish its work in hand. */
  DRAIN_TIMEOUT_MS: whole(100, 600_000).default(25_000),
  /** How often the sweeper looks for due rows. */
  SWEEP_INTERVAL_MS: whole(50, 60_000).default(1_000),
  /** The part of one connection's time that the audit beside the sweeper may take; 0 turns the audit off. */
  AUDIT_TIME_SHARE_PERCENT: whole(0, 50).default(2),
  /** Whether statements are prepared by name. Must be false behind a pooler in transaction mode. */
  DATABASE_NAMED_STATEMENTS: flag.default(true),
  /** Accepts a Postgres with fsync or full_page_writes off in live: its storage keeps whole pages without them. */
  DATABASE_ASSUME_DURABLE: flag.default(false),
});

export type Config = z.output<typeof schema>;

/** The environment is not valid. The message names each variable and the expected value. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/**
 * Reads the configuration. Throws ConfigError, which lists every variable that is not valid. An empty variable counts
 * as unset: compose files and unit files write `NAME=` for "not set".
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = schema.safeParse(given);
  const lines = [
    ...brokenRules(given),
    ...(result.error?.issues ?? []).map((issue) => {
      const name = String(issue.path[0]);
      const missing = given[name] === undefined;
      const expectation = EXPECTATIONS[name] ?? issue.message;
      return `  ${name}: ${missing ? `is not set; ${expectation}` : issue.message}`;
    }),
  ];
  if (result.success && lines.length === 0) return result.data;
  throw new ConfigError(
    `The configuration has ${lines.length === 1 ? 'a fault' : `${lines.length} faults`}:\n${lines.join('\n')}\nSee .env.example for every variable.`,
  );
}

/** What a required variable expects, for the message when the variable is not set. */
const EXPECTATIONS: Record<string, string> = {
  DATABASE_URL: 'expects a URL such as postgres://user:password@127.0.0.1:5432/countinghouse',
  COUNTINGHOUSE_ENCRYPTION_KEY: 'expects 32 bytes in base64 (openssl rand -base64 32)',
};
