/**
 * Checks that everything ended right, from the outside: the clients' answers, and what every part says of the world outside
 * and of its own rows. The books must agree with them.
 */
import { GROUPS } from '../../../src/groups.ts';
import { verifyDatabase } from '../../../src/verify/verify-database.ts';
import { ACCOUNTS, type Intent } from './clients.ts';
import { accountOutcomes, countEntries } from './outcome-store.ts';
import type { ScheduleBook } from './part.ts';
import { SCHEDULE_PARTS } from './parts.ts';
import type { Schedule } from './schedule.ts';

/** Everything that is wrong, in words; empty when all is right. */
export async function faultsOf(schedule: Schedule): Promise<string[]> {
  const faults = schedule.bugs.map(
    (error) => `a bug: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  );
  for (const book of schedule.books) faults.push(...(await faultsOfBook(book)));
  return faults;
}

async function faultsOfBook(book: ScheduleBook): Promise<string[]> {
  const { pool, bookId, scheduler, clients } = book;
  for (const { wish, answers } of clients.intents) {
    scheduler.count(`${wish.do} ${answers[0]?.status}`);
    if (answers.length > 1) scheduler.count('asked again');
  }
  const faults = answerFaults(clients.intents);
  for (const part of SCHEDULE_PARTS) faults.push(...((await part.faultsOf?.(book)) ?? []));
  faults.push(...(await balanceFaults(book)));
  const { entries, last, twice } = await countEntries(pool, bookId);
  if (entries !== last || twice !== 0n) faults.push(`${entries} entries up to ${last}, ${twice} steps booked twice`);
  await verifyDatabase(pool, {
    groups: GROUPS,
    bookId,
    onFinding: (finding) => faults.push(`verify: ${JSON.stringify(finding, plain)}`),
  });
  return faults;
}

const plain = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

/** One key, one answer, to the byte. The refusal of a voided key names its own request, so only its status counts. */
function answerFaults(intents: readonly Intent[]): string[] {
  return intents.flatMap(({ key, wish, answers }) => {
    const kept = answers.filter(({ body }) => body !== '');
    const texts = new Set(
      kept.map(({ status, body }) => `${status} ${codeOf(body) === 'idempotency_key_voided' ? '' : body}`),
    );
    return texts.size > 1 ? [`${key} (${wish.do}) was answered differently: ${[...texts].join(' | ')}`] : [];
  });
}

function codeOf(body: string): string | undefined {
  return (JSON.parse(body) as { code?: string }).code;
}

/** Each balance computed again from the clients' answers and the outside world alone. */
async function balanceFaults(book: ScheduleBook): Promise<string[]> {
  const expected = new Map<string, bigint>(book.accounts.map((id, at) => [id, ACCOUNTS[at]!]));
  const expectedHeld = new Map<string, bigint>();
  const adding = (sums: Map<string, bigint>) => (account: string, amount: bigint) =>
    void sums.set(account, (sums.get(account) ?? 0n) + amount);
  const add = adding(expected);
  for (const amount of ACCOUNTS) add('pool', amount);
  for (const part of SCHEDULE_PARTS) {
    await part.balance?.(book, add);
    part.held?.(book, adding(expectedHeld));
  }
  const rows = await accountOutcomes(book.pool, book.bookId);
  return rows.flatMap((row) => {
    const key = row.code === 'customer' ? row.id : row.code;
    const [right, held] = [expected.get(key) ?? 0n, expectedHeld.get(key) ?? 0n];
    return row.posted === right && row.summed === right && row.held === held
      ? []
      : [
          `${row.code} ${row.id} has ${row.posted}, its lines ${row.summed}, held ${row.held}; it should have ${right}, held ${held}`,
        ];
  });
}
