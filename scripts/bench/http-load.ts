/** HTTP load as BARS.md asks for: autocannon, 64 connections, a new Idempotency-Key for each request. */
import autocannon from 'autocannon';

export const CONNECTIONS = 64;

/** In a body: another text in each request. Of autocannon, 33 characters long. */
export const UNIQUE = '[<id>]';

export interface HttpLoad {
  url: string;
  /** `/v1/payouts` unless given. */
  path?: string;
  headers?: Readonly<Record<string, string>>;
  key: string;
  bodies: readonly unknown[];
  /** Either a duration or a number of requests. */
  seconds?: number;
  requests?: number;
}

export interface HttpLoadResult {
  accepted: number;
  seconds: number;
  p99Ms: number;
}

/** Throws when an answer was not 2xx: a bench of refusals would measure something else. */
export async function sendPosts({
  url,
  path = '/v1/payouts',
  headers = {},
  key,
  bodies,
  seconds,
  requests,
}: HttpLoad): Promise<HttpLoadResult> {
  // Each connection sends some of the bodies: all of them for each took a second of the generator at the begin of a slice.
  const parts: string[][] = Array.from({ length: Math.min(CONNECTIONS, bodies.length) }, () => []);
  for (const [at, body] of bodies.entries()) parts[at % parts.length]!.push(JSON.stringify(body));
  let connection = 0;
  // Objects of its own: autocannon builds the bytes of a request, its id included, into the object.
  const nextRequests = () => parts[connection++ % parts.length]!.map((body) => ({ body }));
  const result = await autocannon({
    url: url + path,
    connections: CONNECTIONS,
    ...(requests === undefined ? { duration: seconds } : { amount: requests }),
    timeout: 30,
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': `bench-${UNIQUE}`,
      ...headers,
    },
    idReplacement: true,
    requests: [{ body: parts[0]![0]! }],
    setupClient: (client) => client.setRequests(nextRequests()),
  });
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0) {
    const codes = JSON.stringify(result.statusCodeStats);
    throw new Error(
      `${failed} of ${result.requests.sent} requests failed: ${codes}, ${result.errors} errors, ${result.timeouts} timeouts`,
    );
  }
  return { accepted: result['2xx'], seconds: result.duration, p99Ms: result.latency.p99 };
}
