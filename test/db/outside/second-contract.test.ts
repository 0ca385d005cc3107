/** A party of another kind than a rail on the pieces that every party is made of: its notices, its evidence, its calls. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { EARLIEST_FORMS } from '../../../src/db/forms.ts';
import { createSecretBox } from '../../../src/db/secret-box.ts';
import { openOnce } from '../../../src/exceptions/open-exception.ts';
import type { CheckContext } from '../../../src/group/check-context.ts';
import type { Finding } from '../../../src/group/finding.ts';
import type { Command } from '../../../src/ledger/command/command.ts';
import { Draft } from '../../../src/ledger/command/draft.ts';
import { operatorBooks } from '../../../src/organisations/organisation-store.ts';
import { askParty, inquireAtParty } from '../../../src/outside/calls/ask-party.ts';
import { CallLimits } from '../../../src/outside/calls/call-limits.ts';
import { evidence, evidenceTouch, keepEvidence } from '../../../src/outside/evidence/evidence.ts';
import { endToEndId } from '../../../src/outside/instructions/end-to-end-id.ts';
import { noticeCheck } from '../../../src/outside/notices/checks/notice-check.ts';
import { NoticeCopier } from '../../../src/outside/notices/copy-notices.ts';
import { type NoticeException, type NoticeTaker, takeNotices } from '../../../src/outside/notices/take-notices.ts';
import { recordUnknown } from '../../../src/payouts/outcomes/await-outcome.ts';
import { newId, type ResourceName, type Uuid } from '../../../src/values/ids.ts';
import { JsonText } from '../../../src/values/json.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { ACQUIRER_NOTICE_KINDS, MemoryAcquirer } from '../../support/memory-acquirer.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

/** A group of acquirers gives its ids a prefix in src/values/ids.ts; until then the compiler does not take the name. */
const PAYMENT = 'payment' as unknown as ResourceName;

interface TestPayment {
  readonly id: Uuid;
  status: 'pending' | 'authorized' | 'declined';
}

let database: TestDatabase;
let book: TestBook;
let acquirer: MemoryAcquirer;
let payments: Map<string, TestPayment>;
let warnings: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  book = await openBook({ database: database.applicationUrl });
});

afterAll(async () => {
  await book?.close();
  await database?.drop();
});

beforeEach(() => {
  acquirer = new MemoryAcquirer();
  payments = new Map();
  warnings = [];
});

const inbox = () => ({ bookId: book.id, party: acquirer.name });

const runtime = (ahead = 0) => ({
  pool: book.pool,
  clock: { now: () => Date.now() + ahead },
  secretBox: createSecretBox(database.encryptionKey),
  kinds: ACQUIRER_NOTICE_KINDS,
  party: () => acquirer,
  operatorBook: async (mode: 'test' | 'live') => (await operatorBooks(book.pool))[mode],
  enqueue: () => undefined,
  openException: (_: unknown, exception: NoticeException) => book.submit(openOnce(exception)),
  rowFailed: async (_: unknown, __: unknown, error: unknown) => warnings.push(String(error)) > 0,
  warn: (error: unknown, notices?: number) => void warnings.push(`${(error as Error).message}: ${notices}`),
});

/** Evidence under an id of the party's, and what follows from it once. */
function takeIn(
  payment: TestPayment,
  said: { id: Uuid; call: string; answer: unknown },
  then: () => void,
): Command<boolean> {
  const command = { id: newId(), requestId: newId(), actor: `acquirer:${acquirer.name}` };
  return {
    ...command,
    name: 'payment.settle',
    touches: [evidenceTouch(said.id)],
    decide(state, moment) {
      const draft = new Draft(state, command, moment);
      const fresh = keepEvidence(draft, { ...said, resource: PAYMENT, resourceId: payment.id });
      if (fresh) then();
      return draft.finish(fresh);
    },
  };
}

