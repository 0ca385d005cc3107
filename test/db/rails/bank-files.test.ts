import { readFileSync, symlinkSync } from 'node:fs';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../scripts/harness/until.ts';
import { createSecretBox } from '../../../src/db/secret-box.ts';
import { deletePause, insertPause } from '../../../src/payouts/pauses/pause-store.ts';
import { payeePlaceOf } from '../../../src/rails/iso20022/bank-file-store.ts';
import type { BankFinding } from '../../../src/rails/iso20022/bank-inbox-store.ts';
import type { Instruction } from '../../../src/rails/rail.ts';
import { newId } from '../../../src/values/ids.ts';
import { openRail, TestBank, toIban } from '../../support/bank.ts';
import { camt054, pain002 } from '../../support/bank-files.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const DAY_MS = 86_400_000;

let database: TestDatabase;
let superuser: pg.Client;
let bank: TestBank;
const banks: TestBank[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = new pg.Client({ connectionString: database.superuserUrl });
  await superuser.connect();
});

afterAll(async () => {
  await superuser?.end();
  await database?.drop();
});

beforeEach(() => {
  bank = newBank();
});

afterEach(async () => {
  for (const one of banks.splice(0)) await one.close();
});

function newBank(change: ConstructorParameters<typeof TestBank>[1] = {}): TestBank {
  const made = new TestBank(database, change);
  banks.push(made);
  return made;
}

/** 100.00, 200.00 and 300.00. */
async function submitThree(to = bank): Promise<Instruction[]> {
  const three = [10_000n, 20_000n, 30_000n].map((amount) => toIban(amount));
  for (const one of three) expect(await to.rail.submit(one)).toMatchObject({ status: 'pending' });
  return three;
}

/** The three in a file that the bank has taken. */
async function file(to = bank): Promise<{ three: Instruction[]; messageId: string }> {
  const three = await submitThree(to);
  await to.rail.work();
  const [name] = to.list('outbox');
  const messageId = /<MsgId>(.*?)<\/MsgId>/.exec(to.read('outbox', name!))![1]!;
  to.takeAll();
  return { three, messageId };
}

async function rowsOfFiles(of = bank) {
  const { rows } = await superuser.query(
    `SELECT name, status, encode(sha256, 'hex') AS sha256, payments FROM bank_files WHERE rail = $1 ORDER BY id`,
    [of.of.settings.name],
  );
  return rows as { name: string; status: string; sha256: string; payments: number }[];
}

async function tell(name: string, content: string, to = bank): Promise<void> {
  to.send(name, content);
  await to.rail.work();
}

const reported = async (to = bank) =>
  (await to.rail.notices(1_000)).map(({ kind, endToEndId, amount, code }) => ({ kind, endToEndId, amount, code }));

async function findings(of = bank): Promise<BankFinding[]> {
  const found: BankFinding[] = [];
  await of.rail.openFindings(async (finding) => found.push(finding));
  return found;
}

const sha256 = async (path: string) => (await import('node:crypto')).hash('sha256', readFileSync(path), 'hex');

