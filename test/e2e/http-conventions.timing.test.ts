/** The limit of a key: how many requests of a second it refuses. */
import { expect, test } from 'vitest';
import { startProduct } from '../support/product.ts';

test('of twenty requests at once, the limit of a key refuses all but those of two seconds', async () => {
  const product = await startProduct({ backend: 'postgres' });
  try {
    const { keys, client } = await product.organisation();
    await client.openAccount();
    const slow = await product.clientWith({ bookId: keys.testBookId, mode: 'test', scopes: ['*'], writesPerSecond: 3 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => slow.requestPayout()));
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(14);
  } finally {
    await product.close();
  }
});