const paymentTaker: NoticeTaker<TestPayment> = {
  noun: 'payment',
  find: async () => payments,
  async book(_, payment, { notice, evidence: raw }) {
    const said = { id: notice.id, call: 'notice', answer: new JsonText(raw) };
    await book.submit(takeIn(payment, said, () => (payment.status = notice.kind as TestPayment['status'])));
    return payment;
  },
  isTooEarly: (payment, { kind }) => kind === 'disputed' && payment.status !== 'authorized',
};

async function authorize(status: 'authorized' | 'pending', { silent = false } = {}) {
  const reference = endToEndId(book.id, newId());
  const payment: TestPayment = { id: newId(), status: 'pending' };
  payments.set(reference, payment);
  acquirer.next = { status, silent };
  const asked = { originator: book.id, endToEndId: reference, amount: 900n, notAfter: Date.now() + 60_000 };
  const heard = await askParty(reference, () => acquirer.authorize(asked));
  return { reference, payment, heard };
}

const answersOf = (id: Uuid) =>
  book.rows<Record<string, unknown>>(
    `SELECT id, payout_id, resource, resource_id, call FROM rail_answers
     WHERE book_id = $1 AND resource_id = $2 ORDER BY received_at, id`,
    id,
  );

describe('a notice', () => {
  test('is copied, booked once with its evidence under its own resource, and acknowledged', async () => {
    const { reference, payment } = await authorize('pending');
    const { id } = acquirer.decide(book.id, reference, 'authorized');
    const copier = new NoticeCopier(runtime());
    expect(await copier.copy(acquirer.name)).toBe(1);
    expect((await takeNotices(runtime(), paymentTaker, inbox())).done).toBe(1);
    expect(payment.status).toBe('authorized');
    const kept = { id, payout_id: null, resource: 'payment', resource_id: payment.id, call: 'notice' };
    expect(await answersOf(payment.id)).toEqual([kept]);
    expect(await acquirer.notices(10)).toEqual([]);

    payment.status = 'pending';
    await book.submit(takeIn(payment, { id, call: 'notice', answer: {} }, () => (payment.status = 'declined')));
    expect(payment.status).toBe('pending');
    expect(await answersOf(payment.id)).toEqual([kept]);
    expect(await findingsOfNotices()).toEqual([]);
  });

  test('about nothing that is there is attempted again, and in the end an exception in its own words', async () => {
    const { reference } = await authorize('pending');
    payments.clear();
    acquirer.decide(book.id, reference, 'authorized');
    await new NoticeCopier(runtime()).copy(acquirer.name);
    expect((await takeNotices(runtime(), paymentTaker, inbox())).done).toBe(0);
    expect(warnings).toEqual(['memory-acquirer tells of payments that are not there: 1']);
    expect((await takeNotices(runtime(31 * 86_400_000), paymentTaker, inbox())).done).toBe(1);
    const { detail } = await book.row<{ detail: string }>(
      `SELECT detail FROM exceptions WHERE book_id = $1 AND kind = 'notice_unclaimed'`,
    );
    expect(detail).toContain(`about ${reference} is about a payment that is not there, and was not for 30 days`);
    expect(await findingsOfNotices()).toEqual([]);
  });

  test.each`
    alone    | round | later
    ${true}  | ${1}  | ${1}
    ${false} | ${0}  | ${0}
  `(
    'that is too early and waits alone ($alone) lets $round behind it be taken first',
    async ({ alone, round, later }) => {
      const { reference, payment } = await authorize('pending');
      acquirer.decide(book.id, reference, 'declined');
      acquirer.decide(book.id, reference, 'authorized');
      await new NoticeCopier(runtime()).copy(acquirer.name);
      // A decline that means something only once the payment was authorized.
      let early = false;
      const taker: NoticeTaker<TestPayment> = {
        ...paymentTaker,
        async book(of, known, told) {
          early = told.notice.kind === 'declined' && known.status !== 'authorized';
          return early ? known : paymentTaker.book(of, known, told);
        },
        isTooEarly: () => early,
        waitsAlone: () => alone,
      };
      expect((await takeNotices(runtime(), taker, inbox())).done).toBe(round);
      expect(payment.status).toBe(alone ? 'authorized' : 'pending');
      expect((await takeNotices(runtime(600_000), taker, inbox())).done).toBe(later);
      expect(payment.status).toBe(alone ? 'declined' : 'pending');
    },
  );

  test('of a kind that this party does not have is unreadable', async () => {
    const { reference } = await authorize('pending');
    const notice = acquirer.decide(book.id, reference, 'authorized');
    Object.assign(notice, { kind: 'returned' });
    await new NoticeCopier(runtime()).copy(acquirer.name);
    const { kind } = await book.row<{ kind: string }>(
      'SELECT kind FROM rail_notices WHERE book_id = $1 AND id = $2',
      notice.id,
    );
    expect(kind).toBe('unreadable');
    expect((await takeNotices(runtime(), paymentTaker, inbox())).done).toBe(1);
  });
});