describe('a file', () => {
  test('H1: three payments are one file, and each is in it once however often it is submitted', async () => {
    const three = await submitThree();
    for (const one of three) await bank.rail.submit(one);
    await bank.rail.work();
    await bank.rail.work();
    const [name, ...more] = bank.list('outbox');
    expect(more).toEqual([]);
    const content = bank.read('outbox', name!);
    for (const { endToEndId } of three) expect(content.split(endToEndId)).toHaveLength(2);
    expect(content).toContain('<CtrlSum>600.00</CtrlSum>');
    expect(bank.list('sent')).toEqual([name]);
    expect(bank.list('staging')).toEqual([]);
    expect(await rowsOfFiles()).toMatchObject([{ name, status: 'published', payments: 3 }]);
    expect(await bank.rail.inquire(three[1]!.originator, three[1]!.endToEndId)).toMatchObject({
      status: 'pending',
      raw: { sent_in: { file: name, line: 2 } },
    });
  });

  test('payments of one batch stand together, and singles too', async () => {
    const [first, second] = [newId(), newId()];
    const given = [null, first, second, null, first].map((batch, at) => toIban(BigInt(at + 1), { batch }));
    for (const one of given) await bank.rail.submit(one);
    await bank.rail.work();
    const [name] = bank.list('outbox');
    const groups = bank.read('outbox', name!).split('<PmtInf>').slice(1);
    const ids = groups.map((group) => [...group.matchAll(/<EndToEndId>(.*?)</g)].map(([, id]) => id));
    const at = (...places: number[]) => places.map((place) => given[place]!.endToEndId);
    expect(ids.sort((a, b) => b.length - a.length || (a[0]! < b[0]! ? -1 : 1))).toEqual(
      [at(0, 3), at(1, 4), at(2)].sort((a, b) => b.length - a.length || (a[0]! < b[0]! ? -1 : 1)),
    );
  });

  test('has the remittance, else the description where it fits whole', async () => {
    for (const [at, text] of [
      { remittance: 'Rechnung 17 für Müller', description: 'Not this' },
      { remittance: null, description: 'Order 18' },
      { remittance: null, description: 'ü'.repeat(71) },
      { remittance: null, description: null },
    ].entries())
      await bank.rail.submit(toIban(BigInt(at + 1), text));
    await bank.rail.work();
    const [name] = bank.list('outbox');
    const texts = [...bank.read('outbox', name!).matchAll(/<RmtInf><Ustrd>(.*?)<\/Ustrd>/g)].map(([, text]) => text);
    expect(texts).toEqual(['Rechnung 17 fuer Mueller', 'Order 18']);
    const illegible = { ...toIban(1n), remittance: 'سلمى' };
    expect(bank.rail.refuses(illegible)).toMatchObject({ param: '/remittance' });
  });

  test('has the purpose code of what has one, also of what was sealed without the member', async () => {
    await bank.rail.submit(toIban(1n, { purposeCode: 'SALA' }));
    await bank.rail.submit(toIban(2n, { remittance: 'None' }));
    const older = toIban(3n);
    await bank.rail.submit(older);
    const { rows } = await superuser.query(
      'SELECT book_id, payee_sealed FROM bank_instructions WHERE end_to_end_id = $1',
      [older.endToEndId],
    );
    const secretBox = createSecretBox(database.encryptionKey);
    const place = payeePlaceOf(rows[0].book_id, older.endToEndId);
    const { purposeCode, ...rest } = JSON.parse(secretBox.open(rows[0].payee_sealed, place));
    expect(purposeCode).toBeNull();
    await superuser.query('UPDATE bank_instructions SET payee_sealed = $2 WHERE end_to_end_id = $1', [
      older.endToEndId,
      secretBox.seal(JSON.stringify(rest), place),
    ]);
    await bank.rail.work();
    const [name] = bank.list('outbox');
    const written = bank.read('outbox', name!);
    expect([...written.matchAll(/<Purp>.*?<\/Purp>/g)].map(([purpose]) => purpose)).toEqual([
      '<Purp><Cd>SALA</Cd></Purp>',
    ]);
    expect(written).toContain(older.endToEndId);
  });

  test('is made at its count, before its age', async () => {
    const counted = newBank({
      file: { paymentsMax: 2, ageMaxMs: 3_600_000 },
      schedule: { ...bank.of.settings.schedule, cutOff: '00:00' },
    });
    await counted.rail.submit(toIban(1n));
    await counted.rail.work();
    expect(counted.list('outbox')).toEqual([]);
    await counted.rail.submit(toIban(2n));
    await counted.rail.submit(toIban(3n));
    await counted.rail.work();
    expect(await rowsOfFiles(counted)).toMatchObject([{ payments: 2 }]);
  });

  test('an id is of one book and of one amount, and nothing is recorded after its time', async () => {
    const one = toIban(100n);
    await bank.rail.submit(one);
    await expect(bank.rail.submit({ ...one, amount: 101n })).rejects.toThrow(/Another instruction/);
    await expect(bank.rail.submit({ ...one, originator: newId() })).rejects.toThrow(/Another instruction/);
    expect(await bank.rail.inquire(newId(), one.endToEndId)).toMatchObject({ status: 'not_found' });
    const late = toIban(100n, { notAfter: Date.now() - 1 });
    expect(await bank.rail.submit(late)).toMatchObject({ status: 'rejected', code: 'TM01' });
    expect(await bank.rail.inquire(late.originator, late.endToEndId)).toMatchObject({ status: 'not_found' });
  });

  test('the same id goes into no file of another rail', async () => {
    const other = newBank();
    const one = toIban(100n);
    await bank.rail.submit(one);
    await expect(other.rail.submit(one)).rejects.toThrow(/Another instruction/);
    await other.rail.work();
    expect(other.list('outbox')).toEqual([]);
  });

  test('what two processes make at once is in one file each time', async () => {
    const many = Array.from({ length: 20 }, (_, index) => toIban(BigInt(index + 1)));
    await Promise.all(many.map((one) => bank.rail.submit(one)));
    await Promise.all([bank.rail.work(), bank.rail.work(), bank.rail.work()]);
    const all = bank
      .list('outbox')
      .map((name) => bank.read('outbox', name))
      .join('');
    for (const { endToEndId } of many) expect(all.split(endToEndId)).toHaveLength(2);
    expect(bank.list('staging')).toEqual([]);
  });
});

