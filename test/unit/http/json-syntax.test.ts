import fc from 'fast-check';
import { parse as parseLossless } from 'lossless-json';
import { expect, test } from 'vitest';
import { syntaxFaultAt } from '../../../src/http/input/json-syntax.ts';
import { runs } from '../../support/runs.ts';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test.each`
  text            | position
  ${''}           | ${0}
  ${' '}          | ${1}
  ${'{'}          | ${1}
  ${'{"a"'}       | ${4}
  ${'{"a" 1}'}    | ${5}
  ${'{"a":}'}     | ${5}
  ${'{,}'}        | ${1}
  ${'[1,]'}       | ${3}
  ${'[1 2]'}      | ${3}
  ${'[1}'}        | ${2}
  ${'{"a":1]'}    | ${6}
  ${'[[1],[2]'}   | ${8}
  ${'[] []'}      | ${3}
  ${'01'}         | ${1}
  ${'+1'}         | ${0}
  ${'nul'}        | ${0}
  ${'"a\u0001"'}  | ${2}
  ${'"a\\x"'}     | ${2}
  ${'"a\\u12g4"'} | ${2}
  ${'"a'}         | ${2}
`('$text stops at $position', ({ text, position }) => {
  expect(isJson(text)).toBe(false);
  expect(syntaxFaultAt(text)).toBe(position);
});

const token = fc.constantFrom(...'{}[],:"\\ \n01.eE+-tru', '"a":', '"b"', 'true', 'null', '12', '\\u00e9', '1.5');

test('invalid JSON stops before the end, valid JSON at the end', () => {
  fc.assert(
    fc.property(fc.array(token, { maxLength: 12 }), (tokens) => {
      const text = tokens.join('');
      const at = syntaxFaultAt(text);
      expect(at).toBeLessThanOrEqual(text.length);
      if (isJson(text)) expect(at).toBe(text.length);
      // The text up to and including the position is invalid too.
      else if (at < text.length) expect(isJson(`${text.slice(0, at + 1)}`)).toBe(false);
    }),
    { numRuns: runs(20_000) },
  );
});

test('a valid text with one inserted character stops where an independent parser stops', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.nat(), fc.constantFrom(...'{}[],:x'), (value, place, character) => {
      const valid = JSON.stringify(value, null, 1);
      const at = place % (valid.length + 1);
      const text = valid.slice(0, at) + character + valid.slice(at);
      if (isJson(text)) return;
      const said = / at position (\d+)$/.exec(thrown(text));
      // It judges names as well: a bracket that ends an object early may leave two of one name.
      if (said && !/number|"true|"false|"null|duplicate/i.test(thrown(text)))
        expect(syntaxFaultAt(text)).toBe(Number(said[1]));
    }),
    { numRuns: runs(5_000) },
  );
});

function thrown(text: string): string {
  try {
    parseLossless(text);
    return '';
  } catch (error) {
    return String(error);
  }
}
