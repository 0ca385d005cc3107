/**
 * Stands between the product and Postgres and breaks the connection at chosen moments, as a network would. It reads no
 * protocol: the statement that is waited for is found by its text.
 */
import { connect, createServer, type Socket } from 'node:net';

/** What is lost with the connection. */
export type Cut =
  /** The statement never reaches the server. */
  | 'before it arrives'
  /** The server has carried it out; its answer never comes back. */
  | 'before its answer'
  /** The same, and nobody says so: the connection stays open, and silent. */
  | 'without a word';

export interface TcpProxy {
  /** The same URL, by way of this proxy. */
  url: string;
  /** Cuts the connection that next sends this text, once. Resolves when it is cut. */
  cutAt(text: string, cut: Cut): Promise<void>;
  close(): Promise<void>;
}

interface Armed {
  text: string;
  cut: Cut;
  done: () => void;
}

export async function startTcpProxy(targetUrl: string): Promise<TcpProxy> {
  const target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  let armed: Armed | undefined;

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let swallow: Armed | undefined;
    let silent = false;
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', end);
      socket.on('close', () => {
        sockets.delete(socket);
        if (!silent) end();
      });
    }
    client.on('data', (data) => {
      if (silent) return;
      if (armed && data.includes(armed.text)) {
        const hit = armed;
        armed = undefined;
        if (hit.cut === 'before it arrives') {
          end();
          hit.done();
          return;
        }
        swallow = hit;
      }
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (silent) return;
      if (!swallow) {
        client.write(data);
        return;
      }
      silent = swallow.cut === 'without a word';
      if (!silent) end();
      swallow.done();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  const url = new URL(targetUrl);
  url.host = `127.0.0.1:${address.port}`;

  return {
    url: url.href,
    cutAt: (text, cut) =>
      new Promise((done) => {
        armed = { text, cut, done };
      }),
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
