/**
 * `npm run listen`: a webhook receiver for trials. Registers an endpoint for itself, verifies every signature as a real
 * receiver must, prints the events, and deletes its endpoint at Ctrl-C. Works with what `npm start` runs, or with any
 * API that may reach this machine's loopback address (WEBHOOK_ALLOW_HOSTS). With `--forward-to`, each verified request goes
 * on to a receiver under development, and the answer of that receiver is the answer to the product, retries included.
 */
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { Command, InvalidArgumentError } from 'commander';
import { dataDirectory, readCredentials } from '../src/embedded/environment.ts';
import { createAgents, destroyAgents, httpPost } from '../src/outside/connections/http-post.ts';
import { createSigningKey, type SigningKey, verify } from '../src/values/standard-webhooks.ts';
import { parsedUrl } from '../src/values/url.ts';

interface Api {
  url: string;
  key: string;
}

interface Endpoint {
  id: string;
  secret: string;
}

interface Event {
  type: string;
  data: { object: { id?: string; status?: string } };
}

/** No event comes near this size: a larger body is not from us. */
const BODY_BYTES_MAX = 10 * 1_024 * 1_024;
/** As long as the product waits for an answer. */
const FORWARD_TIMEOUT_MS = 15_000;
/** Of the connection to us, and not of the message. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
]);

/** Ids remembered, to distinguish a repeated event from a new one. */
const SEEN_MAX = 10_000;
const seen = new Set<string>();
/** Of the receiver under development. */
const agents = createAgents();

const program = new Command()
  .name('npm run listen --')
  .description('Receive webhooks here, verify them and print them. Ctrl-C ends it.')
  .option('--port <n>', 'where to listen on 127.0.0.1; 0 picks a free port', parsePort, 0)
  .option('--url <url>', 'the API; without it, what `npm start` runs')
  .option('--key <key>', 'an API key with webhooks:write (sk_test_…); needed with --url')
  .option('--events <filters>', "names, groups ('payout.*') or '*', separated by commas", parseList, ['*'])
  .option('--forward-to <url>', 'send each event on to this URL, and answer as it does', parseUrl)
  .option('--json', 'print the bodies, one a line')
  .parse();
const options = program.opts<{
  port: number;
  url?: string;
  key?: string;
  events: string[];
  forwardTo?: string;
  json?: boolean;
}>();

try {
  await listen();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function listen(): Promise<void> {
  const api = findApi();
  let signingKey: SigningKey | undefined;
  const server = createServer((request, response) => void receive(request, response, signingKey));
  await open(server, options.port);
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const endpoint = (await call(api, 'POST', '/v1/webhooks', {
      url,
      events: options.events,
      description: 'npm run listen',
    })) as unknown as Endpoint;
    signingKey = createSigningKey(endpoint.secret);
    if (options.forwardTo !== undefined)
      console.error(`Sending events on to ${options.forwardTo}, signed with ${endpoint.secret}`);
    console.error(`Listening at ${url} for ${options.events.join(', ')} (${endpoint.id}). Ctrl-C ends it.`);
    try {
      await interrupted();
    } finally {
      await call(api, 'DELETE', `/v1/webhooks/${endpoint.id}`);
      console.error(`Deleted ${endpoint.id}.`);
    }
  } finally {
    server.close();
    server.closeAllConnections();
    destroyAgents(agents);
  }
}

/** Accepts a request only when its signature shows that the product sent it. */
async function receive(request: IncomingMessage, response: ServerResponse, key: SigningKey | undefined): Promise<void> {
  const body = await readBody(request).catch(() => undefined);
  if (body === undefined) return void response.writeHead(413).end();
  const nowSeconds = Math.floor(Date.now() / 1_000);
  // Without a key, the request that creates the endpoint is not answered yet; the sender tries again in some seconds.
  const fault = key === undefined ? 'it came too early' : verify({ headers: request.headers, body }, [key], nowSeconds);
  if (fault !== undefined) {
    console.error(`Refused a request: ${fault}.`);
    return void response.writeHead(key === undefined ? 503 : 400).end();
  }
  const again = isRepeated(String(request.headers['webhook-id']));
  if (options.forwardTo === undefined) {
    response.writeHead(200).end();
    print(body, [again ? '(again)' : '']);
    return;
  }
  const answer = await forward(options.forwardTo, request.headers, body);
  response.writeHead(answer.status, answer.headers).end(answer.text);
  print(body, [`→ ${answer.shown}`, again ? '(again)' : '']);
}

