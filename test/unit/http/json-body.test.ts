import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { ApiError, FieldError } from '../../../src/errors/errors.ts';
import { parseBody } from '../../../src/http/input/json-body.ts';
import { MAX_DEPTH, MAX_MEMBERS } from '../../../src/http/input/nesting.ts';

function refusal(text: string): ApiError {
  try {
    parseBody(text, []);
  } catch (error) {
    return error as ApiError;
  }
  throw new Error(`accepted: ${text}`);
}

function fieldErrorsOf(text: string): FieldError[] {
  const faults: FieldError[] = [];
  parseBody(text, faults);
  return faults;
}

/** `{"a":{"a":…}}`, `depth` objects deep. */
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

test.each`
  text                    | position | line | column
  ${'{"a":1,'}            | ${7}     | ${1} | ${8}
  ${'{"a":\n  x}'}        | ${8}     | ${2} | ${3}
  ${'{"a":1}}'}           | ${7}     | ${1} | ${8}
  ${"{'a':1}"}            | ${1}     | ${1} | ${2}
  ${'{"a":"x'}            | ${7}     | ${1} | ${8}
  ${'{"a":NaN}'}          | ${5}     | ${1} | ${6}
  ${'{"a":1,"a":2,\n\n}'} | ${15}    | ${3} | ${1}
`('malformed JSON $text is refused at position $position', ({ text, position, line, column }) => {
  const error = refusal(text);
  expect(error.code).toBe('malformed_json');
  expect(error.facts).toEqual({ position, line, column });
  expect(error.message).toContain(`position ${position} (line ${line}, column ${column})`);
});

test('a byte order mark before JSON is named', () => {
  const error = refusal('\uFEFF{"a":1}');
  expect(error.code).toBe('malformed_json');
  expect(error.message).toContain('byte order mark (U+FEFF, bytes EF BB BF)');
  expect(error.facts).toEqual({ position: 0, line: 1, column: 1 });
});

test.each(['', '   ', '\n'])('a body of white space %j is not JSON', (text) => {
  expect(refusal(text).code).toBe('malformed_json');
});

test.each(['[]', '1', '1.5', '"x"', 'null', 'true'])('a body that is %s is not an object', (text) => {
  const error = refusal(text);
  expect(error.code).toBe('parameter_invalid');
  expect(error.fieldErrors[0]!.param).toBe('');
});

test.each`
  text                               | code                   | pointer
  ${'{"a":"\\u0000"}'}               | ${'parameter_invalid'} | ${'/a'}
  ${'{"a":["x",{"b":"y\\u0000z"}]}'} | ${'parameter_invalid'} | ${'/a/1/b'}
  ${'{"a":"\\ud800"}'}               | ${'parameter_invalid'} | ${'/a'}
  ${'{"a":"\\udc00\\ud800"}'}        | ${'parameter_invalid'} | ${'/a'}
  ${'{"m":{"\\ud83d":"x"}}'}         | ${'parameter_invalid'} | ${'/m/\ud83d'}
  ${'{"m":{"k\\u0000":"x"}}'}        | ${'parameter_invalid'} | ${'/m/k\u0000'}
  ${'{"m~/n":"\\u0000"}'}            | ${'parameter_invalid'} | ${'/m~0~1n'}
  ${'{"__proto__":{"x":1}}'}         | ${'parameter_unknown'} | ${'/__proto__'}
  ${'{"a":{"__proto__":{"x":1.5}}}'} | ${'parameter_unknown'} | ${'/a/__proto__'}
  ${'{"\\u005f_proto__":1}'}         | ${'parameter_unknown'} | ${'/__proto__'}
`('$text is refused at $pointer', ({ text, code, pointer }) => {
  expect(fieldErrorsOf(text)).toMatchObject([{ code, param: pointer }]);
});

test('surrogate pairs and other escapes are ordinary characters', () => {
  expect(parseBody('{"a":"\\ud83d\\ude00 \\u00e9 \\n","b":"😀"}', [])).toEqual({ a: '😀 é \n', b: '😀' });
});

test('every bad string is listed, up to a limit', () => {
  expect(fieldErrorsOf('{"a":"\\u0000","b":"x","c":["\\ud800"]}').map(({ param }) => param)).toEqual(['/a', '/c/0']);
  expect(fieldErrorsOf(`{"a":[${Array(500).fill('"\\u0000"').join(',')}]}`)).toHaveLength(100);
});

test(`${MAX_DEPTH} levels are read, one more is refused with its pointer`, () => {
  expect(parseBody(nested(MAX_DEPTH), [])).toHaveProperty('a');
  const error = refusal(nested(MAX_DEPTH + 1));
  expect(error.code).toBe('parameter_invalid');
  expect(error.fieldErrors[0]!.param).toBe('/a'.repeat(MAX_DEPTH));
  expect(error.facts).toEqual({ limit: MAX_DEPTH });
});

