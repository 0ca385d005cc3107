import { describe, expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { executionDay } from '../../../../src/calendar/execution-day.ts';
import { lastCutOff, silentFrom } from '../../../../src/rails/iso20022/bank-days.ts';
import type { BankSettings } from '../../../../src/rails/iso20022/bank-settings.ts';
import { inCharacters } from '../../../../src/rails/iso20022/characters.ts';
import {
  type CreditTransfer,
  controlSum,
  fromDecimal,
  isNotCarried,
  type Payee,
  toCarry,
  toDecimal,
} from '../../../../src/rails/iso20022/credit-transfer.ts';
import { type PaymentFile, writePain001 } from '../../../../src/rails/iso20022/pain-001.ts';
import { hasSharedData, schemaOf, TEST_IBAN } from '../../../support/bank-files.ts';

const DEBTOR = { name: 'Countinghouse GmbH', iban: TEST_IBAN, bic: 'BKAUATWW' };
const PAYEE: Payee = {
  iban: 'DE89370400440532013000',
  name: 'Jana Müller & Söhne',
  bic: 'COBADEFFXXX',
  address: { line1: 'Domstraße 1', city: 'Köln', postalCode: '50667', country: 'DE' },
};

function transfer(number: number, currency = 'EUR'): CreditTransfer {
  return {
    endToEndId: `CH${String(number).padStart(32, 'A')}0`,
    instructionId: `I${String(number).padStart(33, '0')}`,
    amount: BigInt(number) * 10_000n,
    currency,
    payee: number % 2 === 0 ? { ...PAYEE, bic: null, address: null } : PAYEE,
    remittance: number % 3 === 0 ? null : `Invoice <${number}> & "more"`,
    purposeCode: number % 2 === 0 ? null : 'SALA',
  };
}

function fileOf(profile: BankSettings['profile']): PaymentFile {
  const set = profile === 'epc' ? 'epc' : 'utf8';
  const carrier = { profile, characters: set, currencies: ['EUR', 'USD', 'JOD'], needsAddress: false } as const;
  const written = (one: CreditTransfer): CreditTransfer => {
    const carried = toCarry(one, carrier);
    if (isNotCarried(carried)) throw new Error(carried.detail);
    return { ...one, ...carried };
  };
  const group = (currency: string, day: string, at: number) => ({
    paymentInformationId: `M1-${at}`,
    currency,
    executionDay: day,
    transfers: [1, 2, 3].map((number) => written(transfer(number + 10 * at, currency))),
  });
  return {
    messageId: 'M1',
    createdAt: '2027-03-25T15:00:00Z',
    groups:
      profile === 'epc'
        ? [group('EUR', '2027-03-25', 1), group('EUR', '2027-03-30', 2)]
        : [group('EUR', '2027-03-25', 1), group('USD', '2027-03-25', 2), group('JOD', '2027-03-30', 3)],
  };
}

describe.skipIf(!hasSharedData)('a file is valid against the schema of its profile', () => {
  test.each`
    profile  | schema
    ${'iso'} | ${'pain.001.001.10'}
    ${'epc'} | ${'pain.001.001.09.epc-sct'}
  `('$profile: $schema', async ({ profile, schema }) => {
    for (const batchBooking of [null, true, false]) {
      const xml = writePain001(fileOf(profile), { profile, debtor: DEBTOR, batchBooking });
      expect(xml).toContain('<Purp><Cd>SALA</Cd></Purp>');
      const { valid, errors } = await validateXML({
        xml: [{ fileName: 'file.xml', contents: xml }],
        schema: [{ fileName: 'schema.xsd', contents: schemaOf(schema) }],
      });
      expect(errors).toEqual([]);
      expect(valid).toBe(true);
    }
  });

  test('the schema does refuse what is not valid', async () => {
    const xml = writePain001(fileOf('iso'), {
      profile: 'iso',
      debtor: { ...DEBTOR, bic: 'nobic' },
      batchBooking: null,
    });
    const schema = [{ fileName: 'schema.xsd', contents: schemaOf('pain.001.001.10') }];
    expect((await validateXML({ xml: [{ fileName: 'file.xml', contents: xml }], schema })).valid).toBe(false);
  });
});

test.each(['iso', 'epc'] as const)('a town that TwnNm does not hold is refused, and never cut: %s', (profile) => {
  const carrier = { profile, characters: 'utf8', currencies: ['EUR'], needsAddress: false } as const;
  const inTown = (city: string) => {
    const payee = { ...PAYEE, address: { ...PAYEE.address!, city } };
    return { payee, carried: toCarry({ ...transfer(1), payee }, carrier) };
  };
  expect(inTown('L'.repeat(36)).carried).toMatchObject({ param: '/destination/address/city' });
  const { payee, carried } = inTown('L'.repeat(35));
  expect(carried).toMatchObject({ payee: { address: payee.address } });
  const file = fileOf(profile);
  const groups = file.groups.map((group) => ({
    ...group,
    transfers: group.transfers.map((one) => ({ ...one, payee })),
  }));
  const xml = writePain001({ ...file, groups }, { profile, debtor: DEBTOR, batchBooking: null });
  expect(xml).toContain(`<TwnNm>${'L'.repeat(35)}</TwnNm><Ctry>DE</Ctry></PstlAdr>`);
});

test('the sums are those of the amounts, whatever their currencies', () => {
  expect(
    controlSum([
      { amount: 10_050n, currency: 'EUR' },
      { amount: 1_234n, currency: 'JOD' },
      { amount: 7n, currency: 'JPY' },
    ]),
  ).toBe('108.734');
  expect(controlSum([{ amount: 5n, currency: 'JPY' }])).toBe('5');
});

test.each`
  text          | currency | minor
  ${'51.24'}    | ${'EUR'} | ${5_124n}
  ${'51.2'}     | ${'EUR'} | ${5_120n}
  ${'51.24000'} | ${'EUR'} | ${5_124n}
  ${'51'}       | ${'EUR'} | ${5_100n}
  ${'5.124'}    | ${'JOD'} | ${5_124n}
  ${'51.245'}   | ${'EUR'} | ${undefined}
  ${'-1.00'}    | ${'EUR'} | ${undefined}
  ${'1e3'}      | ${'EUR'} | ${undefined}
  ${'1,00'}     | ${'EUR'} | ${undefined}
  ${''}         | ${'EUR'} | ${undefined}
  ${'7'}        | ${'JPY'} | ${7n}
`('$text $currency is $minor', ({ text, currency, minor }) => {
  expect(fromDecimal(text, currency)).toBe(minor);
  if (minor !== undefined) expect(fromDecimal(toDecimal(minor, currency), currency)).toBe(minor);
});

describe('what a bank cannot carry is refused with a pointer, and never cut', () => {
  const EPC = { profile: 'epc', characters: 'epc', currencies: ['EUR'], needsAddress: false } as const;
  const ISO = { profile: 'iso', characters: 'utf8', currencies: ['EUR', 'JOD'], needsAddress: false } as const;
  const ASKING = { ...EPC, needsAddress: true } as const;
  test.each`
    row      | bank      | change                                                           | param
    ${'H35'} | ${EPC}    | ${{ name: '株式会社' }}                                          | ${'/destination/name'}
    ${'H35'} | ${EPC}    | ${{ name: 'x'.repeat(71) }}                                      | ${'/destination/name'}
    ${'H35'} | ${EPC}    | ${{ name: 'ß'.repeat(36) }}                                      | ${'/destination/name'}
    ${'iso'} | ${ISO}    | ${{ name: 'x'.repeat(141) }}                                     | ${'/destination/name'}
    ${'epc'} | ${EPC}    | ${{ address: { ...PAYEE.address, city: 'x'.repeat(36) } }}       | ${'/destination/address/city'}
    ${'iso'} | ${ISO}    | ${{ address: { ...PAYEE.address, city: 'x'.repeat(71) } }}       | ${'/destination/address/city'}
    ${'ask'} | ${ASKING} | ${{ address: null }}                                             | ${'/destination/address'}
    ${'epc'} | ${EPC}    | ${{ address: { ...PAYEE.address, line1: 'x'.repeat(71) } }}      | ${'/destination/address/line1'}
    ${'epc'} | ${EPC}    | ${{ address: { ...PAYEE.address, postalCode: '1'.repeat(17) } }} | ${'/destination/address/postal_code'}
  `('$row: $param', ({ bank, change, param }) => {
    expect(toCarry({ ...transfer(1), payee: { ...PAYEE, ...change } }, bank)).toMatchObject({ param });
  });

  test.each`
    what                     | change                             | param
    ${'another currency'}    | ${{ currency: 'JOD' }}             | ${'/currency'}
    ${'more than the EPC'}   | ${{ amount: 100_000_000_000n }}    | ${'/amount'}
    ${'a longer remittance'} | ${{ remittance: 'x'.repeat(141) }} | ${'/remittance'}
  `('$what: $param', ({ change, param }) => {
    expect(toCarry({ ...transfer(1), ...change }, EPC)).toMatchObject({ param });
  });

  test('a bank that asks for addresses carries a payment with one, any other carries one without', () => {
    expect(toCarry(transfer(1), ASKING)).toMatchObject({ payee: { address: { city: 'Koeln' } } });
    expect(toCarry(transfer(2), EPC)).toMatchObject({ payee: { address: null } });
  });

  test('H35: ä and ß are written out', () => {
    expect(toCarry({ ...transfer(1), payee: { ...PAYEE, name: 'Jäger Straßenbau' } }, EPC)).toMatchObject({
      payee: { name: 'Jaeger Strassenbau' },
    });
    expect(toCarry({ ...transfer(1), payee: { ...PAYEE, name: 'x'.repeat(70) } }, EPC)).toMatchObject({
      payee: { name: 'x'.repeat(70) },
    });
  });
});

test.each`
  text                | epc
  ${'José Ñandú'}     | ${'Jose Nandu'}
  ${'Łódź & Co; [1]'} | ${'Lodz + Co, (1)'}
  ${'Αθήνα'}          | ${'Athina'}
  ${'Щука ООД'}       | ${'Shtuka OOD'}
  ${'a\tb\u00a0c'}    | ${'a b c'}
  ${'株 x'}           | ${'. x'}
  ${'e\u0301'}        | ${'e'}
`('$text is written $epc', ({ text, epc }) => {
  expect(inCharacters(text, 'epc')).toBe(epc);
});

test('in UTF-8 only what XML cannot hold is replaced', () => {
  expect(inCharacters('Jäger\u0000\ud800\nß', 'utf8')).toBe('Jäger.. ß');
});

describe('H31: the day of execution', () => {
  const BANK = {
    timeZone: 'Europe/Vienna',
    calendar: 'target2',
    cutOff: '16:00',
    holidays: [],
    daysToArrive: 1,
  } as const;
  test.each`
    submitted                      | day
    ${'2027-03-25T15:59:59+01:00'} | ${'2027-03-25'}
    ${'2027-03-25T16:00:00+01:00'} | ${'2027-03-30'}
    ${'2027-03-26T09:00:00+01:00'} | ${'2027-03-30'}
    ${'2027-03-28T23:59:00+02:00'} | ${'2027-03-30'}
    ${'2027-03-30T16:00:00+02:00'} | ${'2027-03-31'}
    ${'2027-12-24T16:00:00+01:00'} | ${'2027-12-27'}
  `('$submitted: $day', ({ submitted, day }) => {
    expect(executionDay(BANK, Date.parse(submitted))).toBe(day);
  });

  test('the last cut-off, and the end of the second business day behind', () => {
    const at = Date.parse('2027-03-25T16:00:00+01:00');
    expect(lastCutOff(at, BANK)).toBe(at);
    expect(lastCutOff(at - 1, BANK)).toBe(at - 86_400_000);
    expect(silentFrom('2027-03-30', 2, BANK)).toBe(Date.parse('2027-04-02T00:00:00+02:00'));
    const closed = { ...BANK, holidays: ['2027-03-31'] };
    expect(silentFrom('2027-03-30', 2, closed)).toBe(Date.parse('2027-04-03T00:00:00+02:00'));
  });
});
