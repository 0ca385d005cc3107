/**
 * Node's HTTP server around the application: its limits, what it says to what is no HTTP, and how it ends.
 */
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Express } from 'express';
import { newId, publicId } from '../ids.ts';
import { problemBody } from '../problem.ts';
import { Connections } from './connections.ts';

/** Longer than the minute after which load balancers let idle connections go, so that they do, and not we. */
const KEEP_ALIVE_MS = 65_000;
/** Headers are one packet or a few; a body is a megabyte at most. Slower than this is an attack or a broken line. */
const HEADERS_MS = 15_000;
const REQUEST_MS = 30_000;
/** How often connections are looked at for the limits above. */
const CHECK_MS = 2_000;
/** How often connections that have become idle are closed while the server ends. */
const CLOSE_IDLE_MS = 20;

/**
 * Express gives every request and answer its own prototypes by Object.setPrototypeOf, which costs V8 more than all the
 * rest of Express: objects that have changed their prototype are slow for good. Made with that prototype from the
 * start, they stay as they are, and Express's call changes nothing (measured: 11,700 to 30,000 bare requests a second).
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
 * The class of Node with the prototype of Express, which itself inherits from that class. As the function inherits too, V8
 * makes room in the object for what the base sets; without that room, it turned every answer into a hash table (a bare
 * route: 55,000 requests a second instead of 73,000).
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

/** What could not be read as HTTP, or took too long to come, is answered by hand: no request object exists. */
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
      '',
      body,
    ].join('\r\n'),
  );
}

/** A port or address that cannot be had; the message names the variable. */
export class ListenError extends Error {
  override name = 'ListenError';
  readonly code: string | undefined;

  constructor(message: string, cause: NodeJS.ErrnoException) {
    super(message, { cause });
    this.code = cause.code;
  }
}

/** Listens, and says on which port. Throws ListenError. */
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

/** Takes no more connections, lets requests in hand finish within a limit, then ends what is left. */
export async function closeServer(server: Server, timeoutMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_MS);
  const limit = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await closed;
  clearInterval(idle);
  clearTimeout(limit);
}
