/** Node's HTTP server around the application: its limits, its answer to anything that is not HTTP, and its shutdown. */
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Express } from 'express';
import { problemBody } from '../../errors/problem.ts';
import { newId, publicId } from '../../values/ids.ts';
import { Connections } from './connections.ts';

/** Load balancers close idle connections after a minute. A longer limit lets them close first. */
const KEEP_ALIVE_MS = 65_000;
/** Headers are a few packets, a body is a megabyte at most. Anything slower is an attack or a broken line. */
const HEADERS_MS = 15_000;
const REQUEST_MS = 30_000;
/** How often Node checks connections for the limits above. */
const CHECK_MS = 2_000;
/** How often idle connections are closed while the server shuts down. */
const CLOSE_IDLE_MS = 20;

/**
 * Express sets its own prototypes on every request and answer with Object.setPrototypeOf. V8 keeps objects slow for
 * good after such a change, which costs more than all the rest of Express. Objects made with that prototype from the
 * start stay fast, and Express's call changes nothing (measured: 11,700 to 30,000 bare requests a second).
 */
export function createHttpServer(app: Express, options: { publicUrl: () => string; answerMs?: number }): Server {
  const connections = new Connections(app, options);
  const server = createServer(
    {
      IncomingMessage: madeWith(IncomingMessage, app.request),
      ServerResponse: madeWith(ServerResponse, app.response),
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: CHECK_MS,
    },
    (request, response) => connections.arrived(request, response),
  );
  server.on('connection', (socket: Socket) => connections.open(socket));
  server.on('close', () => connections.close());
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
    answerNonsense(error, socket, options.publicUrl()),
  );
  return server;
}

/**
 * A subclass of Node's class with Express's prototype, which itself inherits from that class. The constructor inherits
 * too, so that V8 reserves room for the base class's fields. Without that room V8 turned every answer into a hash table
 * (a bare route: 55,000 requests a second instead of 73,000).
 */
function madeWith<Base>(base: Base, prototype: object): Base {
  const construct = base as unknown as { call(self: object, ...parts: unknown[]): void };
  function Made(this: object, ...parts: unknown[]): void {
    construct.call(this, ...parts);
  }
  Made.prototype = prototype;
  Object.setPrototypeOf(Made, base as object);
  return Made as unknown as Base;
}

/**
 * Answers a request that is not valid HTTP or came too slowly. Node has no request object for it, so the answer is
 * written by hand.
 */
function answerNonsense(error: NodeJS.ErrnoException, socket: Socket, publicUrl: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const tooSlow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const tooLong = error.code === 'HPE_HEADER_OVERFLOW';
  const requestId = newId();
  const detail = tooSlow
    ? 'The request did not arrive in time.'
    : tooLong
      ? 'The request line and headers are too long.'
      : 'The request is not valid HTTP.';
  const body = problemBody({ code: 'parameter_invalid', detail, requestId, publicUrl });
  socket.end(
    [
      'HTTP/1.1 400 Bad Request',
      'Connection: close',
      'Content-Type: application/problem+json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `Request-Id: ${publicId('request', requestId)}`,
      'X-Content-Type-Options: nosniff',
      '',
      body,
    ].join('\r\n'),
  );
}

/** The port or address cannot be used. The message names the variable to change. */
export class ListenError extends Error {
  override name = 'ListenError';
  readonly code: string | undefined;

  constructor(message: string, cause: NodeJS.ErrnoException) {
    super(message, { cause });
    this.code = cause.code;
  }
}

/** Listens and resolves with the port. Throws ListenError. */
export function listen(server: Server, { host, port }: { host: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    const refused = (error: NodeJS.ErrnoException) => reject(new ListenError(whyNot(error, host, port), error));
    server.once('error', refused);
    server.listen(port, host, () => {
      server.off('error', refused);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}

function whyNot(error: NodeJS.ErrnoException, host: string, port: number): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `PORT: ${port} is taken by another program. Set PORT to a free one, or to 0 to have one picked.`;
    case 'EACCES':
      return `PORT: this user may not listen on ${port}. Set PORT to one above 1023.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `HOST: ${host} is not an address of this machine.`;
    default:
      return `HOST, PORT: cannot listen on ${host}:${port} (${error.message}).`;
  }
}

/**
 * Stops accepting connections, waits up to `timeoutMs` for running requests, then ends the connections that are left.
 */
export async function closeServer(server: Server, timeoutMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_MS);
  const limit = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await closed;
  clearInterval(idle);
  clearTimeout(limit);
}