describe('what an operator pauses is not filed, and is once it is resumed', () => {
  const by = { pausedBy: 'operator:ann', pausedAt: Date.now() };
  const filed = async () => {
    await bank.rail.work();
    return (await rowsOfFiles()).map(({ payments }) => payments);
  };
  async function aBook(): Promise<{ id: string; organisation_id: string }> {
    const { rows } = await superuser.query(`SELECT id, organisation_id FROM books WHERE mode = 'live' LIMIT 1`);
    return rows[0];
  }

  test.each(['book', 'organisation'] as const)('a %s: payments of others are', async (scope) => {
    const { id: originator, organisation_id: organisation } = await aBook();
    const pause = { scope, name: scope === 'book' ? originator : organisation };
    await insertPause(superuser, { ...pause, ...by });
    const kept = toIban(10_000n, { originator });
    const other = toIban(20_000n);
    for (const one of [kept, other]) await bank.rail.submit(one);
    expect(await filed()).toEqual([1]);
    const [name] = bank.list('outbox');
    expect(bank.read('outbox', name!)).toContain(other.endToEndId);
    expect(bank.read('outbox', name!)).not.toContain(kept.endToEndId);
    expect(await filed()).toEqual([1]);
    await deletePause(superuser, pause);
    expect(await filed()).toEqual([1, 1]);
  });

  test.each(['rail', 'all'] as const)('%s: nothing is', async (scope) => {
    const pause = { scope, name: scope === 'rail' ? bank.of.settings.name : '' };
    await insertPause(superuser, { ...pause, ...by });
    await submitThree();
    expect(await filed()).toEqual([]);
    await deletePause(superuser, pause);
    expect(await filed()).toEqual([3]);
  });

  test.each(['made', 'synced', 'staged', 'linked'])(
    'a file that was %s before the pause is not handed over, and is after it',
    async (point) => {
      const pause = { scope: 'all', name: '' } as const;
      const three = await submitThree();
      expect(await bank.workElsewhere(`bank.file.${point}=kill`).ended).toMatchObject({ signal: 'SIGKILL' });
      const [made] = await rowsOfFiles();
      await insertPause(superuser, { ...pause, ...by });
      await bank.rail.work();
      await bank.rail.work();
      expect(bank.list('outbox')).toEqual([]);
      expect(await rowsOfFiles()).toEqual([{ ...made, status: 'staged' }]);
      expect(await findings()).toEqual([]);
      await deletePause(superuser, pause);
      await bank.rail.work();
      expect(bank.list('outbox')).toEqual([made!.name]);
      expect(await rowsOfFiles()).toEqual([{ ...made, status: 'published' }]);
      expect(await sha256(bank.path('outbox', made!.name))).toBe(made!.sha256);
      for (const { endToEndId } of three) expect(bank.read('outbox', made!.name)).toContain(endToEndId);
    },
  );

  test.each(['made', 'staged'])('a bank is not silent about a file that was %s and kept back', async (point) => {
    const pause = { scope: 'all', name: '' } as const;
    const [one] = await submitThree();
    expect(await bank.workElsewhere(`bank.file.${point}=kill`).ended).toMatchObject({ signal: 'SIGKILL' });
    await insertPause(superuser, { ...pause, ...by });
    const daysLater = async (days: number, work: boolean) => {
      const { rail, pool } = openRail(bank.of, { now: () => Date.now() + days * DAY_MS });
      try {
        if (work) await rail.work();
        return await rail.inquire(one!.originator, one!.endToEndId);
      } finally {
        await pool.end();
      }
    };
    expect(await daysLater(20, true)).not.toHaveProperty('warning');
    await deletePause(superuser, pause);
    expect(await daysLater(20, true)).not.toHaveProperty('warning');
    expect(bank.list('outbox')).toHaveLength(1);
    // Two business days behind the execution, over weekends and holidays.
    expect(await daysLater(32, false)).toMatchObject({ warning: 'rail_silent' });
  });

  test('a process that was stopped before its rename hands nothing over during the pause', async () => {
    const pause = { scope: 'rail', name: bank.of.settings.name } as const;
    await submitThree();
    const stopped = bank.workElsewhere('bank.file.linked=stop');
    await until(
      async () => bank.list('sent').length,
      (files) => files === 1,
    );
    await insertPause(superuser, { ...pause, ...by });
    expect(await stopped.resume()).toMatchObject({ code: 0 });
    expect(bank.list('outbox')).toEqual([]);
    await deletePause(superuser, pause);
    expect(await filed()).toEqual([3]);
    expect(bank.list('outbox')).toHaveLength(1);
  });

  test('of a book: a file with a payment of it waits whole, and files of others pass it', async () => {
    const { id: originator } = await aBook();
    const pause = { scope: 'book', name: originator } as const;
    const [kept, beside, later] = [toIban(10_000n, { originator }), toIban(20_000n), toIban(30_000n)];
    for (const one of [kept, beside]) await bank.rail.submit(one);
    await bank.workElsewhere('bank.file.made=kill').ended;
    await insertPause(superuser, { ...pause, ...by });
    await bank.rail.submit(later);
    await bank.rail.work();
    const [name, ...others] = bank.list('outbox');
    expect(others).toEqual([]);
    expect(bank.read('outbox', name!)).toContain(later.endToEndId);
    expect((await rowsOfFiles()).map(({ status }) => status)).toEqual(['staged', 'published']);
    await deletePause(superuser, pause);
    await bank.rail.work();
    const all = bank.list('outbox').map((one) => bank.read('outbox', one));
    for (const { endToEndId } of [kept, beside, later]) expect(all.join('').split(endToEndId)).toHaveLength(2);
  });

  test('another rail: it is', async () => {
    const pause = { scope: 'rail', name: 'sandbox' } as const;
    await insertPause(superuser, { ...pause, ...by });
    await submitThree();
    expect(await filed()).toEqual([3]);
    await deletePause(superuser, pause);
  });
});