interface Forwarded {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** For the line that is printed. */
  shown: string;
}

/** The same headers and bytes, so that the receiver can verify them. A receiver that gives no answer is a 502. */
async function forward(url: string, given: IncomingHttpHeaders, body: string): Promise<Forwarded> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given))
    if (typeof value === 'string' && !OF_CONNECTION.has(name)) headers[name] = value;
  // As the product itself calls a receiver: what works here works there.
  const sent = httpPost(agents, { url, headers, body });
  const timer = setTimeout(
    () => sent.destroy(new Error(`nothing within ${FORWARD_TIMEOUT_MS} ms`)),
    FORWARD_TIMEOUT_MS,
  );
  try {
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const retryAfter = answer.headers['retry-after'];
    return {
      status: answer.statusCode!,
      headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
      text: await readBody(answer),
      shown: String(answer.statusCode),
    };
  } catch (error) {
    // Of several addresses that refuse, the error has a code alone.
    const { message, code } = error as NodeJS.ErrnoException;
    const reason = message || code;
    return { status: 502, headers: {}, text: `${url}: ${reason}`, shown: `no answer: ${reason}` };
  } finally {
    clearTimeout(timer);
  }
}

function print(body: string, beside: readonly string[]): void {
  if (options.json) {
    console.log(body);
    return;
  }
  const { type, data } = JSON.parse(body) as Event;
  const time = new Date().toISOString().slice(11, 23);
  const parts = [time, type.padEnd(24), data.object.id ?? '', data.object.status ?? '', ...beside];
  console.log(parts.join('  ').trimEnd());
}

/** Delivery is at least once, so a receiver that acts on events must recognize repeated ones. */
function isRepeated(id: string): boolean {
  if (seen.has(id)) return true;
  if (seen.size >= SEEN_MAX) seen.delete(seen.values().next().value!);
  seen.add(id);
  return false;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new RangeError('The body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function findApi(): Api {
  if (options.url !== undefined) {
    if (options.key === undefined) throw new Error('With --url, name a key too: --key sk_test_…');
    return { url: options.url.replace(/\/+$/, ''), key: options.key };
  }
  const directory = dataDirectory();
  const credentials = readCredentials(directory);
  if (!credentials) {
    throw new Error(
      `There are no credentials in ${directory}. Run \`npm start\` first, or name an API: --url and --key.`,
    );
  }
  return { url: credentials.base_url, key: options.key ?? credentials.test_key };
}

async function call(api: Api, method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(api.url + path, {
    method,
    headers: {
      authorization: `Bearer ${api.key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  }).catch((error: Error & { cause?: Error }) => {
    throw new Error(
      `Nothing answers at ${api.url} (${error.cause?.message ?? error.message}). Is it running? \`npm start\` starts it.`,
    );
  });
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  if (!response.ok)
    throw new Error(
      `${method} ${path} was answered with ${response.status}: ${answer.detail ?? answer.title ?? 'no reason given'}`,
    );
  return answer;
}

function open(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      reject(taken ? new Error(`Port ${port} is taken. Choose another with --port; 0 picks a free one.`) : error);
    });
    server.listen(port, '127.0.0.1', resolve);
  });
}

/** Resolves at the first signal, and once nobody reads the output any more; a second signal ends the process at once. */
function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
    process.stdout.on('error', () => resolve());
  });
}

function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('It is a number from 0 to 65535.');
}

function parseUrl(text: string): string {
  if (/^https?:$/.test(parsedUrl(text)?.protocol ?? '')) return text;
  throw new InvalidArgumentError('It is a URL such as http://127.0.0.1:3000/webhooks.');
}

function parseList(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}
