/** A process that does one round of a rail's files: the tests kill it, stop it and let it go on. */
import { openRail } from './bank.ts';

const { rail, pool } = openRail(JSON.parse(process.argv[2]!));
try {
  await rail.work();
} finally {
  await pool.end();
}
