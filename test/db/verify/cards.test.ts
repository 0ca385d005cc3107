/** Findings of `npm run verify` in cards and their purchases: whatever row says something else is found, also by what came since, and by the audit. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAudit } from '../../../src/audit/audit.ts';
import type { Finding } from '../../../src/group/finding.ts';
import { GROUPS } from '../../../src/groups.ts';
import { chartAccountId } from '../../../src/ledger/account/chart.ts';
import { systemClock } from '../../../src/values/clock.ts';
import { publicId } from '../../../src/values/ids.ts';
import { verifySince } from '../../../src/verify/verify-since.ts';
import { type CheckedCards, playEveryCheck } from '../../support/card-scene.ts';
import { type FilledDatabase, openFilledDatabase, rulesOf } from '../../support/verify-scene.ts';

let filled: FilledDatabase;
let scene: CheckedCards;

beforeAll(async () => {
  filled = await openFilledDatabase(async (book) => {
    scene = await playEveryCheck(book);
  });
});
afterAll(() => filled?.close());

const findingsSince = (statements: readonly string[]) =>
  filled.lookAfter(statements, async (pool) => {
    const findings: Finding[] = [];
    const onFinding = (finding: Finding) => findings.push(finding);
    await verifySince(pool, { groups: GROUPS, since: { moment: 0 }, clock: systemClock, onFinding });
    return findings;
  });

/** All but those of the journal, which a row of a group does not change. */
const rulesOfCards = (findings: readonly Finding[]) =>
  rulesOf(findings).filter((rule) => /^(transaction|card|scheme)/.test(rule));

const DISPUTED = () => `id = '${scene.disputedId}'`;
const OPEN = () => `id = '${scene.openId}'`;
const OF_DISPUTED = () => `transaction_id = '${scene.disputedId}'`;
const CARD = () => `id = '${scene.cardId}'`;
const OF_CARD = () => `card_id = '${scene.cardId}'`;
const LIMIT = (place: number) => `controls_id = '${scene.limitIds[place]}'`;
const PURCHASE = (change: string, where: () => string) => () => [`UPDATE transactions SET ${change} WHERE ${where()}`];
const MESSAGE = (change: string, type: string) => () => [
  `UPDATE transaction_messages SET ${change} WHERE type = '${type}' AND ${OF_DISPUTED()}`,
];
const DISPUTE = (change: string, status: string) => () => [
  `UPDATE transaction_disputes SET ${change} WHERE status = '${status}' AND ${OF_DISPUTED()}`,
];
const EVENT = (change: string, type: string) => () => [
  `UPDATE events SET ${change} WHERE type = '${type}' AND object_id = '${scene.disputedId}'`,
];
const ENTRY = (change: string, step: string) => () => [
  `UPDATE entries SET ${change} WHERE step = '${step}' AND resource_id IN (
     SELECT id FROM transaction_messages WHERE ${OF_DISPUTED()})`,
];
const COUNTER = (change: string, where: () => string) => () => [`UPDATE card_counters SET ${change} WHERE ${where()}`];

type Case = [what: string, rules: string[], statements: () => string[]];

