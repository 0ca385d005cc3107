import { expect, test } from 'vitest';
import { meetTwin } from '../../../src/db/meet-twin.ts';

const twin = Object.assign(new Error('duplicate key'), { code: '23505' });
const other = Object.assign(new Error('canceled'), { code: '57014' });

/** Fails with these, one after the other, and then succeeds. */
function failing(...errors: Error[]): () => Promise<string> {
  return () => {
    const error = errors.shift();
    return error === undefined ? Promise.resolve('there') : Promise.reject(error);
  };
}

test('who meets a twin finds its row', async () => {
  expect(await meetTwin(failing(twin))).toBe('there');
});

test.each([
  ['another error', other, [other]],
  ['a twin twice', twin, [twin, twin]],
])('%s is thrown', async (_, thrown, errors) => {
  await expect(meetTwin(failing(...errors))).rejects.toBe(thrown);
});
