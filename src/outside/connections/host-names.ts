/**
 * Resolves the names of integrators' endpoints. c-ares queries the name servers and uses no thread, so that a silent name
 * server delays no other name. (getaddrinfo has four threads for the whole process.) Each name has at most one query in
 * progress, and the concurrent queries of one book are limited. Answers are cached for their TTL, within limits.
 *
 * /etc/hosts is not read and no search domain is added: a name means the same everywhere. The exception are names that
 * the operator has opened (WEBHOOK_ALLOW_HOSTS), such as `localhost` or a service of a compose file. The system
 * resolves those, as for every other program.
 */
import { type LookupAddress, lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { BoundedMap } from '../../values/bounded-map.ts';

/** The name does not exist or has no address. */
export class NameNotFound extends Error {
  override name = 'NameNotFound';
}

/** No name server answered whether the name exists. */
export class NameTimeout extends Error {
  override name = 'NameTimeout';
}

export interface HostNames {
  /** All addresses of a name. Rejects with NameNotFound or NameTimeout. */
  resolve(host: string): Promise<LookupAddress[]>;
  /** The same for a name that the operator has opened. */
  resolveOpened(host: string): Promise<LookupAddress[]>;
  /**
   * Resolves a name for a book and caches the answer. Returns undefined when the answer is cached. Resolves on success
   * and on failure alike; resolve() then gives the answer. A book waits only for its own names.
   */
  prepare(book: string, host: string): Promise<void> | undefined;
}

/** Asks name servers for the addresses of one family. `ttl` is in seconds. */
export interface NameServers {
  resolve4(host: string, options: { ttl: true }): Promise<{ address: string; ttl: number }[]>;
  resolve6(host: string, options: { ttl: true }): Promise<{ address: string; ttl: number }[]>;
}

export interface HostNamesOptions {
  /** `address` or `address:port`. Defaults to the servers of the system. */
  readonly servers?: readonly string[];
  /** Replaces c-ares. */
  readonly nameServers?: NameServers;
  /** Monotonic time in milliseconds. */
  readonly now?: () => number;
}

/** For the first attempt at a server; c-ares doubles it for the second. */
const SERVER_TIMEOUT_MS = 1_000;
const SERVER_ATTEMPTS = 2;
/** For all servers together. */
const NAME_LIMIT_MS = 5_000;
/** Bounds of the time that an answer is cached, however short or long its TTL. */
const KEPT_MS = { least: 5_000, most: 300_000 };
const NOT_FOUND_KEPT_MS = 10_000;
const NO_ANSWER_KEPT_MS = 5_000;
/** Most names in the cache. */
const NAMES_MAX = 10_000;
/** Most names of one book that are resolved at a time. */
const ASKED_PER_BOOK = 8;

interface Answer {
  readonly addresses: Promise<LookupAddress[]>;
  /** Infinity while the query is in progress. */
  until: number;
}

export function createHostNames(options: HostNamesOptions = {}): HostNames {
  const { now = () => performance.now(), nameServers = cares(options.servers ?? []) } = options;
  const answers = new BoundedMap<string, Answer>(NAMES_MAX);
  const books = new Map<string, { asked: number; waiting: (() => void)[] }>();

  function known(key: string): Answer | undefined {
    const answer = answers.get(key);
    return answer && answer.until > now() ? answer : undefined;
  }

  function ask(
    key: string,
    find: () => Promise<{ addresses: LookupAddress[]; keptMs: number }>,
  ): Promise<LookupAddress[]> {
    const before = known(key);
    if (before) return before.addresses;
    const finding = find();
    const answer: Answer = { addresses: finding.then(({ addresses }) => addresses), until: Number.POSITIVE_INFINITY };
    answers.set(key, answer);
    finding.then(
      ({ keptMs }) => {
        answer.until = now() + keptMs;
      },
      (error) => {
        answer.until = now() + (error instanceof NameNotFound ? NOT_FOUND_KEPT_MS : NO_ANSWER_KEPT_MS);
      },
    );
    return answer.addresses;
  }

  const resolve = (host: string) => ask(host, () => askServers(nameServers, host));

  async function askInTurn(book: string, host: string): Promise<void> {
    const turn = books.get(book) ?? { asked: 0, waiting: [] };
    books.set(book, turn);
    if (turn.asked >= ASKED_PER_BOOK) await new Promise<void>((begin) => turn.waiting.push(begin));
    else turn.asked += 1;
    try {
      await resolve(host).catch(() => undefined);
    } finally {
      const next = turn.waiting.shift();
      if (next) next();
      else {
        turn.asked -= 1;
        if (turn.asked === 0) books.delete(book);
      }
    }
  }

  return {
    resolve,
    resolveOpened: (host) => ask(`opened ${host}`, () => askSystem(host)),
    prepare: (book, host) => (isIP(host) !== 0 || known(host) ? undefined : askInTurn(book, host)),
  };
}

function cares(servers: readonly string[]): NameServers {
  const resolver = new Resolver({ timeout: SERVER_TIMEOUT_MS, tries: SERVER_ATTEMPTS });
  if (servers.length > 0) resolver.setServers([...servers]);
  return resolver;
}

/** An address of one family is enough, even when no server answers for the other within the limit. */
async function askServers(servers: NameServers, host: string): Promise<{ addresses: LookupAddress[]; keptMs: number }> {
  const [four, six] = await Promise.all([
    answeredInTime(servers.resolve4(host, { ttl: true })),
    answeredInTime(servers.resolve6(host, { ttl: true })),
  ]);
  const records = [
    ...(four.records ?? []).map((record) => ({ ...record, family: 4 })),
    ...(six.records ?? []).map((record) => ({ ...record, family: 6 })),
  ];
  if (records.length > 0) {
    const ttlMs = Math.min(...records.map(({ ttl }) => ttl)) * 1_000;
    const addresses = records.map(({ address, family }) => ({ address, family }));
    return { addresses, keptMs: Math.min(Math.max(ttlMs, KEPT_MS.least), KEPT_MS.most) };
  }
  if (four.error === 'none' && six.error === 'none') throw new NameNotFound(`${host} has no address`);
  throw new NameTimeout(`No name server told the addresses of ${host}`);
}

/**
 * `none` when the server answers that the name or its records of this kind do not exist (RFC 2308); `unknown` for all
 * else.
 */
async function answeredInTime<Row>(asking: Promise<Row[]>): Promise<{ records?: Row[]; error?: 'none' | 'unknown' }> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<{ error: 'unknown' }>((resolve) => {
    timer = setTimeout(() => resolve({ error: 'unknown' }), NAME_LIMIT_MS);
  });
  const asked = asking.then(
    (records) => ({ records }),
    ({ code }: NodeJS.ErrnoException) => {
      const isMissing = code === 'ENOTFOUND' || code === 'ENODATA' || code === 'EBADNAME';
      return { error: isMissing ? ('none' as const) : ('unknown' as const) };
    },
  );
  try {
    return await Promise.race([asked, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves by getaddrinfo, which gives no TTL. */
function askSystem(host: string): Promise<{ addresses: LookupAddress[]; keptMs: number }> {
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, addresses) => {
      if (!error && addresses.length > 0) resolve({ addresses, keptMs: KEPT_MS.least });
      else if (!error || error.code === 'ENOTFOUND') reject(new NameNotFound(`${host} has no address`));
      else reject(new NameTimeout(`The system did not tell the addresses of ${host}`));
    });
  });
}