const CASES: Case[] = [
  ['nothing is wrong', [], () => ['SELECT 1']],
  ['a purchase has another status', ['transaction.state'], PURCHASE("status = 'pending'", DISPUTED)],
  [
    'more is held than its hold has',
    ['card_counter.sum', 'transaction.hold', 'transaction.state'],
    PURCHASE('held = held + 1', OPEN),
  ],
  ['more stands cleared', ['card_counter.sum', 'transaction.state'], PURCHASE('cleared = cleared + 1', DISPUTED)],
  ['another fee', ['transaction.state'], PURCHASE('fee = fee + 1', OPEN)],
  ['more is disputed', ['transaction.state'], PURCHASE('disputed = disputed + 1', DISPUTED)],
  ['it is called open', ['transaction.state'], PURCHASE('is_open = true', DISPUTED)],
  [
    'its merchant has something left',
    ['transaction.state'],
    PURCHASE("merchant_left = 1, merchant_currency = 'USD'", OPEN),
  ],
  [
    'it first used something on another day',
    ['card_counter.sum', 'transaction.state'],
    PURCHASE("first_used_at = first_used_at - interval '1 year'", DISPUTED),
  ],
  ['it counts a message more', ['transaction.counts'], PURCHASE('messages = messages + 1', DISPUTED)],
  ['it counts a dispute less', ['transaction.counts'], PURCHASE('disputes = 1', DISPUTED)],
  ['it has a flag that no message has', ['transaction.flags'], PURCHASE(`flags = '["late"]'`, DISPUTED)],
  ['it resembles what is not there', ['transaction.resembles'], PURCHASE('resembles = id', DISPUTED)],
  ['a message has another flag', ['transaction.flags'], MESSAGE(`flags = '["forced"]'`, 'clearing')],
  [
    'a message has another amount',
    ['transaction.flags', 'transaction.state'],
    MESSAGE('amount = amount + 1', 'clearing'),
  ],
  [
    'a message is gone',
    ['transaction.counts', 'transaction.events', 'transaction.state'],
    () => [`DELETE FROM transaction_messages WHERE type = 'refund' AND ${OF_DISPUTED()}`],
  ],
  ['a message names another event', ['transaction.events'], MESSAGE('event_sequence = 1', 'refund')],
  [
    'an event is of another message',
    ['transaction.events'],
    EVENT("type = 'transaction.cleared'", 'transaction.refunded'),
  ],
  [
    'an event is gone',
    ['transaction.events'],
    () => [`DELETE FROM events WHERE type = 'transaction.cleared' AND object_id = '${scene.disputedId}'`],
  ],
  ['an entry is another step', ['transaction.entries'], ENTRY("step = 'cleared_twice'", 'cleared')],
  [
    'a message has two entries, another has none',
    ['transaction.entries'],
    () => [
      `UPDATE entries SET step = 'refunded_too', resource_id = (
         SELECT id FROM transaction_messages WHERE type = 'clearing' AND ${OF_DISPUTED()})
       WHERE step = 'refunded' AND resource_id IN (SELECT id FROM transaction_messages WHERE ${OF_DISPUTED()})`,
    ],
  ],
  ['a dispute names no entry', ['transaction.entries'], DISPUTE("entry_ids = '[]'", 'submitted')],
  ['a dispute that was lost is called won', ['transaction.state'], DISPUTE("status = 'won'", 'lost')],
  ['a dispute has another amount', ['transaction.state'], DISPUTE('amount = amount + 1', 'submitted')],
  [
    'a settlement nets something else',
    ['scheme_settlement.lines'],
    () => ['UPDATE scheme_settlements SET net = net + 1'],
  ],
  [
    'a settlement leaves a line out',
    ['scheme_settlement.lines'],
    () => ['UPDATE scheme_settlements SET lines = lines - 1'],
  ],
  [
    'the counter of a card',
    ['card_counter.sum'],
    COUNTER('day_amount = day_amount + 1', () => `subject_id = '${scene.cardId}' AND controls_id IS NULL`),
  ],
  [
    'of the book',
    ['card_counter.sum'],
    COUNTER('refunded = refunded + 1', () => 'subject_id = book_id AND controls_id IS NULL'),
  ],
  ['of a limit of a card', ['card_counter.sum'], COUNTER('all_amount = all_amount - 1', () => LIMIT(0))],
  ['of a limit of an account', ['card_counter.sum'], COUNTER('month_count = month_count + 1', () => LIMIT(1))],
  ['of a limit of the program', ['card_counter.sum'], COUNTER('day_count = day_count - 1', () => LIMIT(2))],
  [
    'a counter is gone',
    ['card_counter.sum'],
    () => [`DELETE FROM card_counters WHERE subject_id = '${scene.cardId}' AND controls_id IS NULL`],
  ],
  [
    'a limit is for other purchases',
    ['card_controls.in_force', 'card_counter.sum'],
    () => [
      `UPDATE card_controls_in_force SET active = jsonb_set(active, '{content,limits,0,for}', '{"mccs": ["4111"]}')
       WHERE subject_id = '${scene.cardId}'`,
    ],
  ],
  [
    'controls are in force that were retired',
    ['card_controls.in_force'],
    () => [`UPDATE card_controls SET status = 'retired' WHERE id = '${scene.limitIds[1]}'`],
  ],
  ['a line counts another card', ['card.line'], () => [`UPDATE cards SET line_cards = 2 WHERE ${CARD()}`]],
  ['a line counts another token', ['card.line'], () => [`UPDATE cards SET line_tokens = 0 WHERE ${CARD()}`]],
  ['a line has no newest card', ['card.newest'], () => [`UPDATE cards SET replaced_by = id WHERE ${CARD()}`]],
  [
    'a card is closed and its token is not',
    ['card.tokens', 'card.told'],
    () => [`UPDATE cards SET status = 'closed', closed_reason = 'requested' WHERE ${CARD()}`],
  ],
  [
    'the processor is told another state',
    ['card.told'],
    () => [`UPDATE card_operations SET state = 'frozen' WHERE state IS NOT NULL AND ${OF_CARD()}`],
  ],
  [
    'a card that is made is being made',
    ['card.making'],
    () => [`UPDATE card_operations SET status = 'pending', due_at = now() WHERE kind = 'issue' AND ${OF_CARD()}`],
  ],
];

