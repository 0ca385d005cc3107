/** HTTP load as BARS.md asks for: autocannon, 64 connections, a new Idempotency-Key for each request. */
import autocannon from 'autocannon';

export const CONNECTIONS = 64;

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
  const result = await autocannon({
    url: url + path,
    connections: CONNECTIONS,
    ...(requests === undefined ? { duration: seconds } : { amount: requests }),
    timeout: 30,
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': 'bench-[<id>]',
      ...headers,
    },
    idReplacement: true,
    requests: bodies.map((body) => ({ body: JSON.stringify(body) })),
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