describe('killed', () => {
  test.each`
    row     | point                  | taken
    ${'H2'} | ${'bank.file.made'}    | ${false}
    ${'H3'} | ${'bank.file.synced'}  | ${false}
    ${'H4'} | ${'bank.file.staged'}  | ${false}
    ${'H4'} | ${'bank.file.linked'}  | ${false}
    ${'H4'} | ${'bank.file.renamed'} | ${true}
  `('$row: at $point: the same bytes are published once', async ({ point, taken }) => {
    const three = await submitThree();
    const { ended } = bank.workElsewhere(`${point}=kill`);
    expect(await ended).toMatchObject({ signal: 'SIGKILL' });
    const [made, ...others] = await rowsOfFiles();
    expect(others).toEqual([]);
    expect(made!.status).not.toBe('published');
    if (taken) bank.takeAll();
    await bank.rail.work();
    await bank.rail.work();
    expect(await rowsOfFiles()).toEqual([{ ...made, status: 'published' }]);
    expect(bank.list('outbox')).toEqual(taken ? [] : [made!.name]);
    expect(bank.list('sent')).toEqual([made!.name]);
    expect(bank.list('staging')).toEqual([]);
    expect(await sha256(bank.path('sent', made!.name))).toBe(made!.sha256);
    for (const { endToEndId } of three) expect(bank.read('sent', made!.name).split(endToEndId)).toHaveLength(2);
  });

  test('H5: a publisher that was stopped before its rename writes nothing once the bank has taken the file', async () => {
    await submitThree();
    const stopped = bank.workElsewhere('bank.file.linked=stop');
    await until(
      async () => bank.list('sent').length,
      (files) => files === 1,
    );
    await bank.rail.work();
    expect(await rowsOfFiles()).toMatchObject([{ status: 'published' }]);
    expect(bank.list('outbox')).toHaveLength(1);
    bank.takeAll();
    expect(await stopped.resume()).toMatchObject({ code: 0 });
    expect(bank.list('outbox')).toEqual([]);
    expect(bank.list('staging')).toEqual([]);
    expect(await rowsOfFiles()).toMatchObject([{ status: 'published' }]);
  });

  test('H6: staged, gone and not in sent/ pauses the rail, and nothing more is filed', async () => {
    await submitThree();
    await bank.workElsewhere('bank.file.staged=kill').ended;
    bank.remove('staging', bank.list('staging')[0]!);
    await bank.rail.work();
    await submitThree();
    await bank.rail.work();
    expect(bank.list('outbox')).toEqual([]);
    expect(await rowsOfFiles()).toHaveLength(1);
    expect(await findings()).toMatchObject([{ kind: 'file_missing' }]);
    expect(await findings()).toEqual([]);
  });

  test('after the lines of a file were taken: they are not taken again, and the file is moved', async () => {
    const { three } = await file();
    bank.send(
      'a.xml',
      camt054([{ amount: '100.00', bankReference: 'R1', transactions: [{ endToEndId: three[0]!.endToEndId }] }]),
    );
    expect(await bank.workElsewhere('bank.inbox.taken=kill').ended).toMatchObject({ signal: 'SIGKILL' });
    expect(bank.list('inbox')).toEqual(['a.xml']);
    await bank.rail.work();
    expect(bank.list('inbox')).toEqual([]);
    expect(bank.list('done')).toEqual(['a.xml']);
    expect(await reported()).toMatchObject([{ kind: 'paid' }]);
  });
});

