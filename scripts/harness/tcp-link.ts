/** One connection through the proxy: both its sides, and its impairment. */
import { connect, type Socket } from 'node:net';

/** What is lost with the connection. */
export type Cut =
  /** The statement never reaches the server. */
  | 'before it arrives'
  /** The server has carried out the statement; its answer never arrives. */
  | 'before its answer'
  /** The same, and the connection stays open and silent. */
  | 'without a word';

export interface Impairment {
  /** Delay added to all data, each way. */
  latencyMs?: number;
  /** The connection breaks after this many more bytes from the server. */
  cutAfterBytes?: number;
  /** Nothing passes, without an error. What was sent meanwhile arrives afterwards, as TCP would send it again. */
  blackHole?: boolean;
  /** Only connections whose first bytes contain this text: a Postgres client sends its name there. */
  only?: string;
}

export interface Armed {
  text: string;
  cut: Cut;
  /** A text in the server's answer to the statement. */
  answer: string;
  done: () => void;
}

export interface Rules {
  armed?: Armed;
  impairment?: Impairment;
  /** Texts that no client may send. */
  watchedFor: readonly string[];
  /** Watched texts that a client has sent. */
  readonly sent: Set<string>;
}

export class Link {
  readonly #client: Socket;
  readonly #upstream: Socket;
  readonly #rules: Rules;
  #greeting = '';
  #bytesLeft: number | undefined;
  #swallow: Armed | undefined;
  #silent = false;
  /** The end of what the client sent last, long enough for a text that comes in two pieces. */
  #tail: Buffer = Buffer.alloc(0);
  readonly #toClient: Buffer[] = [];
  readonly #toServer: Buffer[] = [];

  constructor(client: Socket, server: { host: string; port: number }, rules: Rules) {
    this.#client = client;
    this.#upstream = connect(server.port, server.host);
    this.#rules = rules;
    for (const socket of [this.#client, this.#upstream]) {
      socket.setNoDelay(true);
      socket.on('error', () => this.#lost());
      socket.on('close', () => this.#lost());
    }
    client.on('data', (data) => this.#fromClient(data));
    this.#upstream.on('data', (data) => this.#fromServer(data));
  }

  onEnd(listener: () => void): void {
    this.#client.once('close', listener);
  }

  end(): void {
    this.#client.destroy();
    this.#upstream.destroy();
  }

  halfOpen(): void {
    this.#silent = true;
    this.#client.resume();
    this.#upstream.destroy();
  }

  /** Applies a changed impairment. */
  impaired(): void {
    const { blackHole, cutAfterBytes } = this.#impairment ?? {};
    this.#bytesLeft = cutAfterBytes;
    for (const socket of [this.#client, this.#upstream]) {
      if (blackHole) socket.pause();
      else socket.resume();
    }
  }

  get #impairment(): Impairment | undefined {
    const { impairment } = this.#rules;
    return impairment?.only === undefined || this.#greeting.includes(impairment.only) ? impairment : undefined;
  }

  #lost(): void {
    if (!this.#silent || this.#client.destroyed) this.end();
  }

  #lookAt(data: Buffer): void {
    const { watchedFor, sent } = this.#rules;
    const longest = Math.max(0, ...watchedFor.map((text) => Buffer.byteLength(text)));
    if (longest === 0) return;
    const seen = Buffer.concat([this.#tail, data]);
    for (const text of watchedFor) if (seen.includes(text)) sent.add(text);
    this.#tail = Buffer.from(seen.subarray(Math.max(0, seen.length - longest)));
  }

  #fromClient(data: Buffer): void {
    this.#lookAt(data);
    if (this.#greeting === '') {
      this.#greeting = data.toString('latin1');
      this.impaired();
    }
    if (this.#silent) return;
    const { armed } = this.#rules;
    if (armed && data.includes(armed.text)) {
      this.#rules.armed = undefined;
      if (armed.cut === 'before it arrives') {
        this.end();
        armed.done();
        return;
      }
      this.#swallow = armed;
    }
    this.#pass(data, this.#upstream);
  }

  #fromServer(data: Buffer): void {
    if (this.#silent) return;
    if (this.#swallow && data.includes(this.#swallow.answer)) {
      this.#silent = this.#swallow.cut === 'without a word';
      if (!this.#silent) this.end();
      this.#swallow.done();
      return;
    }
    if (this.#bytesLeft === undefined || data.length < this.#bytesLeft) {
      if (this.#bytesLeft !== undefined) this.#bytesLeft -= data.length;
      this.#pass(data, this.#client);
      return;
    }
    // Half a message arrives, and then nothing.
    this.#client.end(data.subarray(0, this.#bytesLeft));
    this.#upstream.destroy();
  }

  /** Keeps the order of the data, however the delay changes. */
  #pass(data: Buffer, to: Socket): void {
    const latencyMs = this.#impairment?.latencyMs ?? 0;
    const waiting = to === this.#client ? this.#toClient : this.#toServer;
    if (latencyMs === 0 && waiting.length === 0) {
      to.write(data);
      return;
    }
    waiting.push(data);
    setTimeout(() => {
      const next = waiting.shift();
      if (next && !to.destroyed && !this.#silent) to.write(next);
    }, latencyMs);
  }
}
