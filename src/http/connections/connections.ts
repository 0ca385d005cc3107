/**
 * The server's connections: how many requests of a connection run at once, and how long an answer may stay unread. Node
 * keeps reading requests while answers wait, and keeps every answer in memory. A client that pipelines requests and
 * reads no answer would exhaust that memory, with or without a key.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Request } from 'express';

/** Requests of one connection that run at once. Later ones wait, and the connection is paused. */
const AT_ONCE = 8;
/**
 * Waiting requests in the whole process. One read of a socket is 64 kB, at most a few thousand requests. A connection
 * whose request finds no room is ended.
 */
const MAX_WAITING = 5_000;
/** An answer that is not read whole within this time ends its connection. Published at GET /v1/limits. */
export const ANSWER_SECONDS = 30;
/** How often connections are checked for unread answers. */
const CHECK_MS = 1_000;

const connectionOfSocket = Symbol('connection');
type ServerSocket = Socket & {
  [connectionOfSocket]?: Connection;
  /** Node's own fields, see pause(). */
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
  /** Answers of requests that run, and answers not read yet, in the order of arrival. */
  readonly underWay: ServerResponse[];
  readonly waiting: Arrival[];
  /** The first answer, if it was unread at the last check, and the time of the check that first found it so. */
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

  /** Registers a socket that was just accepted. */
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

  /** Runs a request at once, or when enough earlier answers of its connection have been read. */
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

  /** Ends connections whose answers were not read in time. */
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

  /** Called when an answer was read or its connection has ended. Starts the connection's next request. */
  left(connection: Connection, response: ServerResponse): void {
    const { underWay, socket, waiting } = connection;
    // Usually the only answer. A Set would reallocate its table for every few answers.
    if (underWay.at(-1) === response) underWay.pop();
    else if (underWay.includes(response)) underWay.splice(underWay.indexOf(response), 1);
    if (waiting.length === 0 || socket.destroyed) return;
    const next = waiting.shift()!;
    this.#waiting--;
    this.#begin(connection, next.request, next.response);
    // Node resumes reading as soon as an answer has been written.
    if (waiting.length > 0) pause(socket);
    else if (!socket.writableNeedDrain) socket.emit('drain');
  }

  #closed(connection: Connection): void {
    this.#all.delete(connection);
    this.#waiting -= connection.waiting.length;
    connection.waiting.length = 0;
    // Node notifies only the answer that was being written; the answers queued behind it get no event.
    for (const response of [...connection.underWay]) leave.call(response);
  }
}

/**
 * Stops reading until 'drain', with the fields that Node itself sets on a connection whose answers are not read.
 * Pausing only the socket is not enough: the parser reads beneath it.
 */
function pause(socket: ServerSocket): void {
  socket._paused = true;
  socket.pause();
  socket.parser?.pause();
}

/** One shared function, so that no closure is made per answer. Called once or twice for an answer. */
function leave(this: ServerResponse): void {
  const { context, socket } = this.req as Request;
  context?.leave();
  const connection = (socket as ServerSocket)[connectionOfSocket];
  connection?.of.left(connection, this);
}

/** Takes a request out of the count when its answer closes, for an application that runs without Connections. */
export function leaveOnClose(request: IncomingMessage, response: ServerResponse): void {
  if ((request.socket as ServerSocket)[connectionOfSocket] === undefined) response.on('close', leave);
}
