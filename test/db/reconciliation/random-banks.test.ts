/**
 * Random journals and what banks say of them, on a real Postgres: after every file the books equal the bank, and no rule confirms a wrong match.
 * `MODEL_STEPS=300 MODEL_SEED=7` makes it another length and seed.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bankReconciliation } from '../../../src/reconciliation/position/bank-reconciliation.ts';
import type { Uuid } from '../../../src/values/ids.ts';
import { RUN_LIMIT_MS, runOptions, Tally } from '../../model/run-options.ts';
import { findingsOf } from '../../support/findings.ts';
import { matchesOf } from '../../support/matched-bank.ts';
import { type DrawnLine, itemKey, PlayedBank } from '../../support/played-bank.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { type World, worlds } from '../../support/random-bank.ts';

/** The same seed in each run of the tests, so that a change is what makes it fail; longer runs have seeds of their own. */
const SEED = 7;
const { steps, seed } = runOptions({ steps: 6 });
const OPTIONS = { steps, seed: process.env.MODEL_SEED === undefined ? SEED : seed };
const tally = new Tally();

interface KeptLine {
  readonly id: Uuid;
  readonly amount: bigint;
  readonly status: string;
  readonly matched: bigint;
  readonly entry_id: Uuid | null;
  readonly number: string;
  readonly account: string;
}

/** Each row with what the generator knows of it: statements keep the order of lines. */
async function linesOf({ bank, told }: PlayedBank): Promise<Map<Uuid, { kept: KeptLine; drawn: DrawnLine }>> {
  const rows = await bank.book.rows<KeptLine>(
    `SELECT l.id, l.amount, l.status, l.matched, l.entry_id, s.number, s.account FROM bank_lines l
     JOIN bank_statements s ON s.book_id = l.book_id AND s.id = l.statement_id WHERE l.book_id = $1 ORDER BY l.place`,
  );
  const found = new Map<Uuid, { kept: KeptLine; drawn: DrawnLine }>();
  for (const { statement, lines } of told) {
    const kept = rows.filter(({ number, account }) => number === statement.number && account === statement.account);
    expect(kept.map(({ amount }) => Number(amount))).toEqual(lines.map(({ entry }) => entry.amount));
    for (const [index, drawn] of lines.entries()) found.set(kept[index]!.id, { kept: kept[index]!, drawn });
  }
  expect(found.size).toBe(rows.length);
  return found;
}

/** By item what the generator calls it. A transfer has its id when its line is taken: it is known by the bank's reference. */
async function itemsOf({ bank, books }: PlayedBank): Promise<Map<Uuid, string>> {
  const rows = await bank.book.rows<{ id: Uuid; resource: string; resource_id: Uuid; direction: 'in' | 'out' }>(
    'SELECT id, resource, resource_id, direction FROM expected_items WHERE book_id = $1',
  );
  const transfers = new Map<Uuid, string>();
  for (const book of books)
    for (const { id, bank_reference: reference } of await book.rows<{ id: Uuid; bank_reference: string | null }>(
      'SELECT id, bank_reference FROM inbound_transfers WHERE book_id = $1',
    ))
      transfers.set(id, `of ${reference}`);
  return new Map(
    rows.map(({ id, resource, resource_id: resourceId, direction }) => [
      id,
      transfers.get(resourceId) ?? itemKey(resource, resourceId, direction),
    ]),
  );
}

/** What is wrong with the matches, in words. */
async function wrongMatches(played: PlayedBank): Promise<string[]> {
  const lines = await linesOf(played);
  const items = await itemsOf(played);
  const wrong: string[] = [];
  const given = new Set<Uuid>();
  const counts = new Map<string, number>();
  for (const match of (await matchesOf(played.bank)).filter(({ status }) => status === 'confirmed')) {
    counts.set(match.rule, (counts.get(match.rule) ?? 0) + 1);
    const drawn = match.lines.map(({ id }) => lines.get(id)!.drawn);
    for (const { id } of match.lines) {
      if (given.has(id)) wrong.push(`Line ${id} is in two matches.`);
      given.add(id);
    }
    const able = new Set(drawn.flatMap((line) => [...line.items, ...(played.alike.get(line.alike ?? '') ?? [])]));
    const strange = match.items.filter(({ id }) => !able.has(items.get(id)!));
    const isPair = match.items.length === 0 && drawn.length === 2;
    const isCharge = match.items.length === 0 && drawn.length === 1;
    const isRight = isPair
      ? drawn[0]!.pair !== undefined && drawn[0]!.pair === drawn[1]!.pair
      : isCharge
        ? drawn[0]!.noise === 'charge'
        : strange.length === 0;
    if (isRight) continue;
    const said = drawn.map(({ noise, entry }) => `${noise} ${JSON.stringify(entry)}`).join(' and ');
    wrong.push(`${match.rule}: ${said} ↔ ${match.items.map(({ id, amount }) => `${amount} ${items.get(id)}`).join()}`);
  }
  tally.add(counts);
  for (const [id, { kept, drawn }] of lines) {
    if (kept.entry_id === null || kept.status === 'pending') wrong.push(`Line ${id} is not posted.`);
    if (drawn.noise === 'plain' && kept.status !== 'matched')
      wrong.push(`Not matched: ${drawn.noise} ${JSON.stringify(drawn.entry)}`);
  }
  return wrong;
}

async function check(world: World): Promise<void> {
  const database = await createTestDatabase();
  try {
    const played = await PlayedBank.open(database, world);
    try {
      await played.play();
      const { bank } = played;
      const stated = played.lines.reduce((sum, { entry }) => sum + BigInt(entry.amount), 0n);
      expect((await bank.balances()).bank ?? 0n).toBe(stated);
      const { ok, rows } = await bankReconciliation(bank.pool, bank.book.id);
      expect(ok || rows).toBe(true);
      expect(await wrongMatches(played)).toEqual([]);
      const before = await bank.digest();
      for (const file of played.files) await played.take(file);
      expect(await bank.digest()).toBe(before);
      for (const { id, pool } of [bank.book, ...played.books]) expect(await findingsOf({ id, pool })).toEqual([]);
    } finally {
      await played.close();
    }
  } finally {
    await database.drop();
  }
}

test(
  'the books equal the bank whatever it says, and no rule confirms a wrong match',
  async () => {
    process.stderr.write(`random banks: MODEL_STEPS=${OPTIONS.steps} MODEL_SEED=${OPTIONS.seed}\n`);
    await fc.assert(fc.asyncProperty(worlds, check), {
      numRuns: OPTIONS.steps,
      seed: OPTIONS.seed,
      endOnFailure: true,
    });
    process.stderr.write(`random banks: ${tally}\n`);
  },
  RUN_LIMIT_MS,
);
