/**
 * A receiver of webhooks with a record of its own: what arrived, under which id, how often, and with which answer.
 * Every signature is checked by the reference implementation of Standard Webhooks, which shares no code with the
 * product.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { type Client, type Endpoint, type Event, succeeded, until, type WaitLimit } from './client.ts';

export interface Received {
  id: string;
  path: string;
  headers: Record<string, string>;
  /** The body as received, byte for byte. */
  body: string;
  event: Event;
  /** Status of the answer; undefined while the answer is delayed, or when the connection was broken off. */
  answered: number | undefined;
  /** Why the signature is invalid, its time aside; undefined when it is valid. */
  forged: string | undefined;
  /** The sender's clock differs from ours. The event is refused, and has to come again. */
  untimely: boolean;
}

export interface ReceiverAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

/** Returns the answer. A promise delays the answer; undefined breaks the connection off. */
export type AnswerWith = (
  received: Received,
  tries: number,
) => ReceiverAnswer | undefined | Promise<ReceiverAnswer | undefined>;

export interface Receiver {
  readonly port: number;
  /** Everything received, in order. */
  readonly received: readonly Received[];
  url(path: string): string;
  /**
   * Checks requests to a path with this secret, or with several while secrets rotate. Unknown paths count as forged.
   */
  trust(path: string, secret: string): void;
  answer(path: string, answer: AnswerWith): void;
  /** Creates an endpoint in the client's book that delivers here, and trusts it. */
  subscribe(client: Client, options?: { path?: string; events?: string[] }): Promise<Endpoint>;
  /** Requests received at a path. */
  at(path: string): Received[];
  /** Waits for an event of a type, about an object if one is named. */
  event(path: string, type: string, objectId?: string, limit?: WaitLimit): Promise<Received>;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const secrets = new Map<string, Webhook[]>();
  const answers = new Map<string, AnswerWith>();
  let paths = 0;

  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const path = request.url ?? '/';
    const headers = request.headers as Record<string, string>;
    const tries = received.filter((one) => one.path === path && one.id === headers['webhook-id']).length + 1;
    const fault = check(secrets.get(path) ?? [], body, headers);
    const untimely = fault !== undefined && UNTIMELY.test(fault);
    const one: Received = {
      id: headers['webhook-id'] ?? '',
      path,
      headers,
      body,
      event: JSON.parse(body) as Event,
      answered: undefined,
      forged: untimely ? undefined : fault,
      untimely,
    };
    received.push(one);
    const answerWith = answers.get(path) ?? ((): ReceiverAnswer => ({ status: fault ? 401 : 200 }));
    const answer = await answerWith(one, tries);
    one.answered = answer?.status;
    if (answer) send(response, answer);
    else request.socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };

  const receiver: Receiver = {
    port,
    received,
    url: (path) => `http://127.0.0.1:${port}${path}`,
    trust: (path, secret) => void secrets.set(path, [...(secrets.get(path) ?? []), new Webhook(secret)]),
    answer: (path, answer) => void answers.set(path, answer),
    async subscribe(client, { path = `/hook-${++paths}`, events } = {}) {
      const body = { url: receiver.url(path), ...(events ? { events } : {}) };
      const endpoint = succeeded(await client.post<Endpoint>('/v1/webhooks', body));
      receiver.trust(path, endpoint.secret);
      return endpoint;
    },
    at: (path) => received.filter((one) => one.path === path),
    event(path, type, objectId, limit) {
      const find = () =>
        received.find(
          ({ path: at, event }) =>
            at === path && event.type === type && (objectId === undefined || event.data.object.id === objectId),
        );
      return until(find, (one) => one !== undefined, limit) as Promise<Received>;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}

/** Error messages of the reference implementation. */
const UNTIMELY = /Message timestamp too (old|new)/;

/** The path of an endpoint's URL, by which the record finds its deliveries. */
export function pathOf(endpoint: Pick<Endpoint, 'url'>): string {
  return new URL(endpoint.url).pathname;
}

function check(webhooks: readonly Webhook[], body: string, headers: Record<string, string>): string | undefined {
  let reason = 'no secret is known for this path';
  for (const webhook of webhooks) {
    try {
      webhook.verify(body, headers);
      return undefined;
    } catch (error) {
      reason = String(error);
    }
  }
  return reason;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

function send(response: ServerResponse, { status, headers, body }: ReceiverAnswer): void {
  response.writeHead(status, headers).end(body);
}
