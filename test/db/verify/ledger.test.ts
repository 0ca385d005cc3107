/** Findings of `npm run verify` in the ledger: each corruption, and nothing else. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { publicId } from '../../../src/values/ids.ts';
import { type FilledDatabase, openFilledDatabase, rulesOf, type Scene } from '../../support/verify-scene.ts';

let filled: FilledDatabase;
let scene: Scene;

beforeAll(async () => {
  filled = await openFilledDatabase();
  scene = filled.scene;
});

afterAll(() => filled?.close());

const findingsAfter = (...statements: string[]) => filled.findingsAfter(...statements);

// Conditions for the book's row, an entry mid-journal and its posting, a quiet account, and a payout's hold.
const BOOK = () => `id = '${scene.bookId}'`;
const ENTRY = () => `sequence = ${scene.transfer}`;
const POSTING = () => `entry_sequence = ${scene.transfer}`;
const QUIET = () => `id = '${scene.quietAccountId}'`;
const QUIET_LINE = (line: number) => `credit_account_id = '${scene.quietAccountId}' AND credit_line = ${line}`;
const HOLD = (name: keyof Scene['payouts']) => `id = '${scene.payouts[name].holdId}'`;
const STEP = (ordinal: number) => `ordinal = ${ordinal} AND hold_id = '${scene.payouts.paid.holdId}'`;
const OWN_ACCOUNT = () => `id = (SELECT account_id FROM holds WHERE id = '${scene.heldId}')`;
const OWN_STEP = (ordinal: number) => `ordinal = ${ordinal} AND hold_id = '${scene.heldId}'`;

const copyToNoBook = (table: string, where: string) =>
  `INSERT INTO ${table} SELECT (jsonb_populate_record(t, jsonb_build_object('book_id', gen_random_uuid()))).* FROM ${table} t WHERE ${where}`;

type Case = [what: string, rules: string[], statements: () => string[]];

describe('the journal', () => {
  test.each<Case>([
    ['an entry is gone', ['journal.sequence'], () => [`DELETE FROM entries WHERE ${ENTRY()}`]],
    [
      'the first entries are gone',
      ['account.equation', 'event.entries', 'inbound_transfer.entry', 'journal.sequence'],
      () => ['DELETE FROM entries WHERE sequence <= 2'],
    ],
    [
      'the last entry is gone',
      ['account.equation', 'event.entries', 'journal.sequence', 'payout.entry_ids', 'payout.steps'],
      () => ['DELETE FROM entries WHERE sequence = (SELECT max(sequence) FROM entries)'],
    ],
    [
      'a column of an entry is another',
      ['journal.chain'],
      () => [`UPDATE entries SET request_id = id WHERE ${ENTRY()}`],
    ],
    [
      'an effective date is another',
      ['journal.chain'],
      () => [`UPDATE entries SET effective_at = effective_at - interval '1 ms' WHERE ${ENTRY()}`],
    ],
    ['a hash is another', ['journal.chain'], () => [`UPDATE entries SET hash = sha256('x') WHERE ${ENTRY()}`]],
    [
      'an amount is another',
      ['account.balance_after', 'account.totals', 'journal.chain'],
      () => [`UPDATE postings SET amount = amount + 1 WHERE ${POSTING()}`],
    ],
    [
      'a posting goes elsewhere',
      ['account.balance_after', 'account.lines', 'account.totals', 'journal.chain'],
      () => [
        `UPDATE postings SET credit_account_id = '${scene.overdrawnAccountId}', credit_line = 99 WHERE ${POSTING()}`,
      ],
    ],
    [
      'time runs back',
      ['journal.chain', 'journal.time'],
      () => [`UPDATE entries SET posted_at = posted_at - interval '1 hour' WHERE ${ENTRY()}`],
    ],
    [
      'an entry is later than its book',
      ['journal.time'],
      () => [`UPDATE books SET last_posted_at = last_posted_at - interval '1 hour' WHERE ${BOOK()}`],
    ],
    [
      'an entry has no posting',
      ['account.balance_after', 'account.lines', 'account.totals', 'journal.chain', 'journal.postings'],
      () => [`DELETE FROM postings WHERE ${POSTING()}`],
    ],
    [
      'a posting has another number',
      ['journal.chain', 'journal.postings'],
      () => [`UPDATE postings SET ordinal = 2 WHERE ${POSTING()}`],
    ],
    [
      'a step was booked twice',
      ['journal.chain', 'journal.step'],
      () => [
        'DROP INDEX entries_book_id_resource_id_step_key',
        `UPDATE entries e SET resource_id = o.resource_id FROM entries o WHERE e.${ENTRY()} AND o.step = 'done' AND o.sequence <> e.sequence`,
      ],
    ],
    [
      "the book's hash is another",
      ['journal.head'],
      () => [`UPDATE books SET chain_hash = sha256('x') WHERE ${BOOK()}`],
    ],
    [
      'the book knows of more entries',
      ['journal.sequence'],
      () => [`UPDATE books SET entry_sequence = entry_sequence + 1 WHERE ${BOOK()}`],
    ],
    [
      'the book knows of fewer entries',
      ['journal.head'],
      () => [`UPDATE books SET entry_sequence = entry_sequence - 1 WHERE ${BOOK()}`],
    ],
    ['a text is another', ['journal.text'], () => ["UPDATE entry_texts SET description = 'another'"]],
    [
      'a text is where none was',
      ['journal.text'],
      () => [`INSERT INTO entry_texts SELECT book_id, sequence, '\\x00', 'x' FROM entries WHERE ${ENTRY()}`],
    ],
    ['texts were erased: nothing wrong', [], () => ['DELETE FROM entry_texts']],
  ])('%s', async (_, rules, statements) => {
    expect(rulesOf(await findingsAfter(...statements()))).toEqual(rules);
  });

  test('one wrong entry is one finding, with its sequence', async () => {
    expect(await findingsAfter(`UPDATE entries SET request_id = id WHERE ${ENTRY()}`)).toEqual([
      {
        check: 'journal.chain',
        book: scene.bookId,
        ids: { entry: expect.stringMatching(/^je_/), sequence: `${scene.transfer}` },
        expected: expect.stringMatching(/^[0-9a-f]{64}$/),
        actual: expect.stringMatching(/^[0-9a-f]{64}$/),
        detail: expect.any(String),
      },
    ]);
  });
});

describe('accounts', () => {
  test.each<Case>([
    [
      'debits are others',
      ['account.totals', 'book.balanced'],
      () => [`UPDATE accounts SET posted_debits = posted_debits + 1 WHERE ${QUIET()}`],
    ],
    [
      'credits are others',
      ['account.totals', 'book.balanced'],
      () => [`UPDATE accounts SET posted_credits = posted_credits + 1 WHERE ${QUIET()}`],
    ],
    [
      'the count of lines is another',
      ['account.totals'],
      () => [`UPDATE accounts SET lines = lines + 1 WHERE ${QUIET()}`],
    ],
    [
      'two lines have changed places',
      ['account.balance_after', 'account.lines', 'journal.chain'],
      () => [
        `UPDATE postings SET credit_line = 9 WHERE ${QUIET_LINE(1)}`,
        `UPDATE postings SET credit_line = 1 WHERE ${QUIET_LINE(2)}`,
        `UPDATE postings SET credit_line = 2 WHERE ${QUIET_LINE(9)}`,
      ],
    ],
    [
      'a line number is another',
      ['account.lines', 'journal.chain'],
      () => [`UPDATE postings SET credit_line = 7 WHERE ${QUIET_LINE(2)}`],
    ],
    [
      'a balance after is another',
      ['account.balance_after', 'journal.chain'],
      () => [`UPDATE postings SET credit_balance_after = 8 WHERE ${QUIET_LINE(1)}`],
    ],
    [
      'the currency is another',
      ['account.currency', 'book.balanced'],
      () => [`UPDATE accounts SET currency = 'KWD' WHERE ${QUIET()}`],
    ],
    ['the account is gone', ['account.known', 'book.balanced'], () => [`DELETE FROM accounts WHERE ${QUIET()}`]],
    [
      'a line is of an account that is not there',
      ['account.equation', 'account.known', 'account.totals', 'inbound_transfer.entry', 'journal.chain'],
      () => [`UPDATE postings SET credit_account_id = gen_random_uuid() WHERE ${QUIET_LINE(2)}`],
    ],
    [
      'more is held than holds have',
      ['account.held'],
      () => [`UPDATE accounts SET held_debits = held_debits + 1 WHERE ${QUIET()}`],
    ],
    [
      'something is held on the other side',
      ['account.held'],
      () => [`UPDATE accounts SET held_credits = 1 WHERE ${QUIET()}`],
    ],
    ['less is available than the floor', ['account.floor'], () => [`UPDATE accounts SET floor = 11 WHERE ${QUIET()}`]],
    [
      'the flag that excuses it is gone',
      ['account.floor', 'journal.chain'],
      () => ['UPDATE entries SET floor_overridden = false WHERE floor_overridden'],
    ],
    [
      'so much is held that less is available than the floor',
      ['account.floor'],
      () => [`UPDATE accounts SET floor = 900 WHERE ${OWN_ACCOUNT()}`],
    ],
    [
      'the same, by a step that says so and is not of a card',
      ['hold.kind'],
      () => [
        `UPDATE accounts SET floor = 900 WHERE ${OWN_ACCOUNT()}`,
        `UPDATE hold_steps SET floor_overridden = true WHERE ${OWN_STEP(2)}`,
      ],
    ],
    [
      'a further account without lines: nothing wrong',
      [],
      () => [
        `INSERT INTO accounts (book_id, id, code, side, currency, status, floor) SELECT book_id, gen_random_uuid(), code, side, currency, status, 0 FROM accounts WHERE ${QUIET()}`,
      ],
    ],
  ])('%s', async (_, rules, statements) => {
    expect(rulesOf(await findingsAfter(...statements()))).toEqual(rules);
  });

  test('the finding names the account, the expected and the actual totals', async () => {
    const [finding] = await findingsAfter(`UPDATE accounts SET posted_credits = posted_credits + 1 WHERE ${QUIET()}`);
    expect(finding).toMatchObject({
      ids: { account: publicId('account', scene.quietAccountId) },
      expected: '0 debited, 10 credited in 2 lines',
      actual: '0 debited, 11 credited in 2 lines',
    });
  });
});

describe('holds', () => {
  test.each<Case>([
    [
      'less remains',
      ['account.held', 'hold.remaining', 'payout.hold'],
      () => [`UPDATE holds SET remaining = remaining - 1 WHERE ${HOLD('processing')}`],
    ],
    [
      'the status is another',
      ['account.held', 'hold.status', 'payout.hold'],
      () => [`UPDATE holds SET status = 'captured' WHERE ${HOLD('processing')}`],
    ],
    [
      'its end was another',
      ['hold.status', 'payout.hold'],
      () => [`UPDATE holds SET status = 'expired' WHERE ${HOLD('paid')}`],
    ],
    ['an increase is gone', ['hold.kind', 'hold.steps'], () => [`DELETE FROM hold_steps WHERE ${OWN_STEP(2)}`]],
    [
      'an increase was another',
      ['hold.steps'],
      () => [`UPDATE hold_steps SET amount = amount + 1 WHERE ${OWN_STEP(2)}`],
    ],
    [
      'it was increased before it was created',
      ['hold.kind', 'hold.steps'],
      () => [`UPDATE hold_steps SET kind = 'increased' WHERE ${OWN_STEP(1)}`],
    ],
    [
      'it was increased when it had ended',
      ['account_hold.ledger', 'hold.kind'],
      () => [
        `UPDATE hold_steps SET kind = 'captured', amount = 100 WHERE ${OWN_STEP(2)}`,
        `UPDATE hold_steps SET kind = 'increased', amount = 120 WHERE ${OWN_STEP(3)}`,
        `UPDATE holds SET amount = 220 WHERE id = '${scene.heldId}'`,
      ],
    ],
    [
      "a payout's was increased",
      ['hold.event', 'hold.kind', 'hold.remaining', 'hold.steps'],
      () => [`UPDATE hold_steps SET kind = 'increased' WHERE ${STEP(2)}`],
    ],
    ['its last step is gone', ['hold.remaining', 'hold.steps'], () => [`DELETE FROM hold_steps WHERE ${STEP(3)}`]],
    [
      'a step is of a hold that is not there',
      ['journal.orphan'],
      () => [
        `INSERT INTO hold_steps SELECT book_id, gen_random_uuid(), ordinal, kind, amount, created_at FROM hold_steps WHERE ${STEP(1)}`,
      ],
    ],
    ['its first step is gone', ['hold.kind', 'hold.steps'], () => [`DELETE FROM hold_steps WHERE ${STEP(1)}`]],
    [
      'a step took another amount',
      ['hold.remaining'],
      () => [`UPDATE hold_steps SET amount = amount + 1 WHERE ${STEP(2)}`],
    ],
    [
      'it was made for another amount',
      ['hold.remaining', 'hold.steps', 'payout.hold'],
      () => [`UPDATE holds SET amount = amount + 1 WHERE ${HOLD('paid')}`],
    ],
    ['it is in another currency', ['hold.account'], () => [`UPDATE holds SET currency = 'JOD' WHERE ${HOLD('paid')}`]],
    [
      'it is on another account',
      ['payout.hold'],
      () => [`UPDATE holds SET account_id = '${scene.overdrawnAccountId}' WHERE ${HOLD('paid')}`],
    ],
    [
      'it is for nothing',
      ['hold.event', 'hold.resource', 'payout.hold'],
      () => [`UPDATE holds SET resource_id = id WHERE ${HOLD('paid')}`],
    ],
    ['another is of a book that does not exist', ['journal.orphan'], () => [copyToNoBook('holds', HOLD('paid'))]],
    [
      'its payout is there again, in a book that does not exist',
      ['journal.orphan'],
      () => [copyToNoBook('payouts', `hold_id = '${scene.payouts.paid.holdId}'`)],
    ],
    ['it is gone', ['journal.orphan', 'payout.hold'], () => [`DELETE FROM holds WHERE ${HOLD('paid')}`]],
    [
      'it is gone while open',
      ['account.held', 'journal.orphan', 'payout.hold'],
      () => [`DELETE FROM holds WHERE ${HOLD('pending')}`],
    ],
  ])('%s', async (_, rules, statements) => {
    expect(rulesOf(await findingsAfter(...statements()))).toEqual(rules);
  });
});
