import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { NotFound } from '../../../src/outside/party/party.ts';
import { type Instruction, RailUnreachable } from '../../../src/rails/rail.ts';
import { createRails, type Rails } from '../../../src/rails/rails.ts';
import { newId } from '../../../src/values/ids.ts';
import { toJson } from '../../../src/values/json.ts';
import { toAlias } from '../../support/instructions.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const log = pino({ level: 'silent' });
const MINUTE = 60_000;

describe('the sandbox rail', () => {
  let database: TestDatabase;
  let superuser: pg.Client;
  let rails: Rails;
  let rail: Rails['sandbox'];
  let originator: string;

  const instruction = (facts: Partial<Instruction> = {}): Instruction => ({
    originator,
    endToEndId: newId(),
    ...toAlias('ALICE'),
    amount: 900n,
    currency: 'JOD',
    notAfter: Date.now() + MINUTE,
    ...facts,
  });
  const records = async () =>
    (await superuser.query('SELECT * FROM sandbox_rail.instructions WHERE originator = $1', [originator])).rows;
  const ours = async () => (await rail.notices(1_000)).filter((notice) => notice.originator === originator);

  beforeAll(async () => {
    database = await createTestDatabase();
    superuser = new pg.Client({ connectionString: database.superuserUrl });
    await superuser.connect();
    rails = createRails({ DATABASE_URL: database.applicationUrl }, log);
    rail = rails.sandbox;
  });
  beforeEach(() => {
    originator = newId();
  });
  afterAll(async () => {
    await rails.close();
    await superuser.end();
    await database.drop();
  });

  test('pays, and an inquiry gives the same answer', async () => {
    const sent = instruction();
    const answer = await rail.submit(sent);
    expect(answer).toMatchObject({
      status: 'paid',
      endToEndId: sent.endToEndId,
      raw: { original_end_to_end_id: sent.endToEndId, transaction_status: 'ACSC' },
    });
    expect(await rail.inquire(originator, sent.endToEndId)).toEqual(answer);
  });

  test.each`
    alias         | status        | code
    ${'PENDING'}  | ${'pending'}  | ${undefined}
    ${'NOALIAS'}  | ${'rejected'} | ${'BE23'}
    ${'CLOSED'}   | ${'rejected'} | ${'AC04'}
    ${'BLOCKED'}  | ${'rejected'} | ${'AC06'}
    ${'LIMIT'}    | ${'rejected'} | ${'AM02'}
    ${'MISMATCH'} | ${'rejected'} | ${'BE01'}
    ${'BANKDOWN'} | ${'rejected'} | ${'AB08'}
  `('$alias is $status $code', async ({ alias, status, code }) => {
    const answer = await rail.submit(instruction(toAlias(alias)));
    expect([answer.status, answer.code]).toEqual([status, code]);
  });

  test.each`
    alias            | status
    ${'TIMEOUT'}     | ${'paid'}
    ${'TIMEOUTFAIL'} | ${'rejected'}
  `('$alias breaks off on every attempt, and an inquiry answers $status', async ({ alias, status }) => {
    const sent = instruction(toAlias(alias));
    await expect(rail.submit(sent)).rejects.toThrow(RailUnreachable);
    await expect(rail.submit(sent)).rejects.toThrow(RailUnreachable);
    expect(await rail.inquire(originator, sent.endToEndId)).toMatchObject({ status });
  });

  test('an unknown id is not_found', async () => {
    expect(await rail.inquire(originator, 'unheard-of')).toMatchObject({
      status: 'not_found',
      endToEndId: 'unheard-of',
    });
  });

  test("not_found carries the time of the rail's clock, not of the caller's", async () => {
    const [hour, began] = [3_600_000, Date.now()];
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => began + hour);
    try {
      const answer = await rail.inquire(originator, 'unheard-of');
      expect(answer).toMatchObject({ status: 'not_found' });
      expect((answer as NotFound).asOf! - began).toBeLessThan(hour / 2);
    } finally {
      clock.mockRestore();
    }
  });

  test('one id is one instruction, however often and from whichever process it is submitted', async () => {
    const sent = instruction();
    const other = createRails({ DATABASE_URL: database.applicationUrl }, log);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => (index % 2 ? rail : other.sandbox).submit(sent)),
    );
    await other.close();
    expect(new Set(answers.map((answer) => toJson(answer))).size).toBe(1);
    expect(await records()).toMatchObject([{ submissions: 100, status: 'paid' }]);
  });

  test('two processes that submit the same ids in opposite orders do not block each other', async () => {
    const other = createRails({ DATABASE_URL: database.applicationUrl }, log);
    const sent = Array.from({ length: 300 }, () => instruction());
    for (let round = 0; round < 5; round++) {
      await Promise.all([
        ...sent.map((one) => rail.submit(one)),
        ...sent.toReversed().map((one) => other.sandbox.submit(one)),
      ]);
    }
    await other.close();
    expect((await records()).every((record) => record.submissions === 10)).toBe(true);
  });

  test('the same id of another book is another instruction', async () => {
    const sent = instruction();
    await rail.submit(sent);
    expect(await rail.inquire(newId(), sent.endToEndId)).toMatchObject({ status: 'not_found' });
  });

  test('an instruction past its time is rejected for good; a known id is answered at any time', async () => {
    const late = instruction({ notAfter: Date.now() });
    expect(await rail.submit(late)).toMatchObject({ status: 'rejected', code: 'TM01' });
    expect(await rail.inquire(originator, late.endToEndId)).toMatchObject({ status: 'rejected', code: 'TM01' });
    const known = instruction();
    await rail.submit(known);
    expect(await rail.submit({ ...known, notAfter: 0 })).toMatchObject({ status: 'paid' });
  });

  test('a process paused before the call and resumed too late pays nothing', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let now = Date.now();
    const paused = createRails({ DATABASE_URL: database.applicationUrl }, log, {
      clock: { now: () => now },
      beforeSubmit: () => held,
    });
    const sent = instruction();
    const answer = paused.sandbox.submit(sent);
    expect(await rail.inquire(originator, sent.endToEndId)).toMatchObject({ status: 'not_found' });
    now += 10 * MINUTE;
    release();
    expect(await answer).toMatchObject({ status: 'rejected', code: 'TM01' });
    await paused.close();
  });

  test.each`
    alias           | amount  | returned
    ${'RETURN'}     | ${900n} | ${900n}
    ${'RETURNHALF'} | ${901n} | ${450n}
    ${'RETURNHALF'} | ${1n}   | ${1n}
  `('$alias pays $amount and reports once that $returned came back', async ({ alias, amount, returned }) => {
    const sent = instruction({ ...toAlias(alias), amount });
    expect(await rail.submit(sent)).toMatchObject({ status: 'paid' });
    await rail.submit(sent);
    expect(await ours()).toMatchObject([{ kind: 'returned', endToEndId: sent.endToEndId, amount: returned }]);
  });

  test('a notice is reported until it is acknowledged', async () => {
    await rail.submit(instruction(toAlias('RETURN')));
    const [notice] = await ours();
    expect(await ours()).toEqual([notice]);
    await rail.acknowledge([notice!.id]);
    expect(await ours()).toEqual([]);
  });

  test('a pending instruction stays pending until it is completed, and the rail reports that', async () => {
    const sent = instruction(toAlias('PENDING'));
    await rail.submit(sent);
    expect(await rail.submit(sent)).toMatchObject({ status: 'pending' });
    const notice = await rail.complete(originator, sent.endToEndId);
    expect(notice).toMatchObject({ kind: 'paid', endToEndId: sent.endToEndId, amount: null });
    expect(await ours()).toEqual([notice]);
    expect(await rail.submit(sent)).toMatchObject({ status: 'paid' });
  });

  test('a failure is given as a code of the rail or of the API', async () => {
    const [one, other] = [instruction(toAlias('PENDING')), instruction(toAlias('PENDING'))];
    await Promise.all([rail.submit(one), rail.submit(other)]);
    expect(await rail.fail(originator, one.endToEndId, newId(), 'AM14')).toMatchObject({
      kind: 'rejected',
      code: 'AM14',
    });
    expect(await rail.fail(originator, other.endToEndId, newId(), 'payee_account_closed')).toMatchObject({
      code: 'AC04',
    });
    expect(await rail.inquire(originator, other.endToEndId)).toMatchObject({ status: 'rejected', code: 'AC04' });
  });

  test('returns never exceed the paid amount, and an unpaid instruction has none', async () => {
    const sent = instruction();
    await rail.submit(sent);
    const back = (amount: bigint) => rail.return(originator, sent.endToEndId, newId(), amount);
    expect(await back(600n)).toMatchObject({ kind: 'returned', amount: 600n });
    expect(await back(301n)).toBeUndefined();
    expect(await back(300n)).toMatchObject({ amount: 300n });
    const pending = instruction(toAlias('PENDING'));
    await rail.submit(pending);
    expect(await rail.return(originator, pending.endToEndId, newId(), 1n)).toBeUndefined();
  });

  test('a return under one notice id, at once or later, happens once', async () => {
    const sent = instruction();
    await rail.submit(sent);
    const id = newId();
    const told = await Promise.all([1, 2, 3, 4].map(() => rail.return(originator, sent.endToEndId, id, 400n)));
    told.push(await rail.return(originator, sent.endToEndId, id, 400n));
    expect(new Set(told.map((notice) => `${notice?.id} ${notice?.amount}`))).toEqual(new Set([`${id} 400`]));
    expect(await records()).toMatchObject([{ amount_returned: '400' }]);
    expect(await ours()).toHaveLength(1);
  });

  test('simulations of an unknown instruction do nothing', async () => {
    expect(await rail.complete(originator, 'unheard-of')).toBeUndefined();
    expect(await rail.fail(originator, 'unheard-of')).toBeUndefined();
    expect(await rail.return(originator, 'unheard-of', newId(), 1n)).toBeUndefined();
    expect(await ours()).toEqual([]);
  });

  test('without its database no call is answered, and calls work again afterwards', async () => {
    const closed = createRails({ DATABASE_URL: 'postgres://nobody:x@127.0.0.1:1/none' }, log);
    await expect(closed.sandbox.submit(instruction())).rejects.toThrow(RailUnreachable);
    await expect(closed.sandbox.inquire(originator, 'x')).rejects.toThrow(RailUnreachable);
    await closed.close();
    await superuser.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'countinghouse-sandbox-rail %'`,
    );
    const sent = instruction();
    await expect.poll(() => rail.submit(sent).catch(() => undefined)).toMatchObject({ status: 'paid' });
  });

  test('stores nothing that names a person', async () => {
    await rail.submit(instruction(toAlias('ALICE-IN-PERSON')));
    expect(JSON.stringify(await records())).not.toContain('ALICE');
  });
});

test('the rails of a process are found by name, and a transfer within the book has none', async () => {
  const rails = createRails({ DATABASE_URL: 'postgres://nobody:x@127.0.0.1:1/none' }, log);
  expect(rails.get('sandbox')).toBe(rails.sandbox);
  expect(() => rails.get('book')).toThrow('There is no rail named book');
  await rails.close();
});
