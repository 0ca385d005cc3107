import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { quietPort } from '../../../src/embedded/postmaster.ts';

test('ports of servers lie below those of outgoing connections, are free, and none is given twice', async () => {
  const ports: number[] = [];
  for (let count = 0; count < 100; count++) ports.push(await quietPort());
  expect(new Set(ports).size).toBe(100);
  expect(ports.filter((port) => port < 15_000 || port >= 20_000)).toEqual([]);
  const last = ports.at(-1)!;
  const next = last + 1 < 20_000 ? last + 1 : 15_000;
  const server = createServer();
  // Where somebody else listens there already, it is taken as well.
  await new Promise((resolve) => server.once('listening', resolve).once('error', resolve).listen(next, '127.0.0.1'));
  expect(await quietPort()).not.toBe(next);
  await new Promise((resolve) => server.close(resolve));
});
