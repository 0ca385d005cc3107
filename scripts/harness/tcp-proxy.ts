/**
 * A proxy between two parts of the product that does to their connections what a network does: delays them, breaks
 * them, swallows them, or lets one side believe that the other is still there. It reads no protocol: a connection or a
 * statement is found by a text in it.
 */
import { createServer, type Socket } from 'node:net';
import { type Cut, type Impairment, Link, type Rules } from './tcp-link.ts';

export type { Cut } from './tcp-link.ts';

export interface TcpProxy {
  /** The target's URL, by way of this proxy. */
  url: string;
  /**
   * Cuts the connection that next sends this text, once. Resolves when the connection is cut. Earlier statements are
   * answered first: `answer` is a text that only the answer to this statement contains.
   */
  cutAt(text: string, cut: Cut, options?: { answer?: string }): Promise<void>;
  /** Impairs open and future connections from now on. */
  impair(impairment: Impairment): void;
  /** Lets everything pass again. Broken connections stay broken. */
  heal(): void;
  /**
   * Ends the server's side of each connection. The client's side stays open and is never answered. Returns how many.
   */
  halfOpen(): number;
  /** Leads the connections that are made from now on to another server. Open ones stay where they are. */
  leadTo(url: string): void;
  /** Ends every open connection, on both sides. */
  cutAll(): void;
  /** From now on no client may send these texts. */
  watchFor(texts: readonly string[]): void;
  /** Watched texts that a client has sent. */
  readonly sent: ReadonlySet<string>;
  close(): Promise<void>;
}

export async function startTcpProxy(targetUrl: string): Promise<TcpProxy> {
  let target = new URL(targetUrl);
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
    leadTo(other) {
      target = new URL(other);
    },
    cutAll() {
      for (const link of [...links]) link.end();
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
