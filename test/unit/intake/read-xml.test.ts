import { expect, test } from 'vitest';
import { XmlReader } from '../../../src/intake/read-xml.ts';

const MEGABYTE = 1024 * 1024;

function read(parts: Iterable<string>): {
  readonly names: readonly string[];
  readonly bytes: number;
  readonly refusal: string | null;
} {
  const names: string[] = [];
  const reader = new XmlReader(new Set(['Ntry']), ({ name }) => names.push(name));
  let bytes = 0;
  try {
    for (const part of parts) {
      bytes += part.length;
      reader.write(Buffer.from(part));
    }
    reader.end();
  } catch (error) {
    return { names, bytes, refusal: (error as Error).message };
  }
  return { names, bytes, refusal: null };
}

function* endless(head: string, repeated: string): Generator<string> {
  yield head;
  const part = repeated.repeat(Math.ceil(65_536 / repeated.length));
  for (let bytes = 0; bytes < 64 * MEGABYTE; bytes += part.length) yield part;
}

test.each([
  ['attributes', '<Document a="1"', ' b=""', /more than 30 attributes/],
  ['an attribute', '<Document a="', 'x', /more than 80000 characters/],
  ['a name', '<', 'x', /more than 80000 characters/],
  ['a text', '<Document>', 'x', /more than 80000 characters/],
  ['blanks', '<Document>', ' ', /more than 80000 characters/],
  ['a comment', '<Document><!--', 'x', /more than 80000 characters/],
  ['an instruction', '<Document><?x ', 'x', /more than 80000 characters/],
  ['a CDATA section', '<Document><![CDATA[', 'x', /more than 80000 characters/],
  ['an entity', '<Document>&', 'x', /characters|entity/],
  ['a declaration', '<?xml ', 'x', /./],
])('%s without an end: nothing is read behind its bound', (_, head, repeated, message) => {
  const { bytes, refusal } = read(endless(head, repeated));
  expect(refusal).toMatch(message);
  expect(bytes).toBeLessThan(MEGABYTE);
});

test('many elements, comments and texts that end are read, in whatever parts', () => {
  const entry = `<Ntry a="${'1'.repeat(1_000)}"><!-- ${'c'.repeat(10_000)} -->${'t'.repeat(15_000)}</Ntry>\n`;
  const file = `<Document>${entry.repeat(20)}</Document>`;
  const parts = (size: number) =>
    Array.from({ length: Math.ceil(file.length / size) }, (_, at) => file.slice(at * size, (at + 1) * size));
  for (const size of [1_000, 30_000, file.length])
    expect(read(parts(size))).toMatchObject({ refusal: null, names: [...Array(20).fill('Ntry'), 'Document'] });
});