test.each`
  text                                                 | pointer
  ${`{"x":[0,[1],${'['.repeat(40)}`}                   | ${`/x/2${'/0'.repeat(30)}`}
  ${`{"k,y":"}]","q":{"a\\"/b":${'{"z":'.repeat(40)}`} | ${`/q/a"~1b${'/z'.repeat(30)}`}
  ${`{"x":[{"a":1},{"b":[2,${'{"c":['.repeat(20)}`}    | ${`/x/1/b/1${'/c/0'.repeat(14)}`}
`('excessive nesting is refused with its pointer: $pointer', ({ text, pointer }) => {
  expect(refusal(text).fieldErrors[0]!.param).toBe(pointer);
});

test('a megabyte of brackets is refused without parsing', () => {
  expect(refusal(`{"a":${'['.repeat(1_000_000)}`).code).toBe('parameter_invalid');
});

const members = (count: number) => `{${Array.from({ length: count }, (_, index) => `"m${index}":0`).join(', ')}}`;
const elements = (count: number) =>
  `{"x": [${Array(count - 1)
    .fill('0')
    .join(',')}]}`;

test.each`
  what             | within                                             | beyond                                                | pointer
  ${'members'}     | ${members(MAX_MEMBERS)}                            | ${members(MAX_MEMBERS + 1)}                           | ${`/m${MAX_MEMBERS}`}
  ${'elements'}    | ${elements(MAX_MEMBERS)}                           | ${elements(MAX_MEMBERS + 1)}                          | ${`/x/${MAX_MEMBERS - 1}`}
  ${'texts'}       | ${elements(MAX_MEMBERS).replaceAll('0', '",{}["')} | ${elements(MAX_MEMBERS + 1).replaceAll('0', '"a,b"')} | ${`/x/${MAX_MEMBERS - 1}`}
  ${'empty lists'} | ${elements(MAX_MEMBERS).replaceAll('0', '[ ]')}    | ${elements(MAX_MEMBERS + 1).replaceAll('0', '{}')}    | ${`/x/${MAX_MEMBERS - 1}`}
  ${'levels together'} | ${elements(MAX_MEMBERS / 2)
  .replaceAll('0', '{"a":1}')
  .replace('{"a":1}', '0')} | ${elements(MAX_MEMBERS / 2 + 1).replaceAll('0', '{"a":1}')} | ${`/x/${MAX_MEMBERS / 2 - 1}/a`}
`('$what: the limit is read, one more is refused with its pointer', ({ within, beyond, pointer }) => {
  expect(parseBody(within, [])).toBeDefined();
  const error = refusal(beyond);
  expect(error.code).toBe('parameter_invalid');
  expect(error.fieldErrors[0]!.param).toBe(pointer);
  expect(error.facts).toEqual({ limit: MAX_MEMBERS });
});

test('a route may allow more members', () => {
  expect(Object.keys(parseBody(members(5_000), [], 5_000))).toHaveLength(5_000);
});

test('a body with too many members is not parsed', () => {
  const parse = vi.spyOn(JSON, 'parse');
  try {
    expect(refusal(`{"x":[${'0,'.repeat(300_000)}0]}`).code).toBe('parameter_invalid');
    expect(parse.mock.calls.filter(([text]) => text.length > 100)).toEqual([]);
  } finally {
    parse.mockRestore();
  }
});

test.each`
  text                                                      | pointer         | position | line | column
  ${'{"a":1,"a":2}'}                                        | ${'/a'}         | ${7}     | ${1} | ${8}
  ${'{"a":1,"a":1}'}                                        | ${'/a'}         | ${7}     | ${1} | ${8}
  ${'{"a":1.50,"b":1,\n "a" :2}'}                           | ${'/a'}         | ${18}    | ${2} | ${2}
  ${'{"a":{"b":"b","c":"b"},"x":[{"b":1},{"d":0,"d":[]}]}'} | ${'/x/1/d'}     | ${43}    | ${1} | ${44}
  ${'{"a":1,"\\u0061":2}'}                                  | ${'/a'}         | ${7}     | ${1} | ${8}
  ${'{"__proto__":1,"__proto__":2}'}                        | ${'/__proto__'} | ${15}    | ${1} | ${16}
  ${'{"1":1,"0":1,"1":3}'}                                  | ${'/1'}         | ${13}    | ${1} | ${14}
  ${'{"":1,"":3}'}                                          | ${'/'}          | ${6}     | ${1} | ${7}
`('a repeated member is refused with its pointer: $text', ({ text, pointer, position, line, column }) => {
  const error = refusal(text);
  expect(error.code).toBe('malformed_json');
  expect(error.fieldErrors[0]!.param).toBe(pointer);
  expect(error.facts).toEqual({ position, line, column });
});

test('valid JSON without repeated members parses to the same value', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), fc.nat(3), (value, spaces) => {
      const text = JSON.stringify(value, null, spaces);
      expect(JSON.stringify(parseBody(text, []))).toBe(JSON.stringify(JSON.parse(text, exactly)));
    }),
  );
});

/** Wraps numbers that are not safe integers, as the product's parser does. */
function exactly(_key: string, value: unknown) {
  return typeof value === 'number' && !Number.isSafeInteger(value) ? { text: String(value) } : value;
}

test('a megabyte of name above many field errors does not give a huge answer', () => {
  const text = `{"${'n'.repeat(900_000)}":[${Array(500).fill('"\\u0000"').join(',')}]}`;
  const faults = fieldErrorsOf(text);
  expect(faults).toHaveLength(100);
  expect(faults.every(({ param }) => param!.length <= 1_001)).toBe(true);
});

test('a position after a megabyte of lines is correct', () => {
  expect(refusal(`{"a":1,${'\n'.repeat(1_000_000)}}`).facts).toMatchObject({ line: 1_000_001, column: 1 });
});
