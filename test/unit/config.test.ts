import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../src/config.ts';

const read = (further: Record<string, string>) =>
  readConfig({
    DATABASE_URL: 'postgres://app:secret@127.0.0.1/countinghouse',
    COUNTINGHOUSE_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
    ...further,
  });

test.each`
  url                                       | urls
  ${''}                                     | ${undefined}
  ${'redis://127.0.0.1:6379'}               | ${'redis://127.0.0.1:6379'}
  ${'rediss://user:p@host:6380/2'}          | ${'rediss://user:p@host:6380/2'}
  ${'redis://a:1, redis://b:2,redis://c:3'} | ${'redis://a:1,redis://b:2,redis://c:3'}
  ${'redis://u:p@a:1,redis://u:p@b:2/0'}    | ${'redis://u:p@a:1,redis://u:p@b:2/0'}
`('REDIS_URL=$url is read as $urls', ({ url, urls }) => {
  expect(read({ REDIS_URL: url }).REDIS_URL).toBe(urls);
});

test.each`
  url                                  | words
  ${'http://a'}                        | ${/REDIS_URL: expects a URL such as redis:/}
  ${'redis://a:1,'}                    | ${/REDIS_URL: expects a URL such as redis:/}
  ${'redis://a:99999'}                 | ${/REDIS_URL: expects a URL such as redis:/}
  ${'redis://u:p@a:1,redis://u:q@b:2'} | ${/same scheme, user and password/}
  ${'redis://a:1,rediss://b:2'}        | ${/same scheme, user and password/}
  ${'redis://a:1/1,redis://b:2/1'}     | ${/no number of a database/}
`('REDIS_URL=$url is refused', ({ url, words }) => {
  expect(() => read({ REDIS_URL: url })).toThrow(ConfigError);
  expect(() => read({ REDIS_URL: url })).toThrow(words);
});

/** Nothing of a password stands in a message, whichever part of the URL it was taken for. */
test.each`
  url                                      | words
  ${'postgres://app:qx@zq@db/ledger'}      | ${/DATABASE_URL: expects the characters @ . # . % of its user and password percent-encoded/}
  ${'postgres://app:qx/zq@db/ledger'}      | ${/percent-encoded/}
  ${'postgres://app:qx#zq@db/ledger'}      | ${/percent-encoded/}
  ${'postgres://app:qx?zq@db/ledger'}      | ${/percent-encoded/}
  ${'postgres://app:qx%zq@db/ledger'}      | ${/percent-encoded/}
  ${'postgres://app:pass@one,two/ledger'}  | ${/DATABASE_URL: expects one host/}
  ${'postgres://app:pass@one:1,two:2/led'} | ${/DATABASE_URL: expects one host/}
  ${'postgres://app:pass@db/led?host=a,b'} | ${/DATABASE_URL: expects one host/}
`('DATABASE_URL=$url is refused', ({ url, words }) => {
  for (const name of ['DATABASE_URL', 'SIGNER_DATABASE_URL', 'QUEUE_DATABASE_URL']) {
    const refused = () => read({ [name]: url });
    expect(refused).toThrow(name === 'DATABASE_URL' ? words : ConfigError);
    expect(refused).not.toThrow(/qx.?zq|ledger|two/);
  }
});

test.each([
  'postgres://app:p%40%2F%23@127.0.0.1:5432/countinghouse',
  'postgres:///countinghouse?host=/var/run/postgresql&user=app',
  'postgres://app@%2Fvar%2Frun/countinghouse',
  'postgresql://app:secret@[::1]/countinghouse?options=-c%20application_name%3Dx&sslmode=require',
])('DATABASE_URL=%s is read', (url) => {
  expect(read({ DATABASE_URL: url }).DATABASE_URL).toBe(url);
});

test.each(['redis://u:qx@zq@a:1', 'redis://u:qx/zq@a:1', 'redis://u:qx#zq@a:1'])('REDIS_URL=%s is refused', (url) => {
  expect(() => read({ REDIS_URL: url })).toThrow(/REDIS_URL: expects the characters/);
  expect(() => read({ REDIS_URL: url })).not.toThrow(/qx.?zq/);
});

