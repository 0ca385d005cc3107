/** Rows in a shape that the ledger never writes: each is found, and ends neither the verifier nor the audit. */
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAudit } from '../../../src/audit/audit.ts';
import type { Pool } from '../../../src/db/pool.ts';
import type { Finding } from '../../../src/group/finding.ts';
import { GROUPS } from '../../../src/groups.ts';
import { systemClock } from '../../../src/values/clock.ts';
import { verifyDatabase } from '../../../src/verify/verify-database.ts';
import { verifySince } from '../../../src/verify/verify-since.ts';
import { type FilledDatabase, openFilledDatabase, rulesOf, type Scene } from '../../support/verify-scene.ts';

let filled: FilledDatabase;

beforeAll(async () => {
  filled = await openFilledDatabase();
});
afterAll(() => filled?.close());

const told = (value: string) =>
  `UPDATE events SET payload = jsonb_set(payload::jsonb, '{journal_entries}', '${value}')::text WHERE sequence = 9`;
const entryIds = (value: string) => (scene: Scene) =>
  `UPDATE payouts SET entry_ids = '${value}' WHERE id = '${scene.payouts.paid!.id}'`;

const TAMPERINGS: [what: string, statement: string | ((scene: Scene) => string), rule: string][] = [
  ['an event that tells of a number', told('5'), 'event.entries'],
  ['an event that tells of nothing', told('[null]'), 'event.entries'],
  ['a payout whose entries are no list', entryIds('{}'), 'payout.entry_ids'],
  ['a payout one of whose entries is null', entryIds('[null]'), 'payout.entry_ids'],
  ['an entry at infinity', `UPDATE entries SET effective_at = 'infinity' WHERE sequence = 3`, 'journal.chain'],
  ['an entry of a far year', `UPDATE entries SET posted_at = '290000-01-01' WHERE sequence = 3`, 'journal.chain'],
  ['an event at infinity', `UPDATE events SET created_at = 'infinity' WHERE sequence = 9`, 'event.payload'],
  [
    'a step of a hold at infinity',
    ({ payouts }) =>
      `UPDATE hold_steps SET created_at = '-infinity' WHERE ordinal = 1 AND hold_id = '${payouts.paid!.holdId}'`,
    'hold.event',
  ],
];

/** Findings of a run, which must not throw. */
async function findingsAfter(
  statement: string | ((scene: Scene) => string),
  run: (pool: Pool, onFinding: (finding: Finding) => void) => Promise<unknown>,
): Promise<string[]> {
  const findings: Finding[] = [];
  const text = typeof statement === 'string' ? statement : statement(filled.scene);
  await filled.lookAfter([text], (pool) => run(pool, (finding) => findings.push(finding)));
  return rulesOf(findings);
}

test.each(TAMPERINGS)('%s is found by npm run verify', async (_, statement, rule) => {
  expect(
    await findingsAfter(statement, (pool, onFinding) => verifyDatabase(pool, { groups: GROUPS, onFinding })),
  ).toContain(rule);
});

test.each(TAMPERINGS)('%s does not end npm run verify -- --since', async (_, statement) => {
  const run = (pool: Pool, onFinding: (finding: Finding) => void) =>
    verifySince(pool, { groups: GROUPS, since: { sequence: 1n }, clock: systemClock, onFinding });
  await expect(findingsAfter(statement, run)).resolves.toBeInstanceOf(Array);
});

test.each(TAMPERINGS)('%s is found by the audit, which completes its round', async (_, statement, rule) => {
  const kinds = new Set<string>();
  const counts = {
    rows() {},
    round() {},
    findings: (byKind: ReadonlyMap<string, number>) => {
      for (const kind of byKind.keys()) kinds.add(kind);
    },
  };
  await findingsAfter(statement, async (pool) => {
    const audit = createAudit({ groups: GROUPS, pool, clock: systemClock, log: pino({ level: 'silent' }), counts });
    while (!(await audit.turn()));
  });
  expect([...kinds]).toContain(rule);
});

test('an unreadable page is its own finding, and all other checks run', async () => {
  const unreadable = (pool: Pool) => {
    const query = pool.query.bind(pool) as (...given: unknown[]) => Promise<unknown>;
    const tapped = ((statement: { name?: string }, ...rest: unknown[]) =>
      statement.name === 'verify.odd_steps'
        ? Promise.reject(new RangeError('Invalid time value'))
        : query(statement, ...rest)) as never;
    return Object.assign(Object.create(pool) as Pool, { query: tapped });
  };
  const rules = await findingsAfter(told('5'), (pool, onFinding) =>
    verifyDatabase(unreadable(pool), { groups: GROUPS, onFinding }),
  );
  expect(rules).toEqual(expect.arrayContaining(['book.readable', 'event.entries']));
});