describe('H7: a database restored to before the file', () => {
  /** As if no row of the rail had been kept. */
  const restore = () =>
    superuser.query(
      `DELETE FROM bank_notices WHERE rail = '${bank.of.settings.name}';
       DELETE FROM bank_instructions WHERE rail = '${bank.of.settings.name}';
       DELETE FROM bank_files WHERE rail = '${bank.of.settings.name}'`,
    );

  test('pauses by the name in sent/, and once adopted, the id is known as sent', async () => {
    const { three } = await file();
    await restore();
    // The client of the first repeats its request before a person adopts the file, that of the second after.
    await bank.rail.submit(three[0]!);
    await bank.rail.work();
    expect(bank.list('outbox')).toEqual([]);
    expect(await findings()).toMatchObject([{ kind: 'file_unknown' }]);
    expect(await bank.rail.adopt()).toMatchObject([{ payments: 3, repeated: [] }]);
    const debit = (one: Instruction) => ({
      amount: `${one.amount / 100n}.00`,
      transactions: [{ endToEndId: one.endToEndId }],
    });
    await tell('a.xml', camt054(three.map(debit)));
    expect(await reported()).toMatchObject([{ kind: 'paid', endToEndId: three[0]!.endToEndId }]);
    expect(await bank.rail.submit(three[1]!)).toMatchObject({ status: 'paid' });
    expect((await reported()).map(({ endToEndId }) => endToEndId)).toEqual(
      three.slice(0, 2).map(({ endToEndId }) => endToEndId),
    );
    await bank.rail.submit(toIban(1n));
    await bank.rail.work();
    expect(bank.list('outbox')).toHaveLength(1);
    for (const { endToEndId } of three) expect(bank.read('outbox', bank.list('outbox')[0]!)).not.toContain(endToEndId);
  });

  test('what is no file of ours in sent/ is not adopted', async () => {
    bank.write('sent', 'x.xml', '<a/>');
    await expect(bank.rail.adopt()).rejects.toThrow(/no pain.001/);
  });
});