describe('a call', () => {
  test('without an answer is unknown, and settled by inquiry', async () => {
    const { reference, heard } = await authorize('authorized', { silent: true });
    expect(heard).toEqual({ result: 'unknown', raw: { error: 'The acquirer broke off' } });
    const asked = await inquireAtParty(reference, () => acquirer.inquire(book.id, reference));
    expect(asked).toMatchObject({ result: 'answer', answer: { status: 'authorized' } });
    expect(acquirer.movements(book.id, reference)).toBe(1);
  });

  test('answered about another id is unknown too', async () => {
    const { reference } = await authorize('authorized');
    const asked = await inquireAtParty('another', () => acquirer.inquire(book.id, reference));
    expect(asked).toEqual({ result: 'unknown', raw: { error: `The answer is about ${reference}` } });
  });

  test('is made for a request as for a job, within the calls that the party takes at once', async () => {
    const limits = new CallLimits();
    let [underWay, most] = [0, 0];
    const ask = (id: number) => {
      const callFor = id < 30 ? ('job' as const) : ('request' as const);
      return limits.inTurn({ party: acquirer, bookId: `book ${id % 5}`, callFor }, async () => {
        most = Math.max(most, ++underWay);
        await new Promise(setImmediate);
        underWay -= 1;
        return id;
      });
    };
    const ids = Array.from({ length: 40 }, (_, id) => id);
    expect(await Promise.all(ids.map(ask))).toEqual(ids);
    expect(most).toBe(acquirer.callsAtOnce);
  });
});

describe('evidence about a payout', () => {
  test.each`
    evidenceByResource | payoutId | resource
    ${false}           | ${true}  | ${null}
    ${true}            | ${false} | ${'payout'}
  `('with evidenceByResource $evidenceByResource is read alike', async ({ evidenceByResource, payoutId, resource }) => {
    const forms = { ...EARLIEST_FORMS, evidenceByResource };
    const own = await openBook({ database: database.applicationUrl, forms });
    const accountId = await own.account({ amount: 10_000n });
    const payout = await own.reserve(await own.accept({ accountId }));
    const unknown = recordUnknown(own.id, payout, { call: 'submit', nextInquiryMs: 1_000, raw: { error: 'none' } });
    await own.submit(unknown);
    const row = await own.row<Record<string, unknown>>(
      'SELECT id, payout_id, resource, resource_id FROM rail_answers WHERE book_id = $1',
    );
    expect(row).toEqual({
      id: unknown.id,
      payout_id: payoutId ? payout.id : null,
      resource,
      resource_id: payoutId ? null : payout.id,
    });
    const read = await evidence.find(own.pool, own.id, unknown.id);
    expect(read).toMatchObject({
      resource: 'payout',
      resourceId: payout.id,
      call: 'submit',
      answer: { error: 'none' },
    });
    await own.close();
  });
});

async function findingsOfNotices(): Promise<Finding[]> {
  const found: Finding[] = [];
  const context = { pool: book.pool, book: { id: book.id }, report: (finding: Finding) => found.push(finding) };
  const rows = await noticeCheck.read(context as unknown as CheckContext, { after: undefined, limit: 100 });
  for (const row of rows) noticeCheck.check(context as unknown as CheckContext, row);
  return found;
}
