/**
 * Ports for servers that tests start. Each process takes them from blocks of its own, so that a server which is down for a while finds its
 * port free again, also where several runs are on one machine.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { isPortFree } from '../../src/embedded/postmaster.ts';

/** Above the ports of the embedded Postgres, below those that systems give to outgoing connections. */
const PORTS = { from: 20_000, below: 30_000 };
/** The first port of a block is its guard: it is listened at for as long as the process lives. */
const BLOCK_PORTS = 100;
const BLOCKS = (PORTS.below - PORTS.from) / BLOCK_PORTS;

interface Block {
  next: number;
  readonly below: number;
}

let current: Promise<Block> | undefined;

/** A free port that this process has not given out before. Throws where all blocks have a guard. */
export async function ownPort(): Promise<number> {
  for (;;) {
    current ??= claimBlock();
    const claimed = current;
    const block = await claimed;
    const port = block.next;
    if (port === block.below) {
      // Whoever else came to the end of it waits for the same next one.
      if (current === claimed) current = undefined;
      continue;
    }
    block.next += 1;
    if (await isPortFree(port)) return port;
  }
}

async function claimBlock(): Promise<Block> {
  for (let at = 0; at < BLOCKS; at++) {
    const first = PORTS.from + ((process.pid + at) % BLOCKS) * BLOCK_PORTS;
    if (await listensAt(first)) return { next: first + 1, below: first + BLOCK_PORTS };
  }
  throw new Error(`Every block of ports from ${PORTS.from} to ${PORTS.below - 1} has a guard: end other test runs`);
}

/** Whether this process listens there from now on. */
async function listensAt(port: number): Promise<boolean> {
  const guard = createServer((socket) => socket.destroy())
    .listen(port, '127.0.0.1')
    .unref();
  try {
    await once(guard, 'listening');
    return true;
  } catch {
    return false;
  }
}
