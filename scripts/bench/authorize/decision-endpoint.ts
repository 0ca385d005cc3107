/**
 * A process of its own: an integrator's decision endpoint that takes its time and approves. It reports how often it was
 * asked.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A service in the same region, with a read of its own database. */
const TAKES_MS = 5;

let asked = 0;
const server = createServer((request, response) => {
  asked += 1;
  request.resume();
  request.once('end', () =>
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"decision":"approved"}');
    }, TAKES_MS),
  );
});

server.listen(0, '127.0.0.1', () => {
  // Questions wait until somebody listens.
  process.on('message', ({ ask }: { ask: 'port' | 'asked' }) => {
    process.send!(ask === 'asked' ? asked : (server.address() as AddressInfo).port);
  });
});
process.once('disconnect', () => process.exit());
