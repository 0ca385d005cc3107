/** A decision endpoint of an integrator that approves, and keeps the ids that it was asked under. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ApprovingEndpoint {
  readonly url: string;
  /** `webhook-id` of each question, in order. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

export async function startApprovingEndpoint(): Promise<ApprovingEndpoint> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(String(request.headers['webhook-id']));
    request.resume().once('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"decision":"approved"}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}
