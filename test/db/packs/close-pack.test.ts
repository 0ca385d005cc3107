/** Close packs: what is written of closed days is found whole without a database, and whatever is done to it is found. */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { packPeriod } from '../../../scripts/close-pack.ts';
import { program as verifyCommand } from '../../../scripts/verify.ts';
import { addDays } from '../../../src/calendar/day.ts';
import { postEntry } from '../../../src/journal/entries/post-entries.ts';
import { closeBooks } from '../../../src/journal/periods/close-books.ts';
import { endCloses } from '../../../src/journal/periods/end-close.ts';
import { findPending, findVerified } from '../../../src/journal/periods/period-store.ts';
import { loadBook } from '../../../src/ledger/book/book-store.ts';
import { judgePack } from '../../../src/packs/judge-pack.ts';
import { type Manifest, PACK_FILES } from '../../../src/packs/pack.ts';
import { readPack } from '../../../src/packs/pack-folder.ts';
import { signingKeyFrom } from '../../../src/proofs/signing-key.ts';
import { newId, publicId, type Uuid } from '../../../src/values/ids.ts';
import { checkpointIn, newSigningSeed } from '../../support/checkpoints.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { type RandomJournal, randomJournal } from '../../support/random-journal.ts';
import { runHere } from '../../support/run-here.ts';

const seed = newSigningSeed();
const key = signingKeyFrom(seed);
let database: TestDatabase;
let journal: RandomJournal;
let folder: string;
let first: string;
let second: string;
let middle: string;

beforeAll(async () => {
  database = await createTestDatabase();
  vi.stubEnv('DATABASE_URL', database.applicationUrl);
  journal = await randomJournal(database.applicationUrl);
  folder = mkdtempSync(join(tmpdir(), 'packs-'));
  middle = addDays(journal.first, 7);
  first = await pack('first', await close(middle));
  await post(20);
  second = await pack('second', await close(addDays(journal.last, -1)), first);
  // Behind the checkpoint of the pack: it says nothing of them.
  await post(3);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await journal?.book.close();
  await database?.drop();
  if (folder) rmSync(folder, { recursive: true });
});

/** Closed as by a person and a worker; that what is in it verifies is test/e2e/periods.test.ts. */
async function close(through: string): Promise<string> {
  const { book } = journal;
  const [pending, verified] = [await findPending(book.pool, book.id), await findVerified(book.pool, book.id)];
  const { closedThrough } = (await loadBook(book.pool, book.id))!;
  const by = { requestId: newId(), actor: 'test' };
  const answer = await book.submit(
    closeBooks({ through, reason: null, ...by, before: { closedThrough, pending, verified } }),
  );
  const id = (answer as { resourceId: Uuid }).resourceId;
  await endCloses(
    {
      pool: book.pool,
      committer: book.committer,
      leftOpen: [],
      rowFailed: (_, __, error) => Promise.reject(error as Error),
      verify: () => Promise.resolve(),
    },
    book.id,
    [id],
  );
  return publicId('period', id);
}

/** Between customers, on days that are open, the newest in turn with older ones. */
async function post(count: number): Promise<void> {
  const { book, last } = journal;
  const { rows } = await book.pool.query<{ id: Uuid }>(
    "SELECT id FROM accounts WHERE book_id = $1 AND code = 'customer' AND currency = 'JOD' ORDER BY id",
    [book.id],
  );
  const { closedThrough } = (await loadBook(book.pool, book.id))!;
  for (let at = 0; at < count; at++) {
    const posting = {
      debit: rows[at % 2]!.id,
      credit: rows[2 + (at % 2)]!.id,
      amount: BigInt(1 + at),
      currency: 'JOD',
    };
    const effectiveOn = at % 3 === 0 ? last : addDays(closedThrough!, 1);
    const entry = {
      postings: [posting],
      effectiveOn,
      description: `Later ${at}`,
      externalId: null,
      metadata: {},
      expect: [],
    };
    expect(await book.submit(postEntry({ bookId: book.id, requestId: newId(), actor: 'test' }, entry))).toMatchObject({
      status: 201,
    });
  }
}

async function pack(name: string, period: string, previousPack?: string): Promise<string> {
  await checkpointIn(database, journal.book.id, key);
  const to = join(folder, name);
  await packPeriod({ book: journal.book.id, period, folder: to, previousPack });
  return to;
}

/** What does not hold. */
async function failing(of: string, previous?: string, keys = [key.keyId]): Promise<string[]> {
  const judgements = await judgePack(readPack(of), {
    keys,
    previous: previous === undefined ? undefined : readPack(previous),
  });
  return judgements.filter(({ isSound }) => !isSound).map(({ text }) => text);
}

