/** A bank of the operator's whose lines meet expected items: for tests of matches. */

import type { Stored } from '../../src/idempotency/idempotency-key.ts';
import type { ChartCode } from '../../src/ledger/account/account-code.ts';
import { accounts } from '../../src/ledger/account/account-table.ts';
import { partyAccountId } from '../../src/ledger/account/chart.ts';
import type { Command, Refusal } from '../../src/ledger/command/command.ts';
import { Draft } from '../../src/ledger/command/draft.ts';
import { bankAccounts } from '../../src/reconciliation/accounts/bank-account-table.ts';
import type { ExpectedItem } from '../../src/reconciliation/items/expected-item.ts';
import { expectedItems } from '../../src/reconciliation/items/expected-item-table.ts';
import { openAmount } from '../../src/reconciliation/lines/bank-line.ts';
import { bankLines } from '../../src/reconciliation/lines/bank-line-table.ts';
import { readCreditsOfLines } from '../../src/reconciliation/lines/credit-of-line-store.ts';
import type { BankMatch } from '../../src/reconciliation/matches/bank-match.ts';
import { bankMatches } from '../../src/reconciliation/matches/bank-match-table.ts';
import { readFilesOf } from '../../src/reconciliation/matches/candidate-store.ts';
import { approveMatch, proposeMatch } from '../../src/reconciliation/matches/match-by-hand.ts';
import { signedOpen } from '../../src/reconciliation/matches/take-parts.ts';
import { activateRules } from '../../src/reconciliation/rules/activate-rules.ts';
import type { BankAccountRules, DifferenceTo } from '../../src/reconciliation/rules/bank-account-rules.ts';
import { bankAccountRules } from '../../src/reconciliation/rules/bank-account-rules-table.ts';
import { draftRules } from '../../src/reconciliation/rules/draft-rules.ts';
import { encodeActor } from '../../src/values/actor.ts';
import { newId, type Uuid } from '../../src/values/ids.ts';
import { camt, makeBankAccount, type OperatorsBank, type Taker, takeBankFile } from './bank-statements.ts';
import { expectedItem } from './expected-items.ts';

/** Keeps items on a clearing account, which is opened for them. Money that leaves is negative. */
export async function expectItems(
  taker: Taker,
  given: readonly (Omit<Partial<ExpectedItem>, 'amount'> & { readonly amount: bigint })[],
): Promise<ExpectedItem[]> {
  const items = given.map(({ amount, ...change }) =>
    expectedItem({
      ...{ clearingAccountId: accountIdOf(taker, codeOf(change), change.currency ?? 'JOD'), party: 'rail' },
      ...change,
      ...{ direction: amount > 0n ? 'in' : 'out', amount: amount < 0n ? -amount : amount },
    }),
  );
  await taker.committer.submit(taker.bookId, keep(taker, items));
  return items;
}

const PARTY = newId();

const codeOf = ({ resource }: Partial<ExpectedItem>): ChartCode =>
  resource === 'acquirer_report' ? 'acquirer_clearing' : 'rail_clearing';

const accountIdOf = ({ bookId }: Taker, code: ChartCode, currency: string) =>
  partyAccountId(bookId, code, { currency, party: PARTY });

function keep(taker: Taker, items: readonly ExpectedItem[]): Command<void> {
  const origin = { id: newId(), requestId: newId() };
  const codes = items.map((item) => ({ code: codeOf(item), currency: item.currency }));
  return {
    ...origin,
    name: 'test.expect',
    touches: [
      { table: expectedItems, ids: items.map(({ id }) => id) },
      {
        table: accounts,
        ids: [...new Set(codes.map(({ code, currency }) => accountIdOf(taker, code, currency)))],
      },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      for (const { code, currency } of codes) draft.partyAccount(code, { currency, party: PARTY });
      for (const item of items) draft.put(expectedItems, item.id, item);
      return draft.finish(undefined);
    },
  };
}

/** Drafts a version of matching rules and activates it, each by a person of its own. Resolves with its number. */
export async function activeRules(
  { bookId, pool, committer }: Taker,
  bankAccountId: Uuid,
  content: Partial<Pick<BankAccountRules, 'tolerances' | 'bookings'>>,
): Promise<number> {
  const asked = { bankAccountId, requestId: newId(), tolerances: [], bookings: [], ...content };
  const drafted = await committer.submit(bookId, draftRules({ ...asked, actor: ADA }));
  const rules = (await bankAccountRules.find(pool, bookId, made(drafted)))!;
  const { rulesId: activeId } = (await bankAccounts.find(pool, bookId, bankAccountId))!;
  const activation = { rules, activeId, requestId: newId() };
  const alone = await committer.submit(bookId, activateRules({ ...activation, actor: ADA }));
  if (alone.refused !== 'self_approval_forbidden') throw new Error('One person was enough.');
  made(await committer.submit(bookId, activateRules({ ...activation, actor: BEN })));
  return rules.number;
}

