import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError } from '../../../src/config.ts';
import { banksOf } from '../../../src/rails/iso20022/bank-settings.ts';
import { checkRails } from '../../../src/rails/settings/check-rails.ts';
import { NO_RAIL_SETTINGS } from '../../../src/rails/settings/rail-settings.ts';
import { railSettingsOf, readRailsFile } from '../../../src/rails/settings/read-rails-file.ts';
import { routeOf } from '../../../src/rails/settings/route.ts';

const RAIL = {
  name: 'sandbox',
  mode: 'test',
  adapter: { type: 'sandbox' },
  currencies: [{ currency: 'EUR', minimum: 100, maximum: 1_000_000 }, { currency: 'JOD' }],
  time_zone: 'Europe/Vienna',
  cut_off: '16:00',
  calendar: { name: 'target2', holidays: ['2027-12-24'] },
  days_to_arrive: 1,
};
const ROUTE = { destination: 'cliq', currencies: ['EUR'], rail: 'sandbox', fee: 'small' };
const FEE = { name: 'small', currency: 'EUR', fixed: 35 };
const LIMIT = { mode: 'test', currency: 'EUR', payout: 500_000, day: 1_000_000, month: 5_000_000 };
const BANK = {
  type: 'iso20022',
  profile: 'epc',
  debtor: { name: 'Example GmbH', iban: 'AT611904300234573201', bic: 'BKAUATWW' },
  folders: { outbox: '/srv/bank/outbox', inbox: '/srv/bank/inbox', work: '/srv/bank/work' },
};
const FILE = { rails: [RAIL], routes: [ROUTE], fees: [FEE], limits: [LIMIT] };

const settings = (file: object) => railSettingsOf(JSON.stringify(file));

test('a file is read whole', () => {
  const read = settings(FILE);
  expect(read.rails.get('sandbox')).toEqual({
    name: 'sandbox',
    mode: 'test',
    adapter: { type: 'sandbox' },
    amounts: new Map([
      ['EUR', { minimum: 100n, maximum: 1_000_000n }],
      ['JOD', { minimum: 1n, maximum: 9_007_199_254_740_991n }],
    ]),
    schedule: {
      timeZone: 'Europe/Vienna',
      cutOff: '16:00',
      calendar: 'target2',
      holidays: ['2027-12-24'],
      daysToArrive: 1,
    },
  });
  expect(read.limits.test.get('EUR')).toEqual({ payout: 500_000n, day: 1_000_000n, month: 5_000_000n });
  expect(read.limits.live.size).toBe(0);
});

test('an account of a bank has the names of its rails there, its own first', () => {
  const bank = (name: string, debtor: object) => ({
    ...{
      name,
      mode: 'live',
      currencies: [{ currency: 'EUR' }],
      time_zone: 'Europe/Vienna',
      calendar: { name: 'target2' },
    },
    adapter: { ...BANK, debtor: { ...BANK.debtor, ...debtor } },
  });
  const iban = 'AT483200000012345864';
  const banks = banksOf(
    settings({
      rails: [
        bank('one', { reported_as: ['00234573201 EUR'] }),
        bank('two', { iban }),
        bank('elsewhere', { bic: 'RLNWATWW' }),
        { ...bank('tried', {}), mode: 'test' },
      ],
    }),
  );
  const [one, two] = [
    { iban: BANK.debtor.iban, reportedAs: ['00234573201 EUR'] },
    { iban, reportedAs: [] },
  ];
  const alone = [{ iban: BANK.debtor.iban, reportedAs: [] }];
  expect(banks.map(({ accounts }) => accounts)).toEqual([[one, two], [two, one], alone, alone]);
});

test('the file of the guide is valid, and its faults are those that it shows', () => {
  const guide = readFileSync(new URL('../../../docs/rails.md', import.meta.url), 'utf8');
  const file = JSON.parse(/```json\n([\s\S]*?)```/.exec(guide)![1]!) as typeof FILE & { routes: object[] };
  expect(railSettingsOf(JSON.stringify(file)).routes.get('test')).toHaveLength(3);
  const [first, second, ...others] = file.routes;
  const routes = [first, { ...second, minimum: 99_999 }, ...others];
  const [shown] = guide.match(/ {2}\/routes\/1: .*/)!;
  expect(faultsOf({ ...file, routes })).toContain(shown.replace('100000', '99999'));
});

test('the digest is of what the file says, not of how it is written', () => {
  const digest = settings(FILE).digest;
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  const { limits, ...rest } = FILE;
  expect(railSettingsOf(JSON.stringify({ limits, ...rest }, null, 2)).digest).toBe(digest);
  expect(settings({ ...FILE, limits: [{ ...LIMIT, day: 1_000_001 }] }).digest).not.toBe(digest);
});

