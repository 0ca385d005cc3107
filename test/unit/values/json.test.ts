import fc from 'fast-check';
import { canonicalize } from 'json-canonicalize';
import { parse as parseLossless } from 'lossless-json';
import { describe, expect, test } from 'vitest';
import { canonicalJson, InexactNumber, JsonText, parseJson, toJson } from '../../../src/values/json.ts';

describe('reading numbers', () => {
  test.each`
    text                         | value
    ${'0'}                       | ${0}
    ${'-0'}                      | ${-0}
    ${'1050'}                    | ${1050}
    ${'9007199254740991'}        | ${9007199254740991}
    ${'-9007199254740991'}       | ${-9007199254740991}
    ${'1e3'}                     | ${1000}
    ${'1E+3'}                    | ${1000}
    ${'100.0'}                   | ${100}
    ${'1.5e1'}                   | ${15}
    ${'100e-2'}                  | ${1}
    ${'0.0'}                     | ${0}
    ${'0e400'}                   | ${0}
    ${'9007199254740991.000'}    | ${9007199254740991}
    ${'0.9007199254740991e16'}   | ${9007199254740991}
    ${'9007199254740992'}        | ${'inexact'}
    ${'9007199254740993'}        | ${'inexact'}
    ${'-9007199254740993'}       | ${'inexact'}
    ${'123456789012345678901'}   | ${'inexact'}
    ${'1.5'}                     | ${'inexact'}
    ${'0.1'}                     | ${'inexact'}
    ${'1e-1'}                    | ${'inexact'}
    ${'100.0000000000000000001'} | ${'inexact'}
    ${'9007199254740991.4'}      | ${'inexact'}
    ${'1e400'}                   | ${'inexact'}
    ${'1e-400'}                  | ${'inexact'}
    ${'1e999999999'}             | ${'inexact'}
    ${'-1.7976931348623157e309'} | ${'inexact'}
  `('$text is $value', ({ text, value }) => {
    const parsed = parseJson(`{"amount":${text}}`) as { amount: unknown };
    if (value === 'inexact') expect(parsed.amount).toEqual(new InexactNumber(text));
    else expect(parsed.amount).toBe(value);
  });

  test('a number at the top level is read like one inside', () => {
    expect(parseJson('1.5')).toEqual(new InexactNumber('1.5'));
    expect(parseJson('15')).toBe(15);
  });

  test('digits inside a string are unchanged', () => {
    expect(parseJson('{"note":"1.5 of 12345678901234567890","amount":5}')).toEqual({
      note: '1.5 of 12345678901234567890',
      amount: 5,
    });
  });

  test('whole numbers with a zero fraction stay whole', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.nat({ max: 5 }), (value, zeros) => {
        const written = `${value}.${'0'.repeat(zeros + 1)}`;
        expect(parseJson(`[${value},${written}]`)).toEqual([value, value]);
      }),
    );
  });

  test('any value survives writing and reading, with both parsers', () => {
    const whole = (value: unknown) => (typeof value === 'number' ? Math.trunc(value % 2 ** 53) : value);
    const value = fc.jsonValue({ maxDepth: 4 }).map((json) => {
      return JSON.parse(JSON.stringify(JSON.parse(JSON.stringify(json), (_, part) => whole(part)))) as unknown;
    });
    fc.assert(
      fc.property(value, (json) => {
        // The second member selects the exact parser.
        expect(parseJson(JSON.stringify({ json, risky: 1.5 }))).toEqual({ json, risky: new InexactNumber('1.5') });
        expect(parseJson(JSON.stringify({ json }))).toEqual({ json });
      }),
    );
  });

  test.each(['', '{', '{"a":1,}', '[01]', '{a:1}', 'NaN', '1.', '.5', '+1', '1e', '{"a":1.5,}', '[1.5'])(
    '%j is malformed',
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    },
  );

  test('both parsers keep the last of two members with one name', () => {
    expect(parseJson('{"amount":1,"amount":2}')).toEqual({ amount: 2 });
    expect(parseJson('{"amount":1.5,"amount":2}')).toEqual({ amount: 2 });
  });

  test('a member called __proto__ is an ordinary member', () => {
    for (const text of ['{"__proto__":{"admin":true},"a":1}', '{"__proto__":{"admin":true},"a":1.5}']) {
      const parsed = parseJson(text) as { admin?: boolean };
      expect(parsed.admin).toBeUndefined();
      expect(({} as { admin?: boolean }).admin).toBeUndefined();
    }
  });
});