test.each([
  'https://pay.example.com',
  'http://127.0.0.1:8080',
  'https://pay.example.com/ledger/',
  'HTTPS://[2001:db8::1]:8443',
])('PUBLIC_URL=%s is taken', (url) => {
  expect(read({ PUBLIC_URL: url }).PUBLIC_URL).toBe(url);
});

test.each([
  'ftp://x.example',
  'javascript:alert(1)',
  'pay.example.com',
  'https:pay.example.com',
  'https:///pay.example.com',
  'https:\\\\pay.example.com',
  'https://x.example/?a=1',
  'https://x.example/?',
  'https://x.example?a=1',
  'https://x.example/#top',
  'https://x.example/#',
  'https://user:secret@x.example',
  'https://@x.example',
  ' https://x.example',
  'https://x.example/a b',
  'https://x.example:99999',
])('PUBLIC_URL=%s is refused, and so it is as ACQUIRER_HTTP_URL', (url) => {
  expect(() => read({ PUBLIC_URL: url })).toThrow(/PUBLIC_URL: expects an http or https URL without/);
  expect(() => read({ ACQUIRER_HTTP_URL: url })).toThrow(/ACQUIRER_HTTP_URL: expects an https URL without a query/);
});

test.each(['51', '-1', '2.5', 'a lot'])('AUDIT_TIME_SHARE_PERCENT=%s is refused', (share) => {
  expect(() => read({ AUDIT_TIME_SHARE_PERCENT: share })).toThrow(/AUDIT_TIME_SHARE_PERCENT: expects a whole number/);
});

test.each`
  text         | days
  ${undefined} | ${7}
  ${'1'}       | ${1}
  ${'30'}      | ${30}
`('PAYMENT_AUTHORIZATION_DAYS=$text is $days', ({ text, days }) => {
  expect(read(text ? { PAYMENT_AUTHORIZATION_DAYS: text } : {}).PAYMENT_AUTHORIZATION_DAYS).toBe(days);
});

test.each(['0', '31', '1.5', 'a week'])('PAYMENT_AUTHORIZATION_DAYS=%s is refused', (text) => {
  expect(() => read({ PAYMENT_AUTHORIZATION_DAYS: text })).toThrow(/expects a whole number from 1 to 30/);
});

test.each`
  name                          | text           | value
  ${'PAYMENT_RELEASE_CUT_OFF'}  | ${'17:00'}     | ${'17:00'}
  ${'PAYMENT_RELEASE_CUT_OFF'}  | ${''}          | ${undefined}
  ${'PAYMENT_RELEASE_CUT_OFF'}  | ${'24:00'}     | ${/expects a time of day/}
  ${'PAYMENT_RELEASE_CUT_OFF'}  | ${'5:00'}      | ${/expects a time of day/}
  ${'PAYMENT_RELEASE_CUT_OFF'}  | ${'17:00:00'}  | ${/expects a time of day/}
  ${'PAYMENT_RELEASE_CALENDAR'} | ${'target2'}   | ${'target2'}
  ${'PAYMENT_RELEASE_CALENDAR'} | ${''}          | ${'sat_sun'}
  ${'PAYMENT_RELEASE_CALENDAR'} | ${'gregorian'} | ${/PAYMENT_RELEASE_CALENDAR/}
  ${'PAYMENT_RELEASE_UNIT'}     | ${''}          | ${'days'}
  ${'PAYMENT_RELEASE_UNIT'}     | ${'weeks'}     | ${/PAYMENT_RELEASE_UNIT/}
`('$name=$text is $value', ({ name, text, value }) => {
  if (value instanceof RegExp) expect(() => read({ [name]: text })).toThrow(value);
  else expect((read({ [name]: text }) as Record<string, unknown>)[name]).toBe(value);
});