describe('the inbox', () => {
  test('H8, H9: a group rejects all that has no word of its own', async () => {
    const { three, messageId } = await file();
    await tell(
      'part.xml',
      pain002({
        messageId,
        group: { status: 'PART' },
        payments: [
          {
            paymentInformationId: `${messageId}-1`,
            transactions: [{ endToEndId: three[1]!.endToEndId, status: 'RJCT', reason: 'AC04' }],
          },
        ],
      }),
    );
    expect(await reported()).toEqual([
      { kind: 'rejected', endToEndId: three[1]!.endToEndId, amount: null, code: 'AC04' },
    ]);
    const other = await file();
    await tell(
      'all.xml',
      pain002({
        messageId: other.messageId,
        group: { status: 'RJCT', reason: 'AM10' },
        payments: [
          {
            paymentInformationId: `${other.messageId}-1`,
            transactions: [{ endToEndId: other.three[0]!.endToEndId, status: 'ACSP' }],
          },
        ],
      }),
    );
    expect((await reported()).slice(1)).toEqual(
      other.three.slice(1).map(({ endToEndId }) => ({ kind: 'rejected', endToEndId, amount: null, code: 'AM10' })),
    );
    expect(await findings()).toMatchObject([{ kind: 'file_rejected' }]);
  });

  const ofOne = (messageId: string, endToEndId: string, status: string, reason?: string) =>
    pain002({
      id: 'S1',
      messageId,
      payments: [{ paymentInformationId: `${messageId}-1`, transactions: [{ endToEndId, status, reason }] }],
    });
  const ofAll = (messageId: string, level: string, status: string, reason?: string) =>
    pain002(
      level === 'group'
        ? { id: 'S2', messageId, group: { status, reason } }
        : { id: 'S2', messageId, payments: [{ paymentInformationId: `${messageId}-1`, status, reason }] },
    );

  test.each`
    level        | own       | reason       | whole     | why          | second        | others
    ${'group'}   | ${'RJCT'} | ${'AC04'}    | ${'ACSC'} | ${undefined} | ${'rejected'} | ${'paid'}
    ${'payment'} | ${'CANC'} | ${undefined} | ${'ACCC'} | ${undefined} | ${'rejected'} | ${'paid'}
    ${'group'}   | ${'ACSC'} | ${undefined} | ${'RJCT'} | ${'AM10'}    | ${'paid'}     | ${'rejected'}
    ${'payment'} | ${'ACCC'} | ${undefined} | ${'RJCT'} | ${'AM04'}    | ${'paid'}     | ${'rejected'}
    ${'group'}   | ${'ACSP'} | ${undefined} | ${'RJCT'} | ${'AM10'}    | ${'rejected'} | ${'rejected'}
  `(
    'a transaction has $own; a later file says $whole of its $level: $second, the others $others',
    async ({ level, own, reason, whole, why, second, others }) => {
      bank = newBank({ paidByStatus: true });
      const { three, messageId } = await file();
      await tell('own.xml', ofOne(messageId, three[1]!.endToEndId, own, reason));
      await tell('whole.xml', ofAll(messageId, level, whole, why));
      const told = await reported();
      const kinds = three.map((one) => told.filter((notice) => notice.endToEndId === one.endToEndId));
      expect(kinds.map((notices) => notices.map(({ kind }) => kind))).toEqual([[others], [second], [others]]);
    },
  );

  test.each`
    level        | first     | then      | finding
    ${'payment'} | ${'RJCT'} | ${'ACSC'} | ${'file_amount_mismatch'}
    ${'payment'} | ${'ACSC'} | ${'RJCT'} | ${'file_rejected'}
    ${'group'}   | ${'ACSC'} | ${'RJCT'} | ${'file_rejected'}
  `(
    'a bank that takes back a $first of a whole $level by $then is a finding, and changes nothing',
    async ({ level, first, then, finding }) => {
      bank = newBank({ paidByStatus: true });
      const { messageId } = await file();
      await tell('first.xml', ofAll(messageId, level, first));
      const before = await reported();
      expect(before).toHaveLength(3);
      await tell('then.xml', ofAll(messageId, level, then));
      expect(await reported()).toEqual(before);
      expect(await findings()).toMatchObject([
        { kind: finding, detail: expect.stringContaining('Nothing was booked.') },
      ]);
    },
  );

  test('H11: the same bytes, and the same statuses in another file, tell nothing more', async () => {
    const { three, messageId } = await file();
    const status = (space: string) =>
      pain002({
        messageId,
        payments: [
          {
            paymentInformationId: `${messageId}-1`,
            transactions: [{ endToEndId: three[0]!.endToEndId, status: 'RJCT', reason: 'AC01' }],
          },
        ],
      }) + space;
    await tell('a.xml', status(''));
    await tell('a.xml', status(''));
    await tell('b.xml', status('\n'));
    expect(await reported()).toHaveLength(1);
    expect(bank.list('done')).toHaveLength(3);
    expect(bank.list('inbox')).toEqual([]);
  });

  test('H13: a line of others between ours is foreign', async () => {
    const { three } = await file();
    await tell(
      'a.xml',
      camt054([
        { amount: '100.00', transactions: [{ endToEndId: three[0]!.endToEndId }] },
        { amount: '77.00', transactions: [{ endToEndId: 'OTHER' }] },
        { amount: '200.00', transactions: [{ instructionId: 'nobody', endToEndId: three[1]!.endToEndId }] },
      ]),
    );
    expect((await bank.rail.notices(10)).map(({ kind, originator }) => [kind, originator !== ''])).toEqual([
      ['paid', true],
      ['foreign', false],
      ['paid', true],
    ]);
  });

  test.each`
    row      | rejected | amount      | paid
    ${'H15'} | ${false} | ${'600.00'} | ${[0, 1, 2]}
    ${'H16'} | ${true}  | ${'400.00'} | ${[0, 2]}
    ${'H17'} | ${false} | ${'500.00'} | ${[]}
  `('$row: one debit of $amount for the PmtInf pays $paid', async ({ rejected, amount, paid }) => {
    const { three, messageId } = await file();
    if (rejected)
      await tell(
        's.xml',
        pain002({
          messageId,
          payments: [
            {
              paymentInformationId: `${messageId}-1`,
              transactions: [{ endToEndId: three[1]!.endToEndId, status: 'RJCT' }],
            },
          ],
        }),
      );
    const sum = { amount, bankReference: 'SUM', batch: { paymentInformationId: `${messageId}-1` } };
    await tell('c.xml', camt054([sum]));
    const ids = async () =>
      (await reported()).filter(({ kind }) => kind === 'paid').map(({ endToEndId }) => endToEndId);
    expect(await ids()).toEqual(paid.map((index: number) => three[index]!.endToEndId));
    expect((await findings()).map(({ kind }) => kind)).toEqual(paid.length === 0 ? ['file_amount_mismatch'] : []);
    // H18: reported again, in another file.
    await tell('d.xml', camt054([sum], { id: 'N2' }));
    expect(await ids()).toHaveLength(paid.length);
    expect(await findings()).toEqual([]);
  });

  test('H21: pending means nothing, booked pays, a duplicate informs', async () => {
    const { three } = await file();
    const entry = { amount: '100.00', bankReference: 'R1', transactions: [{ endToEndId: three[0]!.endToEndId }] };
    await tell('p.xml', camt054([{ ...entry, status: 'PDNG' }], { id: 'N1' }));
    expect(await reported()).toEqual([]);
    await tell('b.xml', camt054([entry], { id: 'N2' }));
    await tell('d.xml', camt054([entry], { id: 'N3', copy: 'DUPL' }));
    await tell('e.xml', camt054([entry], { id: 'N4' }));
    expect(await reported()).toMatchObject([{ kind: 'paid' }]);
    expect(await bank.rail.inquire(three[0]!.originator, three[0]!.endToEndId)).toMatchObject({
      status: 'paid',
      confirmed: { amount: 10_000n, currency: 'EUR' },
    });
  });

  test('H24: each credit is a return of its own', async () => {
    const { three } = await file();
    const credit = (amount: string, bankReference: string) => ({
      ...{ amount, bankReference, direction: 'CRDT' as const },
      transactions: [{ endToEndId: three[1]!.endToEndId, reason: 'AC04' }],
    });
    await tell('a.xml', camt054([credit('120.00', 'R1'), credit('100.00', 'R2'), credit('80.00', 'R3')]));
    expect((await reported()).map(({ kind, amount }) => [kind, amount])).toEqual([
      ['returned', 12_000n],
      ['returned', 10_000n],
      ['returned', 8_000n],
    ]);
  });

  test('H30: a rejection as duplicate rejects nothing here: the bank has the payment', async () => {
    const { three, messageId } = await file();
    await tell('d.xml', pain002({ messageId, group: { status: 'RJCT', reason: 'DU01' } }));
    expect((await reported()).map(({ kind, code }) => [kind, code])).toEqual(three.map(() => ['rejected', 'DU01']));
    expect(await bank.rail.inquire(three[0]!.originator, three[0]!.endToEndId)).toMatchObject({ status: 'pending' });
    expect(await findings()).toEqual([]);
  });

  test('H32: a file that is cut off is in quarantine, and the whole one under its name is taken', async () => {
    const { three } = await file();
    const whole = camt054(
      three.map((one) => ({ amount: `${one.amount / 100n}.00`, transactions: [{ endToEndId: one.endToEndId }] })),
    );
    await tell('a.xml', whole.slice(0, Math.floor(whole.length * 0.8)));
    expect(await reported()).toEqual([]);
    expect(bank.list('quarantine')).toEqual(['a.xml']);
    expect(await findings()).toMatchObject([{ kind: 'file_quarantined' }]);
    await tell('a.xml', whole);
    expect(await reported()).toHaveLength(3);
    expect(bank.list('done')).toEqual(['a.xml']);
  });

  test('what is not understood does not keep the next file', async () => {
    const { three } = await file();
    bank.send('1-empty.xml', '');
    bank.send('2-other.txt', 'hello');
    symlinkSync('/etc/hostname', bank.path('inbox', '3-link.xml'));
    bank.send('4-entity.xml', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>');
    bank.send('5-good.xml', camt054([{ amount: '100.00', transactions: [{ endToEndId: three[0]!.endToEndId }] }]));
    await bank.rail.work();
    expect(bank.list('quarantine')).toEqual(['1-empty.xml', '2-other.txt', '3-link.xml', '4-entity.xml']);
    expect(await reported()).toHaveLength(1);
    expect(await findings()).toHaveLength(4);
  });

  test('H33: a file that grows is not touched until its size rests', async () => {
    let aheadMs = 0;
    const slow = new TestBank(database, { inboxRestsMs: 60_000 }, { now: () => Date.now() + aheadMs });
    banks.push(slow);
    const { three } = await file(slow);
    const whole = camt054([{ amount: '100.00', transactions: [{ endToEndId: three[0]!.endToEndId }] }]);
    for (let part = 1; part <= 3; part++) {
      slow.write('inbox', 'a.xml', whole.slice(0, (whole.length * part) / 4));
      await slow.rail.work();
      aheadMs += 90_000;
    }
    slow.write('inbox', 'a.xml', whole);
    await slow.rail.work();
    aheadMs += 30_000;
    await slow.rail.work();
    expect([slow.list('inbox'), slow.list('quarantine')]).toEqual([['a.xml'], []]);
    aheadMs += 60_000;
    await slow.rail.work();
    expect(await reported(slow)).toHaveLength(1);
  });
});

test('folders that are missing are named', async () => {
  await bank.rail.checkFolders();
  const wrong = newBank({ folders: { ...bank.of.settings.folders, inbox: '/nowhere' } });
  await expect(wrong.rail.checkFolders()).rejects.toThrow(/folder inbox is not there: \/nowhere/);
  const apart = newBank({ folders: { ...bank.of.settings.folders, outbox: '/dev/shm' } });
  await expect(apart.rail.checkFolders()).rejects.toThrow(/different file systems/);
});
