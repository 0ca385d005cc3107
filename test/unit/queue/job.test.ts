import { describe, expect, test } from 'vitest';
import { packRows, partitionOf, partsOf, queueName, rowsIn } from '../../../src/queue/job.ts';
import { newId } from '../../../src/values/ids.ts';

test('a queue name is one hash tag, so that its keys share a slot of a Redis Cluster', () => {
  expect(queueName('ledger', 3)).toBe('{ledger-3}');
});

test.each`
  bookId                                    | partitions | partition
  ${''}                                     | ${1}       | ${0}
  ${''}                                     | ${8}       | ${5}
  ${'0192d3a4-5b6c-7d8e-9f00-112233445566'} | ${8}       | ${6}
  ${'0192d3a4-5b6c-7d8e-9f00-112233445567'} | ${8}       | ${1}
`('book $bookId is in partition $partition of $partitions in every release', ({ bookId, partitions, partition }) => {
  expect(partitionOf(bookId, partitions)).toBe(partition);
});

test('books made in the same millisecond are spread over the partitions', () => {
  const partitions = 8;
  const counts = new Array<number>(partitions).fill(0);
  for (let book = 0; book < 4_000; book++) counts[partitionOf(newId(), partitions)]! += 1;
  for (const count of counts) expect(count).toBeGreaterThan(350);
});

describe('rows of several books', () => {
  const rows = (bookId: string, count: number) => ({
    bookId,
    ids: Array.from({ length: count }, (_, row) => `${bookId}-${row}`),
  });
  const shapes = (name: 'payout.reserve' | 'clock.advance' | 'rail.notices', books: number[], multiBook: boolean) =>
    packRows(
      name,
      books.map((count, book) => rows('abcdef'[book]!, count)),
      { multiBook },
    ).map((data) => partsOf(data).map(({ bookId, ids }) => `${bookId}${ids.length}`));

  test.each`
    name                | multiBook | books            | jobs
    ${'payout.reserve'} | ${false}  | ${[1, 150, 2]}   | ${[['a1'], ['b100'], ['b50'], ['c2']]}
    ${'payout.reserve'} | ${true}   | ${[1, 2, 3]}     | ${[['a1', 'b2', 'c3']]}
    ${'payout.reserve'} | ${true}   | ${[60, 40, 1]}   | ${[['a60', 'b40'], ['c1']]}
    ${'payout.reserve'} | ${true}   | ${[60, 60]}      | ${[['a60'], ['b60']]}
    ${'payout.reserve'} | ${true}   | ${[250, 1, 100]} | ${[['a50', 'b1'], ['a100'], ['a100'], ['c100']]}
    ${'payout.reserve'} | ${true}   | ${[0, 1]}        | ${[['b1']]}
    ${'clock.advance'}  | ${true}   | ${[1, 1]}        | ${[['a1'], ['b1']]}
    ${'rail.notices'}   | ${true}   | ${[1, 1]}        | ${[['a1'], ['b1']]}
  `('$books of $name are packed as $jobs', ({ name, multiBook, books, jobs }) => {
    expect(shapes(name, books, multiBook)).toEqual(jobs);
  });

  test('a job of one book keeps the form that every release reads', () => {
    const [job] = packRows('payout.reserve', [rows('a', 2)], { multiBook: true });
    expect(job).toEqual({ bookId: 'a', ids: ['a-0', 'a-1'] });
  });

  test('are counted over all books', () => {
    expect(rowsIn({ books: [rows('a', 2), rows('b', 3)] })).toBe(5);
    expect(rowsIn(rows('a', 2))).toBe(2);
  });
});
