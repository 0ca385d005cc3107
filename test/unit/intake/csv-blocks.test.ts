/** CSV read block by block gives what CSV read whole gives, wherever the parts are cut. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BadInput } from '../../../src/intake/bad-input.ts';
import { eachRow, type ParsedRow, readCsv } from '../../../src/intake/csv.ts';
import { csvBlocks, csvRows } from '../../../src/intake/csv-blocks.ts';
import { runs } from '../../support/runs.ts';

const COLUMNS = ['a', 'b'] as const;

function* cut(bytes: Buffer, sizes: readonly number[]): Generator<Buffer> {
  let at = 0;
  for (let turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length]!;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

/** The rows, or what is said of a file that is wrong. */
function read(rows: () => unknown): unknown {
  try {
    return rows();
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    return error.message;
  }
}
const blocksOf = (text: string, sizes: readonly number[]) =>
  read(() => [...csvBlocks(cut(Buffer.from(text), sizes), COLUMNS)].flat());
const wholeOf = (text: string) => read(() => readCsv(Buffer.from(text), COLUMNS));

const field = fc.constantFrom('', 'x', 'é', '"q ""u"""', '"line\nend"', '"cr\r\nlf"', 'y z');
const file = fc.record({
  rows: fc.array(fc.tuple(field, field), { maxLength: 12 }),
  end: fc.constantFrom('\n', '\r\n', '\r'),
  isEnded: fc.boolean(),
  hasMark: fc.boolean(),
  sizes: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 3 }),
});

test('the same rows with the same lines, wherever a part ends', () => {
  fc.assert(
    fc.property(file, ({ rows, end, isEnded, hasMark, sizes }) => {
      const lines = ['a,b', ...rows.map((row) => row.join(','))].join(end);
      const text = `${hasMark ? '\uFEFF' : ''}${lines}${isEnded ? end : ''}`;
      expect(blocksOf(text, sizes)).toEqual(wholeOf(text));
    }),
    { numRuns: runs(500) },
  );
});

describe('a file that is wrong', () => {
  test.each`
    what                     | text                                                              | said
    ${'nothing'}             | ${''}                                                             | ${'The file is empty.'}
    ${'another header'}      | ${'a,c\n1,2\n'}                                                   | ${'Line 1: The columns are a,c, and should be a,b.'}
    ${'a field too few'}     | ${'a,b\n1,2\n3\n'}                                                | ${'Line 3: It has 1 of 2 fields.'}
    ${'a field too many'}    | ${'a,b\n1,2\n3,4,5\n'}                                            | ${'Line 3: It has 3 of 2 fields.'}
    ${'half a line'}         | ${'a,b\n1,2\n3'}                                                  | ${'Line 3: It has 1 of 2 fields.'}
    ${'a line behind lines'} | ${'a,b\n"1\n1",2\n3\n'}                                           | ${'Line 4: It has 1 of 2 fields.'}
    ${'an open quote'}       | ${'a,b\n1,2\n"3,4\n'}                                             | ${'Quote Not Closed'}
    ${'a stray quote'}       | ${'a,b\n1,2\n3,4"5\n'}                                            | ${'Line 3: '}
    ${'no UTF-8'}            | ${Buffer.from([97, 44, 98, 10, 0xff, 44, 10]).toString('latin1')} | ${'It has'}
  `('$what: it says the line', ({ text, said, what }) => {
    if (what === 'no UTF-8') {
      const bytes = Buffer.from(text, 'latin1');
      expect(read(() => [...csvBlocks([bytes], COLUMNS)])).toBe('The file is not UTF-8.');
      return;
    }
    for (const sizes of [[1], [3], [7], [1_000]]) expect(blocksOf(text, sizes)).toContain(said);
  });

  /** Rows of nothing but commas, a row a part, and how many of them were asked for. */
  function commas() {
    const rows = { given: 0 };
    function* parts() {
      yield Buffer.from('a,b\n1,2\n');
      for (;;) {
        rows.given += 1;
        yield Buffer.from(`${','.repeat(65_000)}\n`);
      }
    }
    return { rows, parts };
  }

  test('nothing is read behind the first line with more fields than the header', () => {
    const { rows, parts } = commas();
    expect(read(() => [...csvBlocks(parts(), COLUMNS)].flat())).toBe('Line 3: It has 65001 of 2 fields.');
    expect(rows.given).toBe(1);
  });

  test('nor behind it within a part', () => {
    const taken: number[] = [];
    const take = ({ row, record }: ParsedRow) => taken.push(row) > 0 && record.length === 2;
    eachRow(`a,b\n${`${','.repeat(65_000)}\n`.repeat(300)}`, take);
    expect(taken).toEqual([1, 2]);
  });

  test('nor by who reads rows that are judged one by one: it is the last of them', async () => {
    const { rows, parts } = commas();
    const found: [number, number][] = [];
    async function* later() {
      yield* parts();
    }
    const headers: (readonly string[])[] = [];
    for await (const block of csvRows(later(), (header) => headers.push(header)))
      found.push(...block.map(({ row, record }) => [row, record.length] as [number, number]));
    expect(headers).toEqual([['a', 'b']]);
    expect(found).toEqual([
      [2, 2],
      [3, 65_001],
    ]);
    expect(rows.given).toBe(1);
  });

  test('nor behind a header that is not wanted: what was thrown about it comes as it is', async () => {
    const judged: number[] = [];
    class NotWanted extends Error {}
    let given = 0;
    async function* parts() {
      for (;;) {
        given += 1;
        yield Buffer.from(`${','.repeat(65_000)}\n`.repeat(3));
      }
    }
    const judge = (header: readonly string[]) => {
      judged.push(header.length);
      throw new NotWanted();
    };
    await expect(csvRows(parts(), judge).next()).rejects.toThrow(NotWanted);
    expect([judged, given]).toEqual([[65_001], 1]);
  });

  test('a row without an end is refused before it is whole', () => {
    let given = 0;
    function* endless() {
      yield Buffer.from('a,b\n"');
      for (;;) {
        given += 1;
        yield Buffer.alloc(4_096, 'x');
      }
    }
    expect(read(() => [...csvBlocks(endless(), COLUMNS)].flat())).toBe('Line 2: It has more than 65536 bytes.');
    expect(given).toBeLessThan(20);
  });
});