describe.each([
  ['verify', (statements: readonly string[]) => filled.findingsAfter(...statements)],
  ['verify of what came since', findingsSince],
])('%s', (_, findings) => {
  test.each(CASES)('%s', async (_what, rules, statements) => {
    expect(rulesOfCards(await findings(statements()))).toEqual(rules);
  });
});

test('the audit finds them, page by page', async () => {
  const wrong = [
    PURCHASE('disputed = disputed + 1', DISPUTED),
    COUNTER('day_count = day_count + 1', () => LIMIT(2)),
    EVENT("type = 'transaction.cleared'", 'transaction.refunded'),
    () => ['UPDATE scheme_settlements SET net = net + 1', `UPDATE cards SET line_cards = 2 WHERE ${CARD()}`],
  ].flatMap((statements) => statements());
  let kinds: readonly string[] = [];
  const counts = {
    ...{ rows: () => undefined, round: () => undefined },
    findings: (byKind: ReadonlyMap<string, number>) => {
      kinds = [...byKind.keys()];
    },
  };
  await filled.lookAfter(wrong, async (pool) => {
    const log = pino({ level: 'silent' });
    const audit = createAudit({ groups: GROUPS, pool, clock: systemClock, log, counts });
    while (!(await audit.turn()));
  });
  const rules = ['card.line', 'card_counter.sum', 'scheme_settlement.lines', 'transaction.events', 'transaction.state'];
  expect(kinds).toEqual(expect.arrayContaining(rules));
});

describe('a row that is one minor unit off is found by what its account says', () => {
  test.each<[what: string, code: 'scheme_settlement' | 'due_operator' | 'pool', statements: () => string[]]>([
    ['what is cleared', 'scheme_settlement', PURCHASE('cleared = cleared + 1', DISPUTED)],
    ['what is refunded', 'scheme_settlement', PURCHASE('refunded = refunded + 1', DISPUTED)],
    ['the credit of a dispute', 'scheme_settlement', DISPUTE('credited = credited - 1', 'submitted')],
    ['a fee', 'due_operator', PURCHASE('fee = fee + 1', OPEN)],
    ['a settlement', 'pool', () => ['UPDATE scheme_settlements SET net = net + 1']],
  ])('%s', async (_, code, statements) => {
    const account = publicId('account', chartAccountId(filled.scene.bookId, code, 'EUR'));
    const findings = await filled.findingsAfter(...statements());
    const named = findings.filter(({ check, ids }) => check === 'account.equation' && ids.account === account);
    expect(named).toHaveLength(1);
  });
});