test('what is written holds, by itself and with the pack before it', async () => {
  expect(await failing(first)).toEqual([]);
  expect(await failing(second)).toEqual([]);
  expect(await failing(second, first)).toEqual([]);
  const { manifest } = readPack(second);
  expect(manifest).toMatchObject({ from: addDays(middle, 1), previous: { through: middle } });
  expect(readPack(first).manifest).toMatchObject({ from: journal.first, previous: null });
  // The scene has what takes effect behind the days, in both packs, and days whose entries the pack before has.
  expect(readFileSync(join(first, PACK_FILES.later), 'utf8').split('\r\n').length).toBeGreaterThan(3);
  expect(manifest.through_sequence - readPack(first).manifest.through_sequence).toBe(20);
});

test('both digests are told: of the period, and of the report', () => {
  const { trial_balance: digests } = readPack(second).manifest;
  const period = JSON.parse(readFileSync(join(second, PACK_FILES.period), 'utf8')) as Record<string, unknown>;
  expect(period.trial_balance_digest).toBe(digests.period_digest);
  expect(digests.report_digest).not.toBe(digests.period_digest);
});

test('the same period gives the same bytes; where it is written already nothing is done', async () => {
  const { period } = readPack(second).manifest;
  const again = await pack('again', period, first);
  for (const name of readdirSync(second))
    expect(readFileSync(join(again, name)).equals(readFileSync(join(second, name))), name).toBe(true);
  expect(await pack('again', period, first)).toBe(again);
});

test('a first pack of all days holds like two that follow each other', async () => {
  const whole = await pack('whole', readPack(second).manifest.period);
  expect(await failing(whole)).toEqual([]);
  const table = (of: string) => readFileSync(join(of, PACK_FILES.accounts), 'utf8');
  expect(table(whole)).toBe(table(second));
});

/** A copy that somebody has changed. With `named`, so is the manifest: digests of files alone do not tell. */
function planted(change: (rows: string[]) => void, file: string, { named = true, of = second } = {}): string {
  const copy = mkdtempSync(join(folder, 'planted-'));
  cpSync(of, copy, { recursive: true });
  const path = join(copy, file);
  const end = file.endsWith('.csv') ? '\r\n' : '\n';
  const rows = readFileSync(path, 'utf8').split(end);
  change(rows);
  writeFileSync(path, rows.join(end));
  if (named) rename(copy, file);
  return copy;
}

