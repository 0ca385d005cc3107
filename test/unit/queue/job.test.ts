import { expect, test } from 'vitest';
import { newId } from '../../../src/ids.ts';
import { laneOf, queueName } from '../../../src/queue/job.ts';

test('a queue name is one hash tag, so that its keys share a slot of a Redis Cluster', () => {
  expect(queueName('ledger', 3)).toBe('{ledger-3}');
});

test.each`
  bookId                                    | lanes | lane
  ${''}                                     | ${1}  | ${0}
  ${''}                                     | ${8}  | ${5}
  ${'0192d3a4-5b6c-7d8e-9f00-112233445566'} | ${8}  | ${6}
  ${'0192d3a4-5b6c-7d8e-9f00-112233445567'} | ${8}  | ${1}
`('book $bookId is in lane $lane of $lanes in every release', ({ bookId, lanes, lane }) => {
  expect(laneOf(bookId, lanes)).toBe(lane);
});

test('books made in the same millisecond are spread over the lanes', () => {
  const lanes = 8;
  const counts = new Array<number>(lanes).fill(0);
  for (let book = 0; book < 4_000; book++) counts[laneOf(newId(), lanes)]! += 1;
  for (const count of counts) expect(count).toBeGreaterThan(350);
});