test('TRUSTED_PROXIES accepts addresses, networks and names of private networks', () => {
  expect(read({ TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::1,loopback' }).TRUSTED_PROXIES).toEqual([
    '10.0.0.0/8',
    '2001:db8::1',
    'loopback',
  ]);
  expect(read({}).TRUSTED_PROXIES).toEqual([]);
});

test.each(['everybody', '10.0.0.0/33', '0.0.0.0/0', '10.0.0.1 10.0.0.2'])('TRUSTED_PROXIES=%s is refused', (text) => {
  expect(() => read({ TRUSTED_PROXIES: text })).toThrow(/TRUSTED_PROXIES: expects addresses, networks such as/);
});

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const GATEWAY = {
  ACQUIRER_HTTP_NAME: 'example',
  ACQUIRER_HTTP_URL: 'https://gateway.example/v2',
  ACQUIRER_HTTP_SECRETS: SECRET,
};

test('a gateway is configured whole: live, and without card numbers, unless said otherwise', () => {
  expect(read(GATEWAY)).toMatchObject({
    ...{ ACQUIRER_HTTP_NAME: 'example', ACQUIRER_HTTP_SECRETS: [SECRET] },
    ...{ ACQUIRER_HTTP_MODE: 'live', ACQUIRER_HTTP_CARD_DATA: false },
  });
  const rotating = read({ ...GATEWAY, ACQUIRER_HTTP_SECRETS: `${SECRET}, ${SECRET}`, ACQUIRER_HTTP_MODE: 'test' });
  expect(rotating).toMatchObject({ ACQUIRER_HTTP_SECRETS: [SECRET, SECRET], ACQUIRER_HTTP_MODE: 'test' });
  for (const url of ['http://127.0.0.1:9000', 'http://[::1]:9000', 'http://localhost/gateway'])
    expect(read({ ...GATEWAY, ACQUIRER_HTTP_URL: url }).ACQUIRER_HTTP_URL).toBe(url);
});

test.each`
  name                         | value
  ${'ACQUIRER_HTTP_NAME'}      | ${'Example'}
  ${'ACQUIRER_HTTP_NAME'}      | ${'../notices'}
  ${'ACQUIRER_HTTP_NAME'}      | ${'sandbox_acquirer'}
  ${'ACQUIRER_HTTP_NAME'}      | ${'sandbox'}
  ${'ACQUIRER_HTTP_NAME'}      | ${'book'}
  ${'ACQUIRER_HTTP_NAME'}      | ${''}
  ${'ACQUIRER_HTTP_URL'}       | ${'http://gateway.example'}
  ${'ACQUIRER_HTTP_URL'}       | ${'https://user:secret@gateway.example'}
  ${'ACQUIRER_HTTP_URL'}       | ${'https://gateway.example?key=1'}
  ${'ACQUIRER_HTTP_URL'}       | ${'gateway.example'}
  ${'ACQUIRER_HTTP_URL'}       | ${''}
  ${'ACQUIRER_HTTP_SECRETS'}   | ${'secret'}
  ${'ACQUIRER_HTTP_SECRETS'}   | ${'whsec_c2hvcnQ='}
  ${'ACQUIRER_HTTP_SECRETS'}   | ${','}
  ${'ACQUIRER_HTTP_SECRETS'}   | ${''}
  ${'ACQUIRER_HTTP_MODE'}      | ${'both'}
  ${'ACQUIRER_HTTP_CARD_DATA'} | ${'yes'}
`('$name=$value of a gateway is refused by its name', ({ name, value }) => {
  expect(() => read({ ...GATEWAY, [name]: value })).toThrow(new RegExp(`${name}: (is not set; )?expects`));
  if (value.includes('secret')) expect(() => read({ ...GATEWAY, [name]: value })).not.toThrow(value);
});

const CARDS = {
  PROCESSOR_HTTP_NAME: 'example_cards',
  PROCESSOR_HTTP_URL: 'https://cards.example',
  PROCESSOR_HTTP_SECRETS: SECRET,
};

test('the gateway of a processor is configured as that of an acquirer, beside it and without it', () => {
  const expected = {
    PROCESSOR_HTTP_NAME: 'example_cards',
    PROCESSOR_HTTP_SECRETS: [SECRET],
    PROCESSOR_HTTP_MODE: 'live',
  };
  expect(read(CARDS)).toMatchObject(expected);
  expect(read({ ...GATEWAY, ...CARDS })).toMatchObject({ ...expected, ACQUIRER_HTTP_NAME: 'example' });
  expect(read({ ...CARDS, PROCESSOR_HTTP_MODE: 'test' }).PROCESSOR_HTTP_MODE).toBe('test');
});

test.each`
  name                        | value
  ${'PROCESSOR_HTTP_NAME'}    | ${'sandbox_processor'}
  ${'PROCESSOR_HTTP_NAME'}    | ${'sandbox_acquirer'}
  ${'PROCESSOR_HTTP_NAME'}    | ${'example'}
  ${'PROCESSOR_HTTP_NAME'}    | ${''}
  ${'PROCESSOR_HTTP_URL'}     | ${'http://cards.example'}
  ${'PROCESSOR_HTTP_URL'}     | ${''}
  ${'PROCESSOR_HTTP_SECRETS'} | ${'secret'}
  ${'PROCESSOR_HTTP_SECRETS'} | ${''}
  ${'PROCESSOR_HTTP_MODE'}    | ${'both'}
`('$name=$value beside the gateway of an acquirer is refused by its name', ({ name, value }) => {
  const given = { ...GATEWAY, ...CARDS, [name]: value };
  expect(() => read(given)).toThrow(new RegExp(`${name}: (is not set; )?expects`));
});

test('amounts by currency are read', () => {
  const { PAYMENT_FEE_FIXED, PAYMENT_DISPUTE_FEE } = read({
    PAYMENT_FEE_FIXED: 'JOD:100, USD:30',
    PAYMENT_DISPUTE_FEE: '',
  });
  expect([...PAYMENT_FEE_FIXED]).toEqual([
    ['JOD', 100n],
    ['USD', 30n],
  ]);
  expect(PAYMENT_DISPUTE_FEE.size).toBe(0);
  // Accounts in a withdrawn currency go on.
  expect(read({ PAYMENT_FEE_FIXED: 'BGN:10' }).PAYMENT_FEE_FIXED.get('BGN')).toBe(10n);
});

test('the tax of fees is read, and what is no percentage stops the start', () => {
  const given = { FEE_TAX_PERCENT: 'JOD:16, EUR:25.5' };
  expect([...read(given).FEE_TAX_PERCENT]).toEqual([
    ['JOD', 1_600],
    ['EUR', 2_550],
  ]);
  expect(read({}).FEE_TAX_PERCENT.size).toBe(0);
  for (const text of ['JDO:16', 'JOD:101', 'JOD:16,JOD:16', 'JOD'])
    expect(() => read({ FEE_TAX_PERCENT: text })).toThrow('FEE_TAX_PERCENT: expects');
});

describe('a setting that can never apply stops the start', () => {
  const KEY_ID = `ed25519:${'0'.repeat(64)}`;
  test.each`
    text                 | words
    ${'JDO:100'}         | ${/expects currencies[^;]*; JDO is no currency of ISO 4217/}
    ${'XAU:100'}         | ${/XAU is no currency/}
    ${'DEM:1,JOD:1'}     | ${/DEM is no currency/}
    ${'JOD:100,JOD:200'} | ${/JOD stands in it twice/}
    ${'JOD:1,USD:2,JOD'} | ${/expects currencies with amounts/}
    ${'jod:100'}         | ${/expects currencies with amounts/}
    ${'JOD:-1'}          | ${/expects currencies with amounts/}
  `('$text as amounts', ({ text, words }) => {
    for (const name of ['PAYMENT_FEE_FIXED', 'PAYMENT_DISPUTE_FEE']) {
      expect(() => read({ [name]: text })).toThrow(words);
      expect(() => read({ [name]: text })).toThrow(`${name}: `);
    }
  });

  test.each`
    given                                                                 | words
    ${{ REDIS_CLUSTER: 'true' }}                                          | ${/REDIS_CLUSTER: true never applies without REDIS_URL/}
    ${{ PAYMENT_DISPUTE_FEE_REFUNDED: 'true' }}                           | ${/REFUNDED: true never applies without PAYMENT_DISPUTE_FEE/}
    ${{ ACQUIRER_HTTP_MODE: 'test' }}                                     | ${/ACQUIRER_HTTP_MODE: test never applies without ACQUIRER_HTTP_NAME/}
    ${{ ACQUIRER_HTTP_CARD_DATA: 'true' }}                                | ${/ACQUIRER_HTTP_CARD_DATA: true never applies/}
    ${{ PROCESSOR_HTTP_MODE: 'test' }}                                    | ${/PROCESSOR_HTTP_MODE: test never applies without PROCESSOR_HTTP_NAME/}
    ${{ WEBHOOK_ALLOW_HOSTS: 'shop:65536' }}                              | ${/WEBHOOK_ALLOW_HOSTS: expects ports from 1 to 65535/}
    ${{ WEBHOOK_ALLOW_HOSTS: 'shop:99999' }}                              | ${/WEBHOOK_ALLOW_HOSTS: expects ports from 1 to 65535/}
    ${{ WEBHOOK_ALLOW_HOSTS: 'shop:0' }}                                  | ${/WEBHOOK_ALLOW_HOSTS: expects ports from 1 to 65535/}
    ${{ WEBHOOK_ALLOW_HOSTS: 'shop:080' }}                                | ${/WEBHOOK_ALLOW_HOSTS: expects ports from 1 to 65535/}
    ${{ CHECKPOINT_FORMER_KEYS: KEY_ID }}                                 | ${/CHECKPOINT_FORMER_KEYS: never applies without CHECKPOINT_SIGNING_KEY/}
    ${{ CHECKPOINT_INTERVAL_SECONDS: '60' }}                              | ${/CHECKPOINT_INTERVAL_SECONDS: never applies without CHECKPOINT_SIGNING_KEY/}
    ${{ QUEUE_DATABASE_URL: 'postgres://a@b/c', REDIS_URL: 'redis://a' }} | ${/QUEUE_DATABASE_URL: never applies beside REDIS_URL/}
  `('$given', ({ given, words }) => {
    expect(() => read(given)).toThrow(words);
  });

  test('and those that do nothing do not', () => {
    const idle = { REDIS_CLUSTER: 'false', PAYMENT_DISPUTE_FEE_REFUNDED: 'false', ACQUIRER_HTTP_MODE: 'live' };
    expect(read({ ...idle, QUEUE_DATABASE_URL: 'postgres://a@b/c' }).QUEUE_DATABASE_URL).toBe('postgres://a@b/c');
    const seed = Buffer.alloc(32).toString('base64');
    expect(read({ ...idle, CHECKPOINT_SIGNING_KEY: seed, CHECKPOINT_FORMER_KEYS: KEY_ID })).toMatchObject({
      CHECKPOINT_FORMER_KEYS: [KEY_ID],
    });
    expect(read({ ...idle, WEBHOOK_ALLOW_HOSTS: '127.0.0.1:*,[::1]:65535' }).WEBHOOK_ALLOW_HOSTS).toHaveLength(2);
  });
});

describe('.env.example', () => {
  const text = readFileSync(join(import.meta.dirname, '../../.env.example'), 'utf8');
  const example = Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]));
  /** What it cannot have for everybody. */
  const COUNTINGHOUSE_ENCRYPTION_KEY = Buffer.alloc(32).toString('base64');

  test('starts the product once the key is filled in', () => {
    expect(example.COUNTINGHOUSE_ENCRYPTION_KEY).toBe('');
    expect(() => readConfig({ ...example, COUNTINGHOUSE_ENCRYPTION_KEY })).not.toThrow();
  });

  test('names what is taken without it, but for the places of the databases', () => {
    const places = Object.entries(example).filter(([name]) => /^(\w*DATABASE\w*|REDIS)_URL$/.test(name));
    const without = readConfig({ ...Object.fromEntries(places), COUNTINGHOUSE_ENCRYPTION_KEY });
    expect(readConfig({ ...example, COUNTINGHOUSE_ENCRYPTION_KEY })).toEqual(without);
  });
});
