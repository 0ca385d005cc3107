import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  hasCardNumber,
  maskCardNumbers,
  truncateCardNumbers,
  urlHasCardNumber,
} from '../../../src/values/card-number.ts';
import { isLuhnValid } from '../../../src/values/luhn.ts';

const VISA = '4242424242424242';

/** The digits with the check digit that makes them valid. */
function checked(digits: string): string {
  for (let check = 0; ; check++) if (isLuhnValid(digits + check)) return digits + check;
}

/** A valid number that begins so and is so long. */
const numberOf = (prefix: string, length: number) => checked(prefix.padEnd(length - 1, '1234567890'));

/** What issuers give out today: prefixes, and the lengths of each. */
const ISSUED: readonly [prefixes: string[], lengths: number[]][] = [
  [
    ['40', '49'],
    [16, 19],
  ],
  [['51', '55', '2221', '2720'], [16]],
  [['34', '37'], [15]],
  [['30', '36', '38'], [14]],
  [['60', '64', '65', '35', '81', '82', '2200', '2204', '9792'], [16]],
  [
    ['62', '50', '56', '57', '58', '63', '67'],
    [16, 17, 18, 19],
  ],
];
/** As the last two parts of a UUID. */
const IN_UUID = numberOf('81', 16).replace(/^..../, '$&-');
/** Of digits alone. */
const UUID_OF_DIGITS = `12345678-9012-3456-${IN_UUID}`;
const LENGTHS = [12, 13, 14, 15, 16, 17, 18, 19, 20];

describe('by its first digits and its length', () => {
  for (const [prefixes, lengths] of ISSUED)
    for (const prefix of prefixes)
      test(`${prefix}: ${lengths.join(', ')} digits are a card number, and no others`, () => {
        const found = LENGTHS.filter((length) => hasCardNumber(numberOf(prefix, length)));
        expect(found).toEqual(lengths);
      });

  test.each([
    '1',
    '2199',
    '2205',
    '2220',
    '2721',
    '31',
    '32',
    '33',
    '39',
    '59',
    '61',
    '66',
    '68',
    '70',
    '80',
    '83',
    '9791',
  ])('%s is of no issuer', (prefix) => {
    expect(LENGTHS.filter((length) => hasCardNumber(numberOf(prefix, length)))).toEqual([]);
  });

  test('no order number of thirteen digits is one', () => {
    fc.assert(fc.property(fc.bigInt(10n ** 12n, 10n ** 13n - 1n), (order) => !hasCardNumber(String(order))));
  });
});