test('what is kept of a file has nothing of its adapters', () => {
  expect(settings(FILE).content).not.toContain('adapter');
  expect(settings(FILE).content).toContain('"days_to_arrive":1');
});

test('an empty file sets nothing', () => {
  expect(settings({})).toMatchObject({ rails: new Map(), routes: new Map(), routesOfBook: [] });
});

test('without a file there are no settings', () => {
  expect(readRailsFile(undefined)).toBe(NO_RAIL_SETTINGS);
});

const rail = (change: object) => ({ ...FILE, rails: [{ ...RAIL, ...change }] });
const bank = (change: object) => ({
  ...FILE,
  rails: [{ ...RAIL, name: 'house_bank', adapter: BANK, ...change }],
  routes: [{ ...ROUTE, rail: 'house_bank' }],
});
const route = (change: object) => ({ ...FILE, routes: [{ ...ROUTE, ...change }] });
const fee = (change: object) => ({ ...FILE, fees: [{ ...FEE, ...change }] });
const limit = (change: object) => ({ ...FILE, limits: [{ ...LIMIT, ...change }] });

test.each`
  fault                              | file                                                                                                  | pointer                             | says
  ${'an unknown member'}             | ${{ ...FILE, rates: [] }}                                                                             | ${'/'}                              | ${'rates'}
  ${'an unknown member of a rail'}   | ${rail({ cutoff: '16:00' })}                                                                          | ${'/rails/0'}                       | ${'cutoff'}
  ${'a name of another form'}        | ${rail({ name: 'S' })}                                                                                | ${'/rails/0/name'}                  | ${'2 to 32'}
  ${'the name of book transfers'}    | ${rail({ name: 'book' })}                                                                             | ${'/rails/0/name'}                  | ${'within a book'}
  ${'another name of the sandbox'}   | ${rail({ name: 'bank' })}                                                                             | ${'/rails/0/name'}                  | ${'named sandbox'}
  ${'a name twice'}                  | ${{ ...FILE, rails: [RAIL, RAIL] }}                                                                   | ${'/rails/1/name'}                  | ${'/rails/0'}
  ${'a mode that it does not serve'} | ${rail({ mode: 'live' })}                                                                             | ${'/rails/0/mode'}                  | ${'serves test'}
  ${'an unknown adapter'}            | ${rail({ adapter: { type: 'fax' } })}                                                                 | ${'/rails/0/adapter/type'}          | ${'sandbox'}
  ${'an unknown currency'}           | ${rail({ currencies: [{ currency: 'EUX' }] })}                                                        | ${'/rails/0/currencies/0/currency'} | ${'ISO 4217'}
  ${'a currency twice'}              | ${rail({ currencies: [{ currency: 'EUR' }, { currency: 'EUR' }] })}                                   | ${'/rails/0/currencies/1'}          | ${'twice'}
  ${'a fraction'}                    | ${rail({ currencies: [{ currency: 'EUR', minimum: 1.5 }] })}                                          | ${'/rails/0/currencies/0/minimum'}  | ${'whole number'}
  ${'an amount as text'}             | ${rail({ currencies: [{ currency: 'EUR', minimum: '1' }] })}                                          | ${'/rails/0/currencies/0/minimum'}  | ${'whole number'}
  ${'an empty range'}                | ${rail({ currencies: [{ currency: 'EUR', minimum: 2, maximum: 1 }] })}                                | ${'/rails/0/currencies/0/maximum'}  | ${'below the minimum'}
  ${'an unknown calendar'}           | ${rail({ calendar: { name: 'target3' } })}                                                            | ${'/rails/0/calendar/name'}         | ${'target2'}
  ${'a day that does not exist'}     | ${rail({ calendar: { name: 'target2', holidays: ['2027-02-29'] } })}                                  | ${'/rails/0/calendar/holidays/0'}   | ${'such as'}
  ${'an unknown time zone'}          | ${rail({ time_zone: 'Europe/Wien' })}                                                                 | ${'/rails/0/time_zone'}             | ${'IANA'}
  ${'an offset as a time zone'}      | ${rail({ time_zone: '+01:00' })}                                                                      | ${'/rails/0/time_zone'}             | ${'IANA'}
  ${'a cut-off that does not exist'} | ${rail({ cut_off: '24:00' })}                                                                         | ${'/rails/0/cut_off'}               | ${'16:00'}
  ${'a cut-off without a calendar'}  | ${rail({ calendar: undefined })}                                                                      | ${'/rails/0/cut_off'}               | ${'a calendar'}
  ${'a calendar without a zone'}     | ${rail({ time_zone: undefined })}                                                                     | ${'/rails/0/time_zone'}             | ${'not set'}
  ${'a rail that does not exist'}    | ${route({ rail: 'bank' })}                                                                            | ${'/routes/0/rail'}                 | ${'names no bank'}
  ${'a fee that does not exist'}     | ${route({ fee: 'large' })}                                                                            | ${'/routes/0/fee'}                  | ${'names no large'}
  ${'an unknown destination'}        | ${route({ destination: 'cheque' })}                                                                   | ${'/routes/0/destination'}          | ${'iban'}
  ${'what the adapter cannot carry'} | ${bank({})}                                                                                           | ${'/routes/0/destination'}          | ${'carries iban'}
  ${'a bank without business days'}  | ${bank({ calendar: undefined, cut_off: undefined, days_to_arrive: undefined, time_zone: undefined })} | ${'/rails/0/calendar'}              | ${'business days'}
  ${'a profile of euro alone'}       | ${bank({})}                                                                                           | ${'/rails/0/currencies/1/currency'} | ${'Expects EUR'}
  ${'an IBAN that cannot be'}        | ${bank({ adapter: { ...BANK, debtor: { ...BANK.debtor, iban: 'AT621904300234573201' } } })}           | ${'/rails/0/adapter/debtor/iban'}   | ${'check digits'}
  ${'a relative folder'}             | ${bank({ adapter: { ...BANK, folders: { ...BANK.folders, work: 'work' } } })}                         | ${'/rails/0/adapter/folders/work'}  | ${'absolute path'}
  ${'a currency beyond the rail'}    | ${route({ currencies: ['USD'], fee: undefined })}                                                     | ${'/routes/0/currencies/0'}         | ${'does not carry USD'}
  ${'less than the rail carries'}    | ${route({ minimum: 99 })}                                                                             | ${'/routes/0/minimum'}              | ${'100 EUR at least'}
  ${'more than the rail carries'}    | ${route({ maximum: 1_000_001 })}                                                                      | ${'/routes/0/maximum'}              | ${'1000000 EUR at most'}
  ${'none of what the rail carries'} | ${route({ minimum: 1_000_001 })}                                                                      | ${'/routes/0/currencies/0'}         | ${'none of the route'}
  ${'an account by a rail'}          | ${route({ destination: 'account' })}                                                                  | ${'/routes/0/rail'}                 | ${'book'}
  ${'an alias within the book'}      | ${route({ rail: 'book' })}                                                                            | ${'/routes/0/rail'}                 | ${'nothing else'}
  ${'overlapping routes'}            | ${{ ...FILE, routes: [ROUTE, { ...ROUTE, minimum: 500 }] }}                                           | ${'/routes/1'}                      | ${'Overlaps /routes/0: both carry cliq in EUR from 500'}
  ${'routes that share one amount'} | ${{ ...FILE, routes: [{ ...ROUTE, maximum: 500 }, { ...ROUTE, minimum: 500 }] }} | ${'/routes/1'} | ${'from 500'}
  ${'a fee in another currency'}     | ${route({ currencies: ['JOD'] })}                                                                     | ${'/routes/0/fee'}                  | ${'in EUR'}
  ${'a fee without its currency'}    | ${fee({ currency: undefined })}                                                                       | ${'/fees/0/currency'}               | ${'not set'}
  ${'a fee whose bounds cross'}      | ${fee({ minimum: 2, maximum: 1 })}                                                                    | ${'/fees/0'}                        | ${'not below its minimum'}
  ${'more than the whole'}           | ${fee({ basis_points: 10_001 })}                                                                      | ${'/fees/0/basis_points'}           | ${'10000'}
  ${'a limit twice'}                 | ${{ ...FILE, limits: [LIMIT, LIMIT] }}                                                                | ${'/limits/1'}                      | ${'/limits/0'}
  ${'a limit of nothing'}            | ${{ ...FILE, limits: [{ mode: 'test', currency: 'EUR' }] }}                                           | ${'/limits/0'}                      | ${'a payout, a day or a month'}
  ${'a month below its day'}         | ${limit({ month: 999_999 })}                                                                          | ${'/limits/0/month'}                | ${'below the limit of a day'}
  ${'a payout above its day'}        | ${limit({ payout: 1_000_001 })}                                                                       | ${'/limits/0/payout'}               | ${'never applies'}
`('$fault is told at $pointer', ({ file, pointer, says }) => {
  expect(() => settings(file)).toThrow(ConfigError);
  const lines = faultsOf(file);
  expect(lines.some((line) => line.startsWith(`  ${pointer}: `) && line.includes(says))).toBe(true);
});

