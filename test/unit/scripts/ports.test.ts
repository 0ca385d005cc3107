import { expect, test } from 'vitest';
import { ownPort } from '../../../scripts/harness/ports.ts';
import { isPortFree } from '../../../src/embedded/postmaster.ts';

test('a process has blocks of ports of its own, whose guards keep others out, and gives no port twice', async () => {
  const ports = await Promise.all(Array.from({ length: 250 }, ownPort));
  expect(new Set(ports).size).toBe(250);
  expect(ports.filter((port) => port < 20_000 || port >= 30_000 || port % 100 === 0)).toEqual([]);
  const guards = [...new Set(ports.map((port) => port - (port % 100)))];
  expect(guards.length).toBeGreaterThan(2);
  for (const guard of guards) expect(await isPortFree(guard)).toBe(false);
  for (const port of ports.slice(-5)) expect(await isPortFree(port)).toBe(true);
});
