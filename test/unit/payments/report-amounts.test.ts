/** Amounts of a report are those of a bigint of Postgres, line by line and summed. */
import { describe, expect, test } from 'vitest';
import { BadInput } from '../../../src/intake/bad-input.ts';
import { checkReport, reportLines } from '../../../src/payments/paydays/check-report.ts';
import { type ReportLine, writeReport } from '../../../src/payments/paydays/report.ts';
import type { Line } from '../../support/reports.ts';

/** The lines of a report that is whole. */
function readReport(bytes: Buffer): ReportLine[] {
  const { readAgain } = checkReport(() => [bytes]);
  return [...reportLines(readAgain, () => undefined)].flat();
}

const MAX = 2n ** 63n - 1n;

const line = (lineId: string, gross: bigint, change: Partial<Line> = {}): Line => ({
  lineId,
  merchant: 'book',
  type: 'adjustment',
  reference: '',
  currency: 'JOD',
  gross,
  cost: 0n,
  ...change,
});
const read = (...lines: Line[]) => readReport(writeReport(lines));

test.each([10n ** 15n, 10n ** 18n, MAX, -MAX])('%s is an amount', (gross) => {
  expect(read(line('A', gross))).toMatchObject([{ gross, net: gross }]);
});

test.each`
  gross         | cost  | said
  ${MAX + 1n}   | ${0n} | ${'Line 2: The gross is 9223372036854775808; an amount is at most 9223372036854775807'}
  ${-MAX - 1n}  | ${0n} | ${'Line 2: The gross is -9223372036854775808; an amount is at most'}
  ${10n ** 19n} | ${0n} | ${'Line 2: The gross is 10000000000000000000, and should be a whole number'}
  ${-MAX}       | ${1n} | ${'Line 2: The net is -9223372036854775808; an amount is at most'}
`('$gross with a cost of $cost is none', ({ gross, cost, said }) => {
  expect(() => read(line('A', gross, { cost }))).toThrow(BadInput);
  expect(() => read(line('A', gross, { cost }))).toThrow(said);
});

describe('lines that come to more than an amount', () => {
  const said = 'Line 3: With this line the amounts in JOD come to more than 9223372036854775807';

  test.each`
    what                               | first       | second                                 | accepted
    ${'to the unit'}                   | ${MAX - 1n} | ${line('B', 1n)}                       | ${true}
    ${'one beyond'}                    | ${MAX}      | ${line('B', 1n)}                       | ${false}
    ${'where they cancel out'}         | ${MAX}      | ${line('B', -1n)}                      | ${false}
    ${'with the cost'}                 | ${MAX - 1n} | ${line('B', 1n, { cost: 1n })}         | ${false}
    ${'each in a currency of its own'} | ${MAX}      | ${line('B', MAX, { currency: 'USD' })} | ${true}
  `('$what', ({ first, second, accepted }) => {
    if (accepted) return expect(read(line('A', first), second)).toHaveLength(2);
    expect(() => read(line('A', first), second)).toThrow(said);
  });
});
