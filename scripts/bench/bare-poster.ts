/** A process of its own: the least that a loop of POSTs does with undici, to compare deliveries with. */
import { Pool } from 'undici';

/** As many as the product has under way to one endpoint. */
const CONNECTIONS = 64;
/** As long as an event of a payout. */
const BODY = JSON.stringify({ object: 'event', data: 'x'.repeat(1_200) });

/** Answered with the seconds that the posts took. */
process.on('message', async ({ url, posts }: { url: string; posts: number }) => {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: CONNECTIONS });
  const headers = { 'content-type': 'application/json', 'webhook-id': 'bare' };
  let left = posts;
  const caller = async () => {
    while (left > 0) {
      left--;
      const { body } = await pool.request({ path: pathname, method: 'POST', headers, body: BODY });
      await body.dump();
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, caller));
  const seconds = (performance.now() - started) / 1000;
  await pool.close();
  process.send!(seconds);
});
process.once('disconnect', () => process.exit());
