/**
 * The connections of the server: how many of their requests are carried out at once, and how long an answer may wait for
 * its reader. Node reads on while answers are under way and keeps all of them, so a client that sends requests one
 * behind the other and reads nothing would fill the memory, with or without a key.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Request } from 'express';

/** Requests of one connection that are carried out at once; those behind them wait, and nothing more is read. */
const AT_ONCE = 8;
/**
 * Requests that wait in the whole process. One read of a socket is 64 kB, which is at most some thousand requests; a
 * connection that brings more than there is room for is ended.
 */
const MAX_WAITING = 5_000;
/** An answer is read whole within this time, or its connection is ended; published at GET /v1/limits. */
export const ANSWER_SECONDS = 30;
/** How often connections are looked at for the limit above. */
const CHECK_MS = 1_000;

const connectionOfSocket = Symbol('connection');
type ServerSocket = Socket & {
  [connectionOfSocket]?: Connection;
  /** Node's own, see pause(). */
  _paused?: boolean;
  parser?: { pause(): void } | null;
};

interface Arrival {
  request: IncomingMessage;
  response: ServerResponse;
}

interface Connection {
  readonly of: Connections;
  readonly socket: ServerSocket;
  /** Carried out, or answered and not read yet, in the order in which they came. */
  readonly underWay: ServerResponse[];
  readonly waiting: Arrival[];
  /** The answer that was found unread when the connection was last looked at, and since when it is known. */
  unread: ServerResponse | undefined;
  unreadSince: number;
}

export class Connections {
  readonly #serve: RequestListener;
  readonly #answerMs: number;
  readonly #now: () => number;
  readonly #all = new Set<Connection>();
  #waiting = 0;
  readonly #check: NodeJS.Timeout;

  constructor(serve: RequestListener, options: { answerMs?: number; now?: () => number } = {}) {
    this.#serve = serve;
    this.#answerMs = options.answerMs ?? ANSWER_SECONDS * 1_000;
    this.#now = options.now ?? (() => performance.now());
    this.#check = setInterval(() => this.endUnread(), Math.min(CHECK_MS, this.#answerMs)).unref();
  }

  /** Of a socket that was just accepted. */
  open(socket: ServerSocket): void {
    const connection: Connection = {
      of: this,
      socket,
      underWay: [],
      waiting: [],
      unread: undefined,
      unreadSince: 0,
    };
    socket[connectionOfSocket] = connection;
    this.#all.add(connection);
    socket.once('close', () => this.#closed(connection));
  }

  /** Carries out a request, now or when those before it on its connection have been read. */
  arrived(request: IncomingMessage, response: ServerResponse): void {
    const connection = (request.socket as ServerSocket)[connectionOfSocket]!;
    if (connection.underWay.length < AT_ONCE) {
      this.#begin(connection, request, response);
      return;
    }
    if (this.#waiting >= MAX_WAITING) {
      connection.socket.destroy();
      return;
    }
    this.#waiting++;
    connection.waiting.push({ request, response });
    pause(connection.socket);
  }

  /** Ends the connections whose answers were not read in time. */
  endUnread(): void {
    const now = this.#now();
    for (const connection of this.#all) {
      const [first] = connection.underWay;
      const isUnread = first?.writableEnded === true && !first.writableFinished;
      if (!isUnread) connection.unread = undefined;
      else if (connection.unread !== first) {
        connection.unread = first;
        connection.unreadSince = now;
      } else if (now - connection.unreadSince >= this.#answerMs) connection.socket.destroy();
    }
  }

  close(): void {
    clearInterval(this.#check);
  }

  #begin(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    connection.underWay.push(response);
    response.on('close', leave);
    this.#serve(request, response);
  }

  /** After an answer was read, or its connection ended. */
  left(connection: Connection, response: ServerResponse): void {
    const { underWay, socket, waiting } = connection;
    // Mostly the only one; a Set is made anew for every few that come and go.
    if (underWay.at(-1) === response) underWay.pop();
    else if (underWay.includes(response)) underWay.splice(underWay.indexOf(response), 1);
    if (waiting.length === 0 || socket.destroyed) return;
    const next = waiting.shift()!;
    this.#waiting--;
    this.#begin(connection, next.request, next.response);
    // Node reads on as soon as an answer has gone.
    if (waiting.length > 0) pause(socket);
    else if (!socket.writableNeedDrain) socket.emit('drain');
  }

  #closed(connection: Connection): void {
    this.#all.delete(connection);
    this.#waiting -= connection.waiting.length;
    connection.waiting.length = 0;
    // Node tells the answer that was being written; those queued behind it would never hear of it.
    for (const response of [...connection.underWay]) leave.call(response);
  }
}

/**
 * Reads no further, until 'drain': by the marks that Node itself sets on a connection whose answers are not read. To pause
 * the socket alone does not do it, as the parser reads from beneath it.
 */
function pause(socket: ServerSocket): void {
  socket._paused = true;
  socket.pause();
  socket.parser?.pause();
}

/** One function for all answers: it is called for each, once or twice. */
function leave(this: ServerResponse): void {
  const { context, socket } = this.req as Request;
  context?.leave();
  const connection = (socket as ServerSocket)[connectionOfSocket];
  connection?.of.left(connection, this);
}

/** Ends the count of a request when its answer has left, where no Connections do so: for an application without its server. */
export function leaveOnClose(request: IncomingMessage, response: ServerResponse): void {
  if ((request.socket as ServerSocket)[connectionOfSocket] === undefined) response.on('close', leave);
}
