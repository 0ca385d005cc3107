/**
 * A POST by Node's own client, which takes any 1xx before an answer (RFC 9110, 15.2): undici ends a connection on which a 100 comes that
 * nobody asked for. A URL is called as it is given: it is parsed to find its host, and its path and query are sent as they are written,
 * since other parsers read `/a/../b`, `%2e%2e` or `'` otherwise than WHATWG's does. No redirect is followed.
 */
import { Agent, type ClientRequest, request } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { unbracketed } from '../../values/public-address.ts';

/**
 * An idle connection is kept for so long, or shorter if the receiver asks for it. Most servers close theirs after five
 * seconds.
 */
const IDLE_MS = 4_000;

/** More than any server sends. Each is as long as its header may be, so that a stream of them is bounded as an answer is. */
const INTERIM_MAX = 32;

/** The other side sends one interim answer after the other. */
class InterimAnswers extends Error {
  override name = 'InterimAnswers';
  readonly code = 'HPE_INTERIM_ANSWERS';
}

/** Connections that are kept, by origin. */
export interface Agents {
  readonly plain: Agent;
  readonly tls: TlsAgent;
}

/** `most`: connections to an origin at once; more requests wait for one. */
export function createAgents({ most = Number.POSITIVE_INFINITY }: { most?: number } = {}): Agents {
  const options = { keepAlive: true, maxSockets: most, timeout: IDLE_MS };
  return { plain: new Agent(options), tls: new TlsAgent(options) };
}

/** Ends what is open: requests that still wait get an error. */
export function destroyAgents({ plain, tls }: Agents): void {
  plain.destroy();
  tls.destroy();
}

export interface HttpPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Resolves the host, unless it is an address. */
  readonly lookup?: LookupFunction;
}

/** Begins a POST. Its events are those of Node's client; after its end none of them throws. */
export function httpPost(agents: Agents, { url, headers, body, lookup }: HttpPost): ClientRequest {
  const { protocol, hostname, port } = new URL(url);
  const isPlain = protocol === 'http:';
  const sent = request({
    agent: isPlain ? agents.plain : agents.tls,
    protocol,
    host: unbracketed(hostname),
    port: port === '' ? (isPlain ? 80 : 443) : Number(port),
    path: pathOf(url),
    method: 'POST',
    headers,
    ...(lookup && { lookup }),
  });
  let interim = 0;
  sent.on('information', () => {
    if (++interim > INTERIM_MAX) sent.destroy(new InterimAnswers('The answer does not begin'));
  });
  sent.on('error', () => undefined);
  sent.end(body);
  return sent;
}

const BEHIND_HOST = /^[a-z]+:\/\/[^/?#\\]*([^#]*)/i;

/** The path and the query of a URL as they are written. Where a request cannot carry them so, as the parser writes them. */
function pathOf(url: string): string {
  const written = BEHIND_HOST.exec(url)?.[1];
  if (written === '') return '/';
  if (written !== undefined && /^[/?][\x21-\x7e]*$/.test(written))
    return written.startsWith('/') ? written : `/${written}`;
  const { pathname, search } = new URL(url);
  return pathname + search;
}
