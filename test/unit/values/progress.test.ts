/** Loops that are driven by their own result, and the proof that each round gets further. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { elsewhere, further, NoProgress } from '../../../src/values/progress.ts';
import { readAhead } from '../../../src/verify/read-ahead.ts';

const ROOT = join(import.meta.dirname, '../../..');

test.each`
  before       | now    | ends
  ${undefined} | ${0n}  | ${false}
  ${1n}        | ${2n}  | ${false}
  ${2n}        | ${2n}  | ${true}
  ${2n}        | ${1n}  | ${true}
  ${'a'}       | ${'b'} | ${false}
  ${'b'}       | ${'b'} | ${true}
`('from $before to $now is no progress: $ends', ({ before, now, ends }) => {
  const step = () => further('a loop', before, now);
  if (ends) expect(step).toThrow(NoProgress);
  else expect(step()).toBe(now);
});

test('a place without an order is another one than before', () => {
  expect(elsewhere('pages', { id: 1n }, { id: 2n })).toEqual({ id: 2n });
  expect(() => elsewhere('pages', { id: 1n, hash: Buffer.of(1) }, { id: 1n, hash: Buffer.of(1) })).toThrow(NoProgress);
});

test('a list whose pages do not get further is not read for ever', async () => {
  const read = async () => {
    let pages = 0;
    for await (const page of readAhead(() => Promise.resolve([{ id: 1 }, { id: 2 }]))) pages += page.length > 0 ? 1 : 0;
    return pages;
  };
  await expect(read()).rejects.toThrow(NoProgress);
});

/**
 * Loops that wait for something and go on by what came of it. Each proves its progress with src/values/progress.ts, or says here what ends it.
 * A new one belongs to the first kind.
 */
const ENDED_OTHERWISE: Readonly<Record<string, string>> = {
  'scripts/close.ts': 'A deadline.',
  'scripts/bank/bank.ts': 'A service: it works until it is told to end.',
  'src/payouts/batches/pay-batches.ts': 'A round that made no payout since the last one postpones the batch.',
  'src/payouts/batches/upload-errors.ts': 'Takes its faults out of what waits; pieces are counted up.',
  'src/reports/figures/account-activity.ts': 'Counts up to a number.',
  'src/reports/figures/general-ledger.ts': 'Counts up to a number: each part has a line, or ends its account.',
  'src/api/waiting.ts': 'Each wait has a deadline.',
  'src/fairness/books-batch.ts': 'A batch takes its rows out of what waits, and settles each.',
  'src/db/contract.ts': 'A deadline.',
  'src/embedded/postgres-server.ts': 'A deadline.',
  'src/embedded/process-identity.ts': 'A deadline.',
  'src/http/limits/rate-limiter.ts':
    'A lease has the points that its waiters want, or says that the window has no more.',
  'src/idempotency/following.ts': 'A deadline.',
  'src/ledger/commit/committer.ts': 'The queues take no more commands, and each command has a deadline.',
  'src/fairness/natural-batch.ts': 'A batch takes its items out of what waits.',
  'src/organisations/api-key-lookups.ts': 'A statement takes its lookups out of what waits.',
  'src/operations/waiting.ts': 'A lookup takes its rows out of the list, or ends.',
  'src/intake/spooled-file.ts': 'Reads behind what it has read; a file that ends too early throws.',
  'src/outside/notices/notice-store.ts': 'A statement gives rows a book, and looks for those without.',
  'src/outside/notices/take-notices.ts':
    'Counts the notices of its rounds up to a number; a round without any ends it.',
  'src/payouts/notices/simulate-payout.ts': 'A deadline.',
  'src/payouts/pauses/change-pause.ts': 'A statement takes its payouts out of what is kept back.',
  'src/proofs/grow-trees.ts': 'Each row is the next number, or the number is missing.',
  'src/queue/enqueuer.ts': 'A flush takes all rows out of the buffer.',
  'src/queue/for-each-row.ts': 'Counts up to a number.',
  'src/queue/pool.ts': 'A deadline.',
  'src/verify/verify-since.ts': 'A binary search halves its range.',
  'src/webhooks/drains/drain-backlog.ts': 'A page is read behind the last one, waits for attempts, or ends the drain.',
  'src/webhooks/drains/drain-in-order.ts':
    'A page is read behind the last one, or ends the drain; the pace lets go in time.',
};

describe('every loop that waits for its own result proves its progress', () => {
  const files = ['src', 'workers', 'scripts']
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
    )
    // Programs of clients are what an integrator would write; a person runs them.
    .filter(
      (path) => path.endsWith('.ts') && !/^scripts\/(bench|faults|harness|gateway|clients\/programs)\//.test(path),
    );
  const looping = files.filter((path) => waitsInLoop(readFileSync(join(ROOT, path), 'utf8')));
  const proving = (path: string) =>
    /from '[./]+((src\/)?values\/)?progress\.ts'/.test(readFileSync(join(ROOT, path), 'utf8'));

  test('by an assertion, or by what is said here', () => {
    expect(looping.length).toBeGreaterThan(20);
    expect(looping.filter((path) => !proving(path) && !(path in ENDED_OTHERWISE))).toEqual([]);
  });

  test('and nothing is said here of what has no such loop', () => {
    expect(Object.keys(ENDED_OTHERWISE).filter((path) => !looping.includes(path) || proving(path))).toEqual([]);
  });
});

/** Whether a loop without a step of its own (`while`, `do`, `for (…; …;)`) awaits something. */
function waitsInLoop(source: string): boolean {
  const loops = source.matchAll(/^( *)(?:while \(|do \{|for \((?:let [^;\n]*)?;[^;\n]*; ?\))/gm);
  return [...loops].some(({ index, 1: indent }) => {
    const rest = source.slice(index);
    const end = rest.search(new RegExp(`\\n${indent}\\}`));
    const line = rest.slice(0, rest.indexOf('\n'));
    const body =
      line.endsWith('{') && end > 0 ? rest.slice(0, end + indent!.length + 40) : rest.slice(0, rest.indexOf(';\n') + 1);
    return /\bawait\b/.test(body);
  });
}