/** By two persons: one proposes that the items belong to each other or to the lines, another approves. */
export async function matchByHand(
  bank: OperatorsBank,
  {
    lines = [],
    items = [],
    differenceTo = null,
  }: { lines?: Uuid[]; items?: Uuid[]; differenceTo?: DifferenceTo | null },
): Promise<Uuid> {
  const { pool, committer } = bank.taker;
  const bookId = bank.book.id;
  const ofLines = [...(await bankLines.load(pool, bookId, lines)).values()];
  const ofItems = [...(await expectedItems.load(pool, bookId, items)).values()];
  const sum = (amounts: readonly bigint[]) => amounts.reduce((all, one) => all + one, 0n);
  const credits = await readCreditsOfLines(pool, bookId, ofLines);
  const proposal = {
    ...{
      bookId,
      credits,
      comparedAccountId: null,
      currency: 'JOD',
      differenceTo,
      reason: 'The bank confirms it',
      requestId: newId(),
      actor: ADA,
    },
    lines: ofLines.map((line) => ({ id: line.id, amount: String(openAmount(line)) })),
    items: ofItems.map((item) => ({
      id: item.id,
      amount: String(signedOpen(item)),
      accountId: item.clearingAccountId,
    })),
    difference: sum(ofLines.map(openAmount)) - sum(ofItems.map(signedOpen)),
  };
  const id = made(await committer.submit(bookId, proposeMatch(proposal)));
  const match = (await bankMatches.find(pool, bookId, id))!;
  const files = await readFilesOf(pool, bookId, [...new Set(ofLines.map(({ statementId }) => statementId))]);
  const approval = {
    ...{ bookId, match, credits, requestId: newId(), actor: BEN },
    exceptionIds: [...ofLines, ...ofItems].flatMap(({ exceptionId }) => exceptionId ?? []),
    evidence: new Map(ofLines.map((line) => [line.id, files.get(line.statementId)!])),
  };
  made(await committer.submit(bookId, approveMatch(approval)));
  return id;
}

const [ADA, BEN] = ['a', 'b'].map(() => encodeActor({ type: 'person', id: newId(), keyId: newId() })) as [
  string,
  string,
];

function made(answer: Stored | Refusal): Uuid {
  if (answer.refused) throw new Error(`Refused: ${answer.refused} ${answer.detail ?? ''}`);
  return answer.resourceId!;
}

export async function matchesOf(bank: OperatorsBank): Promise<BankMatch[]> {
  const rows = await bank.book.rows(
    `SELECT ${bankMatches.selected()} FROM bank_matches WHERE book_id = $1 ORDER BY id`,
  );
  return rows.map(bankMatches.fromRow);
}

/** `rule: lines ↔ items (difference)`. */
export async function saidOf(bank: OperatorsBank): Promise<string[]> {
  return (await matchesOf(bank)).map(({ rule, lines, items, difference, differenceTo }) => {
    const sum = (parts: readonly { readonly amount: string }[]) =>
      parts.map(({ amount }) => amount).join(', ') || 'nothing';
    return `${rule}: ${sum(lines)} ↔ ${sum(items)}${differenceTo === null ? '' : ` (${difference} to ${differenceTo})`}`;
  });
}

export async function openItemsOf(bank: OperatorsBank): Promise<bigint[]> {
  const rows = await bank.book.rows<{ open: bigint }>(
    "SELECT amount_open AS open FROM expected_items WHERE book_id = $1 AND status <> 'matched' ORDER BY id",
  );
  return rows.map(({ open }) => open);
}

/** A line and an item that a rule matches, on a bank account of their own. */
export async function makeMatch(taker: Taker): Promise<Uuid> {
  const account = 'JO71MAKEMATCH';
  await makeBankAccount(taker, { name: 'Matched', identifiers: [account] });
  await expectItems(taker, [{ amount: -7_000n, endToEndId: 'MAKE-MATCH' }]);
  const entries = [{ amount: -7_000, endToEndId: 'MAKE-MATCH' }];
  await takeBankFile(taker, camt([{ account, number: 'made', opening: 0, entries }]), { name: 'matched.xml' });
  const { rows } = await taker.pool.query<{ id: Uuid }>(
    "SELECT match_ids ->> 0 AS id FROM bank_lines WHERE book_id = $1 AND end_to_end_id = 'MAKE-MATCH'",
    [taker.bookId],
  );
  return rows[0]!.id;
}