function rename(
  copy: string,
  file: string,
  change: (manifest: Record<string, unknown>) => void = () => undefined,
): void {
  const path = join(copy, 'manifest.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
  const bytes = readFileSync(join(copy, file));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const files = manifest.files.map((one) => (one.name === file ? { name: file, bytes: bytes.length, sha256 } : one));
  const changed = { ...manifest, files };
  change(changed);
  writeFileSync(path, JSON.stringify(changed));
}

const swap = (rows: string[]) => rows.splice(2, 2, rows[3]!, rows[2]!);
const double = (rows: string[]) => rows.splice(3, 0, rows[2]!);
const drop = (rows: string[]) => rows.splice(2, 1);
const raise = (rows: string[]) => {
  rows[2] = rows[2]!.replace(/(\d)([^\d]*)$/, (_, digit: string, rest: string) => `${(Number(digit) + 1) % 10}${rest}`);
};

describe.each([
  ['moved', swap],
  ['added', double],
  ['dropped', drop],
  ['altered', raise],
])('a row that is %s is found, also where the manifest is changed with it:', (_, change) => {
  test.each([PACK_FILES.entries, PACK_FILES.accounts, PACK_FILES.trialBalance, PACK_FILES.activity])(
    'in %s',
    async (file) => {
      const alone = await failing(planted(change, file, { named: false }));
      expect(alone).toContainEqual(expect.stringContaining(`${file} has`));
      const both = await failing(planted(change, file));
      expect(both).toContainEqual(expect.stringMatching(`^${file}, (line|row) `));
    },
  );
});

test('an amount that is altered in an entry breaks the chain at the next one', async () => {
  const copy = planted((rows) => {
    rows[4] = rows[4]!.replace(/"amount":"(\d+)"/, '"amount":"$19"');
  }, PACK_FILES.entries);
  expect(await failing(copy)).toContainEqual(expect.stringMatching(/^entries.jsonl, line (5|6): Entry/));
});

test('rows that are cut off at the end are found, also with another end in the manifest', async () => {
  const copy = planted((rows) => rows.splice(-3, 2), PACK_FILES.entries);
  expect(await failing(copy)).toContainEqual(expect.stringContaining('rows are missing at its end'));
  const rows = readFileSync(join(copy, PACK_FILES.entries), 'utf8').trimEnd().split('\n');
  const chain_hash = createHash('sha256').update(rows.at(-1)!).digest('hex');
  rename(copy, PACK_FILES.entries, (manifest) => {
    manifest.chain_hash = chain_hash;
    manifest.through_sequence = (manifest.through_sequence as number) - 2;
  });
  expect(await failing(copy)).toContainEqual(expect.stringContaining('has no proof of entry'));
});

test('what later entries move, and what the pack opens with, is held against the entries and the pack before', async () => {
  expect(await failing(planted(raise, PACK_FILES.later, { of: first }))).toContainEqual(
    expect.stringContaining(`${PACK_FILES.later}, row`),
  );
  // Of a day of the pack: what takes effect behind its days is in none of its figures.
  const opening = planted((rows) => {
    const of = rows.findIndex((row) => {
      const [, on = '', debits, credits] = row.split(',');
      return on > middle && on < journal.last && debits !== credits;
    });
    expect(rows.splice(of, 1)).toHaveLength(1);
  }, 'opening_later.csv');
  expect(await failing(opening)).toContainEqual(expect.stringContaining('The pack opens with other balances'));
  expect(await failing(opening, first)).toContainEqual(expect.stringContaining('not what the pack before closed with'));
  expect(await failing(first, second)).not.toEqual([]);
});

test('a file that is missing, one that is too many, and an account of another name are found', async () => {
  const short = planted(() => undefined, PACK_FILES.exceptions);
  rmSync(join(short, PACK_FILES.exceptions));
  expect(await failing(short)).toContainEqual(expect.stringContaining(`${PACK_FILES.exceptions} is missing`));
  const more = planted(() => undefined, PACK_FILES.exceptions);
  writeFileSync(join(more, 'more.txt'), '');
  expect(await failing(more)).toContainEqual('more.txt is not in manifest.json.');
  const renamed = planted((rows) => {
    const at = rows.findIndex((row) => row.includes(',customer,customer,liability,'));
    rows[at] = rows[at]!.replace(',customer,customer,', ',payouts_in_transit,payouts_in_transit,');
  }, PACK_FILES.accounts);
  expect(await failing(renamed)).toContainEqual(expect.stringContaining('which it is not'));
});

test('a checkpoint of another key is found', async () => {
  expect(await failing(second, first, [`ed25519:${'0'.repeat(64)}`])).toContainEqual(
    expect.stringContaining('none of the keys that you trust'),
  );
});

describe('npm run verify -- --pack', () => {
  const verify = (...words: string[]) => runHere(verifyCommand, words, {});

  test('ends with 0 without findings, 1 with, 2 where there is no pack; no database is asked', async () => {
    const pinned = ['--public-key', key.keyId];
    const clean = await verify('--pack', second, '--previous-pack', first, ...pinned);
    expect([clean.code, clean.err]).toEqual([0, '']);
    expect(clean.out).toMatch(/Everything holds\.\n$/);
    const found = await verify('--pack', planted(drop, PACK_FILES.entries), ...pinned, '--json');
    expect([found.code, JSON.parse(found.out)]).toMatchObject([1, { ok: false }]);
    expect(await verify('--pack', join(folder, 'none'))).toMatchObject({
      code: 2,
      err: expect.stringContaining('manifest.json'),
    });
    const other = mkdtempSync(join(folder, 'other-'));
    writeFileSync(join(other, 'manifest.json'), '{"type":"else"}');
    expect(await verify('--pack', other)).toMatchObject({ code: 2, err: expect.stringContaining('`type`') });
  });
});

describe('a pack is refused', () => {
  const period = () => readPack(second).manifest.period;

  test('in a folder with something else, or with the pack of another period', async () => {
    const full = mkdtempSync(join(folder, 'full-'));
    writeFileSync(join(full, 'letter.txt'), 'x');
    await expect(pack('full', period())).resolves.toBeTruthy();
    await expect(packPeriod({ book: journal.book.id, period: period(), folder: full })).rejects.toThrow(/not empty/);
    await expect(pack('first', period())).rejects.toThrow(/has the pack of per_/);
  });

  test('behind a pack of the same days, of another book, or one that is none', async () => {
    await expect(pack('late', period(), second)).rejects.toThrow(/not before/);
    await expect(pack('none', period(), join(folder, 'nowhere'))).rejects.toThrow(/is no pack/);
    const strange = planted(() => undefined, PACK_FILES.exceptions, { of: first });
    rename(strange, PACK_FILES.exceptions, (manifest) => {
      manifest.book = publicId('book', newId());
    });
    await expect(pack('strange', period(), strange)).rejects.toThrow(/is a pack of book_/);
  });

  test('and what a run that was killed has left is no pack: the next run writes it anew', async () => {
    const to = join(folder, 'killed');
    mkdirSync(`${to}.part`);
    writeFileSync(join(`${to}.part`, 'entries.jsonl'), 'half a li');
    await pack('killed', period(), first);
    expect(await failing(to, first)).toEqual([]);
    expect(readdirSync(folder)).not.toContain('killed.part');
  });
});
