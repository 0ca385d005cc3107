/**
 * What is somebody's account number or a moment is no card number, and what stands beside it is one still. And how often an everyday
 * text is taken for a card number by chance: the figures of docs/decisions/card-numbers.md.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasCardNumber, maskCardNumbers } from '../../../src/values/card-number.ts';

const CARD = '4242 4242 4242 4242';

/** Numbers of a fixed sequence (mulberry32), so that each run measures the same texts. */
function sequence(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

const next = sequence(31);
const digits = (count: number) => Array.from({ length: count }, () => next(10)).join('');
const between = (from: number, to: number) => String(from + next(to - from + 1));
const two = (from: number, to: number) => between(from, to).padStart(2, '0');

/** With the check digits that ISO 13616 asks for. */
function accountNumber(country: string, account: string): string {
  const plain = [...`${account}${country}00`].map((character) => Number.parseInt(character, 36)).join('');
  return `${country}${String(98n - (BigInt(plain) % 97n)).padStart(2, '0')}${account}`;
}
const inFours = (text: string) => text.replace(/....(?=.)/g, '$& ');

const day = () => `20${two(20, 35)}-${two(1, 12)}-${two(1, 28)}`;
const dayFirst = (mark: string) => [two(1, 28), two(1, 12), `20${two(20, 35)}`].join(mark);
const time = () => `${two(0, 23)}:${two(0, 59)}:${two(0, 59)}`;

describe('is no card number', () => {
  test.each`
    what                                                    | text
    ${'account number of Jordan'}                           | ${() => `IBAN ${inFours(accountNumber('JO', `CBJO${digits(22)}`))}`}
    ${'account number of Germany'}                          | ${() => `Refund to ${inFours(accountNumber('DE', digits(18)))}, thanks`}
    ${'account number of Norway'}                           | ${() => inFours(accountNumber('NO', digits(11)))}
    ${'account number of Saint Lucia'}                      | ${() => inFours(accountNumber('LC', `HEMM${digits(24)}`))}
    ${'account number of Hungary'}                          | ${() => `(${inFours(accountNumber('HU', digits(24)))})`}
    ${'account number in small letters'}                    | ${() => inFours(accountNumber('DE', digits(18))).toLowerCase()}
    ${'account number with no-break spaces'}                | ${() => inFours(accountNumber('DE', digits(18))).replaceAll(' ', '\u00a0')}
    ${'account number between marks of direction'}          | ${() => `\u200e${inFours(accountNumber('DE', digits(18)))}\u200e`}
    ${'two account numbers'}                                | ${() => `${inFours(accountNumber('DE', digits(18)))} ${inFours(accountNumber('AT', digits(16)))}`}
    ${'account number in one piece'}                        | ${() => accountNumber('AT', digits(16))}
    ${'timestamp with microseconds and an offset'}          | ${() => `${day()} ${time()}.${digits(6)}+03:00`}
    ${'timestamp with a space before its offset'}           | ${() => `${day()} ${time()}.${digits(6)} +03:00`}
    ${'timestamp of Postgres'}                              | ${() => `${day()} ${time()}.${digits(6)}+03`}
    ${'timestamp of ISO 8601'}                              | ${() => `${day()}T${time()}.${digits(6)}-0330`}
    ${'timestamp of a log'}                                 | ${() => `${day()} ${time()},${digits(3)}`}
    ${'time of day behind a date that begins with its day'} | ${() => `${dayFirst('/')} ${time()}`}
    ${'timestamp of SQL in days, months and years'}         | ${() => `${dayFirst('/')} ${time()}.${digits(6)} +03`}
    ${'two dates'}                                          | ${() => `${dayFirst('/')} - ${dayFirst('/')}`}
    ${'two timestamps'}                                     | ${() => `${day()} ${time()}.${digits(6)} - ${day()} ${time()}.${digits(6)}`}
  `('an $what', ({ text }) => {
    const taken = Array.from({ length: 5_000 }, () => text() as string).filter((each) => hasCardNumber(each));
    expect(taken).toEqual([]);
  });
});

describe('a card number beside what is none is found, and nothing else is masked', () => {
  test.each([
    'JO18 CBJO 5085 5562 7798 2664 2246 99',
    'DE17 4801 5862 2731 6149 71',
    'DE17480158622731614971',
    '2028-09-27 14:23:04.378876+03:00',
    '2028-09-27 14:23:04.378876 +03',
    '2028-09-27T14:23:04Z',
    '2028-09-27 14:23:04',
    '2028-09-27 14:23',
    '27/09/2028, 14:23',
    '2028-09-27',
    '27.09.2028',
  ])('%s', (other) => {
    for (const separator of [' ', ', ', '\n', ' - ', '/', ': ', '-', '\u00a0', ','])
      for (const card of [CARD, CARD.replaceAll(' ', ''), '3782 822463 10005', '3782-822463-10005'])
        expect([
          maskCardNumbers(`${other}${separator}${card}`),
          maskCardNumbers(`${card}${separator}${other}`),
        ]).toEqual([`${other}${separator}[card number]`, `[card number]${separator}${other}`]);
  });

  test('also behind what only looks like the fraction of a second', () => {
    expect(maskCardNumbers(`2028-09-27 14:23:04.${CARD}`)).toBe('2028-09-27 14:23:04.[card number]');
    expect(maskCardNumbers(`2028-09-27 14:23:04.378876 ${CARD}`)).toBe('2028-09-27 14:23:04.378876 [card number]');
  });

  test('also directly behind it, where only a format character stands between', () => {
    expect(hasCardNumber('2028-09-27 14:23\u200b4242424242424242')).toBe(true);
    expect(hasCardNumber('DE17 4801 5862 2731 6149 71\u200b4242424242424242')).toBe(true);
  });

  test.each`
    text                                               | why
    ${`DE36 4801 5862 2731 6149 71 ${CARD}`}           | ${'wrong check digits'}
    ${`JO60 ${CARD}`}                                  | ${'too short for its country'}
    ${`xDE17 4801 5862 2731 6149 71 ${CARD}`}          | ${'a letter before it'}
    ${`DE17 4801 5862 2731 6149 714 ${CARD}`}          | ${'a digit behind it'}
    ${`DE17  4801 5862 2731 6149 71 ${CARD}`}          | ${'two spaces'}
    ${`2028-13-27 14:23:04 ${CARD}`}                   | ${'no month'}
    ${`4242-12-12 4242 4242 ${'4242 4242 4242 4242'}`} | ${'no year of ours'}
  `('also behind what is none: $why', ({ text }) => {
    expect(hasCardNumber(text)).toBe(true);
  });

  test('also behind an account number with wrong check digits, which is nobody’s', () => {
    expect(hasCardNumber(`IBAN JO60 ${CARD} 2246 9901`)).toBe(true);
  });

  test.each`
    text                                                        | why
    ${'PO49 5105 1051 0510 5100'}                               | ${'no country'}
    ${'ID48 5105 1051 0510 5100'}                               | ${'no country of the registry'}
    ${'CC08 5105 1051 0510 5100'}                               | ${'no country of the registry'}
    ${'NR58 5105 1051 0510 5100'}                               | ${'no country of the registry'}
    ${inFours(accountNumber('MA', '424242424242424212345678'))} | ${'no country of the registry'}
    ${inFours(accountNumber('GE', '4242424242424242'))}         | ${'too short for its country'}
    ${inFours(accountNumber('RO', '51051051051051000000'))}     | ${'a bank in digits where letters stand'}
    ${inFours(accountNumber('IE', '424242424242424200'))}       | ${undefined}
    ${'AT72 5105 1051 0510 5100'}                               | ${undefined}
    ${'at72 5105 1051 0510 5100'}                               | ${undefined}
    ${'AT725105105105105100'}                                   | ${undefined}
  `('$text is an account number, but for: $why', ({ text, why }) => {
    expect(hasCardNumber(text)).toBe(why !== undefined);
  });

  test('and each account number is read to its end', () => {
    const account = fc.constantFrom('AT', 'BE', 'DE', 'EE', 'ES', 'LC', 'MT', 'NO', 'PL', 'TN');
    const length = { AT: 16, BE: 12, DE: 18, EE: 16, ES: 20, LC: 24, MT: 23, NO: 11, PL: 24, TN: 20 };
    fc.assert(
      fc.property(account, fc.nat(), (country, seed) => {
        const from = sequence(seed);
        const number = Array.from({ length: length[country as keyof typeof length] }, () => from(10)).join('');
        const bank = country === 'LC' || country === 'MT' ? 'BANK' : '';
        const text = inFours(accountNumber(country, bank + number));
        expect(maskCardNumbers(`${text} ${CARD} ${text}`)).toBe(`${text} [card number] ${text}`);
      }),
    );
  });
});

const SAMPLES = 50_000;

/** Every window of whole groups is judged, so some of these look like a card number. In percent, as in the decision. */
test.each`
  what                                                  | percent  | text
  ${'an order number of 3, 7 and 7 digits'}             | ${1.04}  | ${() => `${between(100, 999)}-${digits(7)}-${digits(7)}`}
  ${'six amounts of three digits'}                      | ${1.17}  | ${() => Array.from({ length: 6 }, () => between(100, 999)).join(', ')}
  ${'ten amounts of three digits'}                      | ${5.11}  | ${() => Array.from({ length: 10 }, () => between(100, 999)).join(', ')}
  ${'six amounts with two decimals'}                    | ${10.13} | ${() => Array.from({ length: 6 }, () => `${between(1, 999)}.${digits(2)}`).join(', ')}
  ${'a reference of 14 digits'}                         | ${0.36}  | ${() => between(1, 9) + digits(13)}
  ${'a reference of 15 digits'}                         | ${0.22}  | ${() => between(1, 9) + digits(14)}
  ${'a reference of 16 digits'}                         | ${3.49}  | ${() => between(1, 9) + digits(15)}
  ${'a reference of 17 digits'}                         | ${0.8}   | ${() => between(1, 9) + digits(16)}
  ${'a reference of 19 digits'}                         | ${1.9}   | ${() => between(1, 9) + digits(18)}
  ${'a phone number and an order of six digits'}        | ${0}     | ${() => `+962 7${between(7, 9)} ${digits(7)}, order ${digits(6)}`}
  ${'two phone numbers'}                                | ${0}     | ${() => `+962 7${between(7, 9)} ${digits(3)} ${digits(4)} / +962 7${between(7, 9)} ${digits(3)} ${digits(4)}`}
  ${'a date in one piece and an order of eight digits'} | ${0}     | ${() => `${day().replaceAll('-', '')}-${digits(8)}`}
  ${'a number of a bank account in Britain'}            | ${0.34}  | ${() => `${digits(2)}-${digits(2)}-${digits(2)} ${digits(8)}`}
  ${'microseconds and an order of eight digits'}        | ${0.31}  | ${() => `${day()} ${time()}.${digits(6)} ${digits(8)}`}
`('$what is taken for a card number in $percent % of texts', ({ percent, text }) => {
  const taken = Array.from({ length: SAMPLES }, () => text() as string).filter((each) => hasCardNumber(each));
  expect((100 * taken.length) / SAMPLES).toBeCloseTo(percent, 2);
});
