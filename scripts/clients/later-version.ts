/**
 * Answers of a later version, which docs/compatibility.md lets add values, members and variants: a server before the API, whose payouts have
 * what this version has not.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export const NEWER_STATUS = 'parked';
export const NEW_VARIANT = 'satellite';

type Payout = Record<string, unknown> & { id: string; allowed_actions: string[] };

/** By the first part of the path, before that of the API. */
const CHANGES: Readonly<Record<string, (payout: Payout) => object>> = {
  '/newer-value': ({ id, allowed_actions, ...rest }) => ({
    ...rest,
    id: id.replace('po_', 'po2-'),
    status: NEWER_STATUS,
    allowed_actions: [...allowed_actions, 'park'],
    parked_until: '2099-01-01T00:00:00.000Z',
  }),
  '/new-variant': (payout) => ({ ...payout, destination: { type: NEW_VARIANT, dish: '7' } }),
};

export interface LaterVersion {
  /** For the environment of programs. */
  readonly urls: { readonly NEWER_VALUE_URL: string; readonly NEW_VARIANT_URL: string };
  close(): Promise<void>;
}

export async function startLaterVersion(baseUrl: string): Promise<LaterVersion> {
  const server = createServer(async (request, answer) => {
    const { status, body } = await answerOf(request, baseUrl).catch((error) => ({ status: 502, body: String(error) }));
    answer.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    urls: { NEWER_VALUE_URL: `${url}/newer-value`, NEW_VARIANT_URL: `${url}/new-variant` },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answerOf({ url = '', headers }: IncomingMessage, baseUrl: string) {
  const [, before = '', path = ''] = /^(\/[\w-]+)(\/.*)$/.exec(url) ?? [];
  const change = CHANGES[before];
  if (!change) return { status: 404, body: '{}' };
  const asked = await fetch(`${baseUrl}${path}`, { headers: { Authorization: headers.authorization ?? '' } });
  const body = await asked.text();
  return { status: asked.status, body: asked.ok ? JSON.stringify(change(JSON.parse(body) as Payout)) : body };
}
