/**
 * A process of its own: the outside world of hostile books. Receivers that are fast, slow or silent, and a dead name
 * server.
 */
import { createSocket } from 'node:dgram';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { type Fault, startGateway } from '../../gateway/server.ts';

export type OutsideQuestion =
  /** Answered with the port, which is the same on all of these addresses. */
  | { ask: 'listen'; as: keyof typeof RECEIVERS; hosts: readonly string[] }
  /** A name server that receives every question and answers none. Answered with its port. */
  | { ask: 'name server' }
  /**
   * The reference gateway, whose calls take so long. One that is silent about payments breaks off each submission, and never answers an
   * inquiry. Answered with its port.
   */
  | { ask: 'gateway'; secret: string; delayMs: number; isSilent: boolean }
  /** Answered with a port where nothing listens. */
  | { ask: 'closed port' };

/** Just within the time limit of a delivery (15 s). */
const SLOW_MS = 14_000;

/** Just within the longest time limit of a decision endpoint (2 s). */
const DECIDES_LATE_MS = 1_900;

const answering = (afterMs: number, answer?: string) => () =>
  createServer((request, response) => {
    request.resume();
    request.once('end', () => setTimeout(() => response.writeHead(answer ? 200 : 204).end(answer), afterMs));
  });

const RECEIVERS = {
  fast: answering(0),
  slow: answering(SLOW_MS),
  decidesLate: answering(DECIDES_LATE_MS, '{"decision":"approved"}'),
  /** Takes the connection, reads, and never answers. */
  silent: () => createTcpServer((socket) => socket.on('error', () => undefined).resume()),
} satisfies Record<string, () => Server>;

const SILENCE: Readonly<Record<string, Fault>> = { submit: 'unanswered', inquire: 'hangs' };

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

async function answerTo(question: OutsideQuestion): Promise<number> {
  switch (question.ask) {
    case 'listen': {
      let port = 0;
      for (const host of question.hosts) port = await listen(RECEIVERS[question.as](), port, host);
      return port;
    }
    case 'gateway': {
      const gateway = await startGateway({ secrets: [question.secret], delayMs: question.delayMs });
      if (question.isSilent) gateway.faultOf = (call) => SILENCE[call];
      return Number(new URL(gateway.url).port);
    }
    case 'closed port': {
      const server = createTcpServer();
      const port = await listen(server, 0, '127.0.0.1');
      await new Promise((resolve) => server.close(resolve));
      return port;
    }
    case 'name server': {
      const socket = createSocket('udp4');
      await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
      return socket.address().port;
    }
  }
}

process.on('message', async (question: OutsideQuestion) => process.send!(await answerTo(question)));
process.once('disconnect', () => process.exit());
