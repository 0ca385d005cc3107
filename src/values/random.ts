import { randomFillSync } from 'node:crypto';

/** One system call gives a few hundred values. A call for each twelve bytes was a thirtieth of the API's work. */
const POOL_BYTES = 8_192;
const pool = Buffer.allocUnsafeSlow(POOL_BYTES);
let used = POOL_BYTES;

/** Random bytes of the system's generator, each handed out once; at most POOL_BYTES. A copy: the pool is refilled. */
export function takeRandom(bytes: number): Buffer {
  if (used + bytes > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const taken = Buffer.from(pool.subarray(used, used + bytes));
  used += bytes;
  return taken;
}
