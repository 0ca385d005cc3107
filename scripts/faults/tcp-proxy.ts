/**
 * Stands between two parts of the product and does to their connections what a network does: delays them, breaks them,
 * swallows them, or lets one side believe that the other is still there. It reads no protocol: a connection or a statement
 * that is meant is found by a text in it.
 */
import { createServer, type Socket } from 'node:net';
import { type Cut, type Impairment, Link, type Rules } from './tcp-link.ts';

export type { Cut, Impairment } from './tcp-link.ts';

export interface TcpProxy {
  /** The same URL, by way of this proxy. */
  url: string;
  /**
   * Cuts the connection that next sends this text, once. Resolves when it is cut. What was sent before it is answered
   * first: a text of its own answer tells it apart.
   */
  cutAt(text: string, cut: Cut, options?: { answer?: string }): Promise<void>;
  /** From now on, for connections that are open and those to come. */
  impair(impairment: Impairment): void;
  /** Everything passes again. What is broken stays broken. */
  heal(): void;
  /** The server's sides end; the clients' stay open, and are never answered. Answers with how many. */
  halfOpen(): number;
  /** From now on no client may send these texts. */
  watchFor(texts: readonly string[]): void;
  /** Those of the watched texts that a client did send. */
  readonly sent: ReadonlySet<string>;
  close(): Promise<void>;
}

export async function startTcpProxy(targetUrl: string): Promise<TcpProxy> {
  const target = new URL(targetUrl);
  const links = new Set<Link>();
  const rules: Rules = { watchedFor: [], sent: new Set() };

  const server = createServer((client: Socket) => {
    const link = new Link(client, { host: target.hostname, port: Number(target.port) }, rules);
    links.add(link);
    link.onEnd(() => links.delete(link));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  const url = new URL(targetUrl);
  url.host = `127.0.0.1:${address.port}`;

  return {
    url: url.href,
    cutAt: (text, cut, { answer = '' } = {}) =>
      new Promise((done) => {
        rules.armed = { text, cut, answer, done };
      }),
    impair(impairment) {
      rules.impairment = impairment;
      for (const link of links) link.impaired();
    },
    heal() {
      rules.impairment = undefined;
      for (const link of links) link.impaired();
    },
    halfOpen() {
      const open = [...links];
      for (const link of open) link.halfOpen();
      return open.length;
    },
    watchFor(texts) {
      rules.watchedFor = texts;
    },
    sent: rules.sent,
    close() {
      for (const link of links) link.end();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
