/** The guides of cards name what integrators, processors and accountants meet: a list of the code that grows has to grow there too. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DISPUTE_REASONS } from '../../../src/acquirers/dispute-reasons.ts';
import { CARD_TYPES, REPLACEMENT_REASONS } from '../../../src/cards/card/card.ts';
import { APPROVED, DECLINES, networkCodeOf } from '../../../src/cards/decision/decline-codes.ts';
import { DEFAULT_EXPIRY_DAYS, DEFAULT_TOLERANCES } from '../../../src/cards/program/program.ts';
import { ENTRY_MODES, PURCHASE_KINDS } from '../../../src/cards/purchase/purchase-facts.ts';
import { CHART } from '../../../src/ledger/account/chart.ts';
import { SANDBOX_BIN } from '../../../src/processors/card-sequence.ts';
import { DISPUTE_ACCOUNT_CLOSED } from '../../../src/transactions/disputes/dispute-step.ts';
import { MESSAGES_MAX } from '../../../src/transactions/message/messages-store.ts';
import { TRANSACTION_FLAGS } from '../../../src/transactions/purchase/message-flags.ts';
import { PURCHASE_TRANSITIONS } from '../../../src/transactions/purchase/purchase-resource.ts';
import { EXCEPTION_DETAILS } from '../../../src/transactions/recording/open-exception.ts';

const read = (name: string) => readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8');
const [cards, processors, accounting, operations, files] = [
  ...['cards', 'processors', 'cards-accounting', 'operations', 'clearing-files'].map(read),
];

describe('for integrators', () => {
  test.each([
    ...CARD_TYPES,
    ...REPLACEMENT_REASONS,
    ...Object.keys(PURCHASE_TRANSITIONS),
    ...TRANSACTION_FLAGS,
    ...DISPUTE_REASONS,
    ...ENTRY_MODES,
  ])('%s is named', (word) => {
    expect(cards).toMatch(new RegExp(`[\`\\s]${word}[\`\\s,.]`));
  });

  test('tolerances and days are those of a program that sets none', () => {
    const [tips, stays] = DEFAULT_TOLERANCES;
    expect(cards).toContain(`${tips!.percent} % at restaurants`);
    expect(cards).toContain(`${stays!.percent} % at hotels`);
    expect(DEFAULT_EXPIRY_DAYS).toEqual({ default: 7, lodging: 30, carRental: 30, cruise: 30, fuel: 2 });
    expect(cards).toContain('for seven days (30 at hotels, car rentals and cruises, two after');
  });
});

describe.each([
  ['integrators', () => cards],
  ['processors', () => processors],
  ['files', () => files],
])('limits, for %s', (_, page) => {
  test('it says how many messages a transaction takes', () => {
    expect(page()).toContain(MESSAGES_MAX.toLocaleString('en-US'));
  });
});

describe('for processors', () => {
  test('the table has every code with its rule and field 39, in the order in which they decide', () => {
    const rows = [...processors!.matchAll(/^\| `(\w+)` \| `(\w+)` \| (\w\w)(?:; 41 .*, 43 .*)? \|$/gm)];
    expect(rows.map(([, code, rule, networkCode]) => [code, { rule, networkCode }])).toEqual(Object.entries(DECLINES));
    const reported = [networkCodeOf('card_closed', 'lost'), networkCodeOf('card_closed', 'stolen')];
    expect(processors).toContain(`46; ${reported[0]} of a card replaced as lost, ${reported[1]} as stolen`);
    for (const code of Object.values(APPROVED))
      expect(processors).toMatch(new RegExp(`^\\| [^\`|]+.*\\| ${code} \\|$`, 'm'));
  });

  test.each(PURCHASE_KINDS)('%s is mapped', (kind) => {
    expect(processors).toMatch(new RegExp(`\`(?:kind: )?${kind}\``));
  });

  test('the test BIN is the one of the sandbox', () => {
    expect(processors).toContain(`the test BIN ${SANDBOX_BIN}`);
  });
});

describe('for accountants', () => {
  test.each(['scheme_settlement', 'due_operator', 'pool'] as const)('%s has the side of the chart', (code) => {
    expect(accounting).toContain(`| \`${code}\` | ${CHART[code].side} |`);
  });

  test.each([...Object.keys(EXCEPTION_DETAILS), DISPUTE_ACCOUNT_CLOSED])(
    '%s says what happened and what people do',
    (kind) => {
      expect(accounting).toContain(`\`${kind}\``);
      expect(operations).toContain(`\`${kind}\``);
    },
  );

  test('every check that it names is a finding that operators find', () => {
    const section = accounting!.slice(accounting!.indexOf('## What is verified'));
    const named = [...section.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, rule]) => rule!);
    expect(named.length).toBeGreaterThan(10);
    for (const rule of named) expect(operations).toContain(`\`${rule}\``);
  });
});