describe('writing', () => {
  test.each`
    value                            | text
    ${{ amount: 9007199254740993n }} | ${'{"amount":9007199254740993}'}
    ${{ total: 2n ** 63n - 1n }}     | ${'{"total":9223372036854775807}'}
    ${[-5n, 0n]}                     | ${'[-5,0]'}
    ${{ a: undefined, b: null }}     | ${'{"b":null}'}
    ${'a"\\\u0000\u2028'}            | ${'"a\\"\\\\\\u0000\u2028"'}
    ${'\ud800'}                      | ${'"\\ud800"'}
  `('$text', ({ value, text }) => {
    expect(toJson(value)).toBe(text);
  });

  test('a value without a JSON form is refused', () => {
    expect(() => toJson(undefined)).toThrow(TypeError);
  });

  test('bigints are written with all their digits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }), (value) => {
        expect(toJson({ value })).toBe(`{"value":${value}}`);
      }),
    );
  });
});

test('canonical JSON ignores the order of members and white space', () => {
  const one = parseJson('{ "b": [1, 2], "a": { "d": null, "c": "x" } }');
  const other = parseJson('{"a":{"c":"x","d":null},"b":[1,2]}');
  expect(canonicalJson(one)).toBe(canonicalJson(other));
  expect(canonicalJson(one)).toBe('{"a":{"c":"x","d":null},"b":[1,2]}');
});

test('canonical JSON equals that of a general canonicaliser', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      expect(canonicalJson(value)).toBe(canonicalize(value));
    }),
  );
  // Numeric names have an order of their own in objects, but not in canonical JSON.
  expect(canonicalJson({ 2: 'b', 10: 'a', '\u20ac': 1, '\r': 2 })).toBe('{"\\r":2,"10":"a","2":"b","\u20ac":1}');
});

test('values of the built-in writer are written the same', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      expect(toJson(value)).toBe(JSON.stringify(value));
    }),
  );
});

test('JSON text inside a value is written unchanged', () => {
  expect(toJson({ a: new JsonText('{"b":1}'), c: [new JsonText('2')] })).toBe('{"a":{"b":1},"c":[2]}');
});

test('exact numbers are read as by a lossless parser', () => {
  const digits = fc.stringMatching(/^\d{1,20}$/);
  const number = fc
    .tuple(
      fc.constantFrom('', '-'),
      fc.stringMatching(/^(0|[1-9]\d{0,18})$/),
      fc.option(digits),
      fc.option(fc.integer({ min: -30, max: 30 })),
    )
    .map(
      ([sign, whole, fraction, exponent]) =>
        `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`,
    );
  const text = fc.oneof(
    number,
    fc.string().map((string) => JSON.stringify(`"${string}\\": 1.5,[2e3`)),
  );
  fc.assert(
    fc.property(fc.array(text, { minLength: 1 }), fc.string(), (values, name) => {
      const json = `{${JSON.stringify(name)}: [${values.join(' ,')}], "__proto__" : 1.5 }`;
      const exact = parseLossless(json, null, {
        parseNumber: (given) => (parseJson(`[${given}]`) as unknown[])[0],
        onDuplicateKey: ({ newValue }) => newValue,
      });
      expect(parseJson(json)).toEqual(exact);
    }),
  );
});