describe('a card number', () => {
  test.each`
    text                                                                            | found    | why
    ${VISA}                                                                         | ${true}  | ${'alone'}
    ${'4242 4242 4242 4242'}                                                        | ${true}  | ${'in groups'}
    ${'4242-4242-4242-4242'}                                                        | ${true}  | ${'with hyphens'}
    ${'4242.4242.4242.4242'}                                                        | ${true}  | ${'with dots'}
    ${'4242/4242/4242/4242'}                                                        | ${true}  | ${'with slashes'}
    ${'4242_4242_4242_4242'}                                                        | ${true}  | ${'with underscores between the groups'}
    ${'4242\n4242\r\n4242\t4242'}                                                   | ${true}  | ${'over several lines'}
    ${'4242, 4242, 4242, 4242'}                                                     | ${true}  | ${'with two separators'}
    ${'4242   4242   4242   4242'}                                                  | ${false} | ${'three separators end a run'}
    ${'4242\u200b4242\u200d4242\ufeff4242'}                                         | ${true}  | ${'with zero-width marks between the groups'}
    ${'4242 \u200b 4242 \u2060\u200b 4242 \u00ad4242'}                              | ${true}  | ${'with format characters among the separators'}
    ${'42\u200e424242\u202c42424242'}                                               | ${true}  | ${'with format characters within a group'}
    ${`${'4\ufe0f\u20e3'.repeat(1)}2424 2424 2424 242`}                             | ${true}  | ${'with a keycap'}
    ${'5105 1051 0510 5100 12/34 123'}                                              | ${true}  | ${'before an expiry and a code'}
    ${'5105105105105100 1234 123'}                                                  | ${true}  | ${'before other groups'}
    ${'12/34 5105 1051 0510 5100'}                                                  | ${true}  | ${'behind an expiry'}
    ${'2026-03-03 5105 1051 0510 5100'}                                             | ${true}  | ${'behind a date'}
    ${'+962 7 9000 0000 5105 1051 0510 5100'}                                       | ${true}  | ${'behind a phone number'}
    ${'1 4242424242424242'}                                                         | ${true}  | ${'behind another number'}
    ${'paid by 4242424242424242, thanks'}                                           | ${true}  | ${'in a sentence'}
    ${'card:4242424242424242'}                                                      | ${true}  | ${'behind a colon'}
    ${'card-4242424242424242'}                                                      | ${true}  | ${'behind a hyphen'}
    ${'4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2'}                                            | ${true}  | ${'digit by digit'}
    ${'4242424242424241'}                                                           | ${false} | ${'a wrong check digit'}
    ${'14242424242424242'}                                                          | ${false} | ${'a part of a group'}
    ${'42424242424242424242'}                                                       | ${false} | ${'twenty digits'}
    ${'9999999999999995'}                                                           | ${false} | ${'valid, and of no issuer'}
    ${'acct4242424242424242'}                                                       | ${false} | ${'behind a letter'}
    ${'4242424242424242abc'}                                                        | ${false} | ${'before a letter'}
    ${'inv_4242424242424242'}                                                       | ${false} | ${'behind an underscore'}
    ${'4242424242424242_1'}                                                         | ${false} | ${'before an underscore'}
    ${'1_4242424242424242'}                                                         | ${false} | ${'behind an underscore of a run'}
    ${'A4242-4242-4242-4242'}                                                       | ${false} | ${'in groups, behind a letter'}
    ${'4242 4242 4242 4242\u200bX'}                                                 | ${false} | ${'before a letter and a format character'}
    ${'\u0639\u064e4242424242424242'}                                               | ${false} | ${'behind a letter and its vowel sign'}
    ${'\u6f224242424242424242'}                                                     | ${false} | ${'behind a letter of another script'}
    ${'x 4242424242424242 y'}                                                       | ${true}  | ${'between words'}
    ${'%B4242424242424242^DOE/JANE^3412101'}                                        | ${true}  | ${'on track 1'}
    ${'%B3782 822463 10005^DOE/JANE^3412101'}                                       | ${true}  | ${'on track 1, in groups'}
    ${';4242424242424242=3412101123456789?'}                                        | ${true}  | ${'on track 2'}
    ${'%B4242424242424242'}                                                         | ${false} | ${'no track without its separator'}
    ${'B4242424242424242^'}                                                         | ${false} | ${'no track without its beginning'}
    ${'deadbeef-dead-4ead-8111-4242424242424242'}                                   | ${true}  | ${'in what is no UUID'}
    ${`deadbeef-dead-4ead-${IN_UUID}`}                                              | ${false} | ${'in a UUID'}
    ${`dead-dead-4ead-${IN_UUID}`}                                                  | ${true}  | ${'in what is no UUID'}
    ${`deadbeef-dead-0ead-${IN_UUID}`}                                              | ${false} | ${'in a UUID of no version'}
    ${`deadbeef-dead-4ead-${IN_UUID}_refund`}                                       | ${false} | ${'in a UUID with something behind it'}
    ${`deadbeef-dead-4ead-${IN_UUID}v2`}                                            | ${false} | ${'in a UUID with a version behind it'}
    ${`order_deadbeef-dead-4ead-${IN_UUID}`}                                        | ${false} | ${'in a UUID with something before it'}
    ${`v2deadbeef-dead-4ead-${IN_UUID}-retry`}                                      | ${false} | ${'in a UUID with a version before it'}
    ${`order_${UUID_OF_DIGITS}`}                                                    | ${false} | ${'in a UUID of digits'}
    ${`deadbeef-dead-4ead-8111-111111111116-${VISA}`}                               | ${true}  | ${'behind a UUID'}
    ${'deadbeef-dead-4ead-8111-111111111116 4242424242424242'}                      | ${true}  | ${'beside a UUID'}
    ${'4242424242424242/deadbeef-dead-4ead-8111-111111111116'}                      | ${true}  | ${'before a UUID'}
    ${'4242\u00a04242\u00a04242\u00a04242'}                                         | ${true}  | ${'with no-break spaces, as it is pasted'}
    ${'4242\u20114242\u20134242\u22124242'}                                         | ${true}  | ${'with other hyphens'}
    ${'4242\u{1f4b3}4242\u{1f4b3}4242\u{1f4b3}4242'}                                | ${true}  | ${'with pictures'}
    ${'\u0664\u0662\u0664\u0662 '.repeat(4).trim()}                                 | ${true}  | ${'in Arabic digits'}
    ${'\u06f4\u06f2\u06f4\u06f2'.repeat(4)}                                         | ${true}  | ${'in Persian digits'}
    ${'\uff14\uff12'.repeat(8)}                                                     | ${true}  | ${'in wide digits'}
    ${'\u{1d7d2}\u{1d7d0}'.repeat(8)}                                               | ${true}  | ${'in mathematical digits'}
    ${'\u2074\u00b2'.repeat(8)}                                                     | ${true}  | ${'in raised digits'}
    ${'\u0664\u0662\u0664\u0662'.repeat(3)}                                         | ${false} | ${'twelve Arabic digits'}
    ${'https://shop.example/4242%204242%204242%204242'}                             | ${true}  | ${'percent-encoded'}
    ${'https://shop.example/?n=%34%32%34%32424242424242'}                           | ${true}  | ${'with encoded digits'}
    ${'https://shop.example/?n=%D9%A4%D9%A2'.padEnd(108, '%D9%A4%D9%A2')}           | ${false} | ${'of thirteen encoded digits and less'}
    ${`https://shop.example/?n=${encodeURIComponent('\u0664\u0662'.repeat(8))}`}    | ${true}  | ${'in encoded Arabic digits'}
    ${'4242 - 4242 - 4242 - 4242'}                                                  | ${true}  | ${'with a hyphen between spaces'}
    ${'4242 \u2013 4242\u00a0\u2014 4242\n- 4242'}                                  | ${true}  | ${'with dashes between spaces'}
    ${'4242 \u200b-\u200b 4242 \u30fc 4242 \u02d7 4242'}                            | ${true}  | ${'with format characters there, and letters that look like dashes'}
    ${'4242 . 4242 . 4242 . 4242'}                                                  | ${false} | ${'three other separators end a run'}
    ${'4242 -- 4242 -- 4242 -- 4242'}                                               | ${false} | ${'two dashes between spaces too'}
    ${'4242- -4242- -4242- -4242'}                                                  | ${false} | ${'and a space between dashes'}
    ${'4242424242424242\u00b2 see note'}                                            | ${true}  | ${'before the raised number of a note'}
    ${'\u24604242424242424242'}                                                     | ${true}  | ${'behind the circled number of a list'}
    ${'4242 4242 4242 4242\u2081\u2082'}                                            | ${true}  | ${'before lowered digits'}
    ${'4\u00b2'.repeat(8)}                                                          | ${true}  | ${'in plain and raised digits'}
    ${'inv_4242424242424242\u00b2'}                                                 | ${false} | ${'a reference before the number of a note'}
    ${'4242\u30fc4242\u30fc4242\u30fc4242'}                                         | ${true}  | ${'with long sound marks'}
    ${'4242\u02b94242\u02c94242\u06404242'}                                         | ${true}  | ${'with primes, macrons and tatweels'}
    ${'4242\uff704242\u02bc4242\u02d04242'}                                         | ${true}  | ${'with further signs of no script'}
    ${'\u30ab\u30fc4242424242424242'}                                               | ${false} | ${'behind a word that ends with a long sound mark'}
    ${'\u0645\u06404242424242424242'}                                               | ${false} | ${'behind a word that ends with a tatweel'}
    ${'\u4eba\u30054242424242424242'}                                               | ${false} | ${'behind an iteration mark, which has a script'}
    ${'4242424242424242D34121010000'}                                               | ${true}  | ${'on track 2, as a chip gives it'}
    ${';4242 4242 4242 4242d3412201'}                                               | ${true}  | ${'on track 2, in groups'}
    ${'4242424242424242Dabc'}                                                       | ${false} | ${'before a letter that begins no expiry'}
    ${'4242424242424242D34131010000'}                                               | ${false} | ${'before a month that no year has'}
    ${'inv_4242424242424242D34121010000'}                                           | ${false} | ${'a reference with a track behind it'}
    ${'https://shop.example/?next=%2Fpay%3Fcard%3D4242%25204242%25204242%25204242'} | ${true}  | ${'encoded twice'}
    ${'4242%252525204242%252525204242%252525204242'}                                | ${true}  | ${'encoded four times'}
    ${'%2525252534%352525252534242424242424242'}                                    | ${false} | ${'encoded often, and another number'}
    ${''}                                                                           | ${false} | ${'nothing'}
  `('in $text: $found ($why)', ({ text, found }) => {
    expect(hasCardNumber(text)).toBe(found);
  });

  const separator = fc.constantFrom(
    '',
    ' ',
    '-',
    '.',
    '/',
    ', ',
    '\n',
    '\r\n',
    '\u00a0',
    '\u200b',
    ' \u200b ',
    '\u2009\u2010',
    '*',
  );
  const separators = fc.array(separator, { minLength: 15, maxLength: 15 });
  const numbers = fc
    .constantFrom(
      ...ISSUED.flatMap(([prefixes, lengths]) =>
        prefixes.flatMap((prefix) => lengths.map((length) => ({ prefix, length }))),
      ),
    )
    .chain(({ prefix, length }) =>
      fc.stringMatching(/^[0-9]{19}$/).map((filling) => checked((prefix + filling).slice(0, length - 1))),
    );
  const written = (number: string, between: readonly string[]) =>
    [...number].map((digit, at) => digit + (at === number.length - 1 ? '' : (between[at] ?? ''))).join('');

  test('is found wherever it stands, whatever is between its groups and around it', () => {
    const around = fc.constantFrom(
      '',
      'order 12 ',
      '12/34 ',
      '+962 79 1234567 ',
      'a: ',
      '2026-03-03, ',
      '(',
      '\n',
      '\u200f',
    );
    fc.assert(
      fc.property(around, numbers, separators, around, (before, number, between, after) => {
        expect(hasCardNumber(`${before}${written(number, between)} ${after}`)).toBe(true);
      }),
    );
  });

  test('that a letter or an underscore touches is a reference, in one group', () => {
    const touching = fc.constantFrom('a', '_', '\u00e9', '\u0639', 'Z\u200b', '\u6f22');
    fc.assert(
      fc.property(touching, numbers, (letter, number) => {
        expect([hasCardNumber(letter + number), hasCardNumber(number + [...letter].reverse().join(''))]).toEqual([
          false,
          false,
        ]);
      }),
    );
  });
});

test('counts digits of every kind', () => {
  // Digits from one on, of sets that have four and more; and zeros.
  const ones = [0x1369, 0x2474, 0x2488, 0x24f5, 0x2776, 0x2780, 0x278a, 0x10a40, 0x10e60, 0x11052, 0x1f102];
  for (const one of ones)
    expect(hasCardNumber(`${String.fromCodePoint(one + 3, one + 1)}`.repeat(8)), one.toString(16)).toBe(true);
  for (const zero of [0x24ff, 0x1f100, 0x1f101, 0x1f10b, 0x1f10c])
    expect(hasCardNumber('4000000000000002'.replaceAll('0', String.fromCodePoint(zero)))).toBe(true);
});

describe('in a URL', () => {
  test.each([
    ['https://shop.example/?order=%2290000000007919%22', false],
    ['https://shop.example/?order=inv%5F4242424242424242', false],
    ['https://shop.example/?order=%D8%B34242424242424242', false],
    ['https://shop.example/?q=4242%204242%204242%204242', true],
    ['https://shop.example/?q=4242%2C%204242%2C%204242%2C%204242', true],
    ['https://shop.example/?q=%34242424242424242', true],
    ['https://shop.example/?q=4242424242424242%31', true],
    ['https://shop.example/?q=%204242424242424242', true],
    ['https://shop.example/?q=%B4242424242424242^DOE^', true],
    ['https://shop.example/?q=%25B4242424242424242%5EDOE', true],
    ['https://shop.example/?q=4242424242424242', true],
    ['https://shop.example/?q=%FF', false],
    ['https://shop.example/login?next=%2Fpay%3Fcard%3D4242%25204242%25204242%25204242', true],
    ['https://shop.example/?q=%25252534242424242424242', true],
    ['https://shop.example/?order=%E3%82%AB%E3%83%BC4242424242424242', false],
    ['https://shop.example/?q=4242%E3%83%BC4242%E3%83%BC4242%E3%83%BC4242', true],
  ])('%s: %s', (url, found) => {
    expect(urlHasCardNumber(url)).toBe(found);
  });
});

test('is taken out of what is logged, and nothing else is', () => {
  expect(maskCardNumbers('by \u0664\u0662\u0664\u0662 4242 4242\u00a04242, \u0661')).toBe('by [card number], \u0661');
  expect(maskCardNumbers('\u0661 \u0662')).toBe('\u0661 \u0662');
  expect(maskCardNumbers(`a ${VISA} b 5105-1051-0510-5100`)).toBe('a [card number] b [card number]');
  // One is encoded once, and another twice.
  const twice = '%2535105105105105100';
  expect(hasCardNumber(maskCardNumbers(`/%34242424242424242/${twice}`))).toBe(false);
  expect(maskCardNumbers('a%2520%2534242424242424242%2520b%2525')).toBe('a [card number] b%');
  expect(maskCardNumbers('a%2520b%252042')).toBe('a%2520b%252042');
  // One is seen only between two rounds: it ends in a reference.
  const between = '%2534242424242424242%25255F';
  expect(hasCardNumber(maskCardNumbers(`/%34242424242424242/${between}`))).toBe(false);
  // Two windows that overlap are one place.
  expect(maskCardNumbers('x 4242 4242 4242 4242 4242 x')).toBe('x [card number] x');
  expect(maskCardNumbers('/a%204242%2042424242%204242/b')).toBe('/a [card number]/b');
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 80 }),
      (text) => maskCardNumbers(text) === text || hasCardNumber(text),
    ),
  );
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('4', '2', ' ', '-', 'x'), maxLength: 80 }),
      (text) => !hasCardNumber(maskCardNumbers(text)),
    ),
  );
  fc.assert(
    fc.property(
      fc
        .array(fc.constantFrom('4242424242424242', '%', '25', '34', '5F', '2', '4', ' ', 'x'), { maxLength: 24 })
        .map((pieces) => pieces.join('')),
      (text) => !hasCardNumber(maskCardNumbers(text)),
    ),
  );
});

test.each([
  [`a ${VISA} b`, 'a 424242******4242 b'],
  ['RE 4242 4242 4242 4242, 5105-1051-0510-5100', 'RE 4242 42** **** 4242, 5105-10**-****-5100'],
  // Of a shorter number fewer of the first ones stay: six are always hidden.
  ['x 378282246310005 y', 'x 37828******0005 y'],
  ['x 30569309025904 y', 'x 3056******5904 y'],
  ['%34242424242424242', '424242******4242'],
  ['without one, 1234 5678', 'without one, 1234 5678'],
])('%s is truncated: %s', (text, kept) => {
  expect(truncateCardNumbers(text)).toBe(kept);
  expect(truncateCardNumbers(kept)).toBe(kept);
});

test('what is truncated has no card number, whatever is beside it', () => {
  fc.assert(
    fc.property(
      fc
        .array(fc.constantFrom('4242424242424242', '30569309025904', '%', '25', '34', '5F', '2', '4', ' ', 'x'), {
          maxLength: 24,
        })
        .map((pieces) => pieces.join('')),
      (text) => !hasCardNumber(truncateCardNumbers(text)),
    ),
  );
});