function faultsOf(file: object): string[] {
  try {
    settings(file);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
}

test('faults are told together', () => {
  expect(faultsOf({ ...FILE, routes: [{ ...ROUTE, rail: 'bank', fee: 'large' }] })[0]).toBe(
    'RAILS_FILE: the file has 2 faults:',
  );
});

test.each`
  what                | bytes                              | says
  ${'no JSON'}        | ${'{"rails": ['}                   | ${'no JSON'}
  ${'another coding'} | ${Buffer.from([0x22, 0xe4, 0x22])} | ${'UTF-8'}
  ${'too many bytes'} | ${' '.repeat(1_000_001)}           | ${'more than 1000000 bytes'}
`('a file of $what is refused', ({ bytes, says }) => {
  const folder = mkdtempSync(join(tmpdir(), 'rails-file-'));
  try {
    const path = join(folder, 'rails.json');
    writeFileSync(path, bytes);
    expect(() => readRailsFile(path)).toThrow(says);
    expect(() => readRailsFile(join(folder, 'other.json'))).toThrow('cannot be read');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const ROUTED = settings({
  ...FILE,
  rails: [RAIL],
  routes: [
    { destination: 'cliq', currencies: ['EUR'], maximum: 9_999, rail: 'sandbox' },
    { destination: 'cliq', currencies: ['EUR'], minimum: 20_000, rail: 'sandbox', fee: 'small' },
    { destination: 'account', currencies: ['EUR'], rail: 'book', fee: 'small' },
  ],
});

test.each`
  mode      | destination  | currency | amount        | expected
  ${'test'} | ${'cliq'}    | ${'EUR'} | ${9_999n}     | ${{ rail: 'sandbox', fee: null }}
  ${'test'} | ${'cliq'}    | ${'EUR'} | ${20_000n}    | ${{ rail: 'sandbox', fee: { fixed: 35n } }}
  ${'test'} | ${'cliq'}    | ${'EUR'} | ${1_000_000n} | ${{ rail: 'sandbox' }}
  ${'test'} | ${'cliq'}    | ${'EUR'} | ${99n}        | ${{ lacks: 'amount' }}
  ${'test'} | ${'cliq'} | ${'EUR'} | ${10_000n} | ${{ lacks: 'amount', ranges: [{ minimum: 100n, maximum: 9_999n }, { minimum: 20_000n, maximum: 1_000_000n }] }}
  ${'test'} | ${'cliq'}    | ${'EUR'} | ${1_000_001n} | ${{ lacks: 'amount' }}
  ${'test'} | ${'cliq'}    | ${'JOD'} | ${20_000n}    | ${{ lacks: 'currency', currencies: ['EUR'] }}
  ${'test'} | ${'iban'}    | ${'EUR'} | ${20_000n}    | ${{ lacks: 'destination' }}
  ${'live'} | ${'account'} | ${'EUR'} | ${5n}         | ${{ rail: 'book', fee: { fixed: 35n } }}
`('$amount $currency to $destination in $mode', ({ expected, ...payout }) => {
  expect(routeOf(ROUTED, payout)).toMatchObject(expected);
});

test.each`
  why                                   | mode      | destination  | currency
  ${'a mode of which there is no rail'} | ${'live'} | ${'cliq'}    | ${'EUR'}
  ${'a book transfer without a fee'}    | ${'test'} | ${'account'} | ${'JOD'}
`('$why goes as without a file', ({ mode, destination, currency }) => {
  expect(routeOf(ROUTED, { mode, destination, currency, amount: 5n })).toBeUndefined();
});

test.each`
  known                                                                  | says
  ${[]}                                                                  | ${'the rail sandbox (sandbox) is not configured'}
  ${[{ name: 'sandbox', mode: 'live', destinations: ['cliq'] }]}         | ${'serves live books'}
  ${[{ name: 'sandbox', mode: 'test', destinations: ['iban', 'card'] }]} | ${'a route leads cliq to sandbox, which carries iban, card'}
`('rails that the process does not have so are told: $says', ({ known, says }) => {
  expect(() => checkRails(settings(FILE), known)).toThrow(says);
});

test('rails that the process has are not', () => {
  checkRails(settings(FILE), [{ name: 'sandbox', mode: 'test', destinations: ['cliq'] }]);
});
