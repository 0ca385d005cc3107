/** Every declared text column says what becomes of a card number in it, and the draft acts on what it says. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Column } from '../../src/db/declared-columns.ts';
import { TABLES_AND_LOGS } from '../../src/groups.ts';
import { Draft } from '../../src/ledger/command/draft.ts';
import { CardNumberWritten, isTextColumn } from '../../src/ledger/rows/judged-texts.ts';
import { newSalt, personal } from '../../src/ledger/rows/personal-text.ts';
import { type DeclaredLog, type DeclaredTable, isTable } from '../../src/ledger/rows/table-of.ts';
import { payments } from '../../src/payments/payment/payment-table.ts';
import { storeCard } from '../../src/payments/tokens/store-card.ts';
import { newId } from '../../src/values/ids.ts';
import { LATEST_FORMS } from '../support/forms.ts';
import { MemoryBook, START } from '../support/memory-book.ts';
import { momentAt } from '../support/moment.ts';

type Declared = DeclaredTable<unknown> | DeclaredLog<unknown>;
const CARD = '5105 1051 0510 5100';
const ID = newId();
/** Enough of any noun for the columns that are read in their own way. */
const BARE = {
  destination: { type: 'account' },
  portions: [],
  owner: {},
  posting: {},
  waiting: null,
  firstEvent: null,
  firstForm: null,
  entryIds: [],
  earlierSecrets: [],
  content: { limits: [], requireThreeDSecureAbove: null },
  active: null,
  shadow: null,
  fuel: [],
  fees: { cash: null, quasiCash: null, foreignCurrency: null },
};

const columns = TABLES_AND_LOGS.flatMap((table) =>
  table.columns.filter(isTextColumn).map((column) => ({ table, column, name: `${table.name}.${column.name}` })),
);
const namesOf = (rule: Column<unknown>['cardNumber']) =>
  columns.filter(({ column }) => column.cardNumber === rule).map(({ name }) => name);

test('exempt are references that a party or the scheme gave, and amounts in text', () => {
  expect(namesOf('exempt').sort()).toEqual([
    'approval_policies.policy',
    'approval_policies.proposal',
    'bank_account_identifiers.identifier',
    'bank_accounts.identifiers',
    'bank_accounts.outstanding',
    'bank_accounts.parties',
    'bank_lines.bank_reference',
    'bank_lines.batch_id',
    'bank_lines.counterparty_account',
    'bank_lines.details',
    'bank_lines.end_to_end_id',
    'bank_lines.refs',
    'bank_statements.account',
    'bank_statements.findings',
    'bank_statements.number',
    'card_controls.content',
    'card_controls_in_force.active',
    'card_controls_in_force.shadow',
    'card_operations.processor_reference',
    'card_programs.fees',
    'card_programs.fuel',
    'card_tokens.device_id',
    'card_tokens.requestor_id',
    'card_tokens.token_reference',
    'cards.card_reference',
    'cards.locked_to',
    'expected_items.bank_reference',
    'expected_items.batch_id',
    'expected_items.document_reference',
    'expected_items.end_to_end_id',
    'inbound_credits.bank_account',
    'inbound_credits.bank_reference',
    'inbound_credits.end_to_end_id',
    'inbound_transfers.bank_reference',
    'inbound_transfers.end_to_end_id',
    'payment_disputes.acquirer_reference',
    'payment_disputes.portions',
    'payment_operations.acquirer_reference',
    'payment_operations.of_reference',
    'payment_operations.portions',
    'payment_operations.token',
    'payment_tokens.acquirer_token',
    'payment_tokens.network_reference',
    'payments.next_action',
    'payments.recurring',
    'payouts.rail_reference',
    'periods.findings',
    'reconciliations.failure',
    'reconciliations.findings',
    'reports.failure_detail',
    'reports.totals',
    'settlement_lines.line_id',
    'settlement_lines.reference',
    'transaction_messages.decision',
    'transaction_messages.reference',
    'transaction_messages.reverses',
    'transactions.acquirer_id',
    'transactions.decision',
    'transactions.fees',
    'transactions.merchant_id',
    'transactions.network_reference',
  ]);
});

test('masked is what a party says, and what is said of it', () => {
  expect(namesOf('masked').sort()).toEqual([
    'bank_lines.counterparty_name',
    'bank_lines.text',
    'card_tokens.device_name',
    'exceptions.detail',
    'inbound_credits.payer_account',
    'inbound_credits.payer_name',
    'inbound_transfers.payer_account',
    'inbound_transfers.payer_name',
    'inbound_transfers.remittance',
    'payment_disputes.reason_code',
    'payment_operations.network_code',
    'payments.authorization_facts',
    'payout_returns.reason',
    'payouts.rail_code',
    'rail_answers.answer',
    'reconciliations.name',
    'transactions.merchant',
  ]);
});

test('copied is what stands in the row of its object', () => {
  expect(namesOf('copied')).toEqual(['personal_texts.text']);
});

describe('a text with a card number', () => {
  let memory: MemoryBook;
  const origin = { id: newId(), requestId: newId() };
  beforeEach(() => {
    memory = new MemoryBook();
  });
  const draftOf = (touched: readonly Declared[] = []) =>
    new Draft(
      memory.state(touched.filter(isTable).map((table) => ({ touches: [{ table, ids: [ID] }] }))),
      origin,
      momentAt(START),
    );
  const write = (draft: Draft, table: Declared, row: object): unknown =>
    isTable(table) ? draft.put(table, ID, row) : draft.append(table, row);
  const written = (draft: Draft): unknown => {
    const { rows, appends } = draft.finish(undefined);
    return (rows[0] ?? appends[0])!.row;
  };

  const plain = columns.filter(({ column }) => column.property !== undefined && column.codec === undefined);
  test.each(plain)('in $name', ({ table, column, name }) => {
    const property = column.property!;
    for (const value of [CARD, [CARD], { a: { b: CARD } }, { [CARD]: 1 }]) {
      if (column.type === 'text' && typeof value !== 'string') continue;
      const draft = draftOf();
      const row = { ...BARE, [property]: value };
      if (column.cardNumber === undefined) {
        write(draft, table, row);
        expect(() => draft.finish(undefined)).toThrow(new CardNumberWritten(name).message);
        continue;
      }
      write(draft, table, row);
      const kept = JSON.stringify((written(draft) as Record<string, unknown>)[property]);
      expect(kept.includes(CARD)).toBe(column.cardNumber !== 'masked');
      expect(kept.includes('[card number]')).toBe(column.cardNumber === 'masked');
    }
  });

  const [described] = plain.filter(({ name }) => name === 'payments.description');
  test('that a row has already does not stop the row from being moved on', () => {
    const { table } = described!;
    memory.put(table as DeclaredTable<unknown>, ID, { ...BARE, description: CARD, metadata: { a: CARD } });
    const moved = draftOf([table]);
    write(moved, table, { ...BARE, description: CARD, metadata: { a: CARD }, status: 'captured' });
    expect(() => moved.finish(undefined)).not.toThrow();
    const changed = draftOf([table]);
    write(changed, table, { ...BARE, description: `${CARD} again`, metadata: { a: CARD } });
    expect(() => changed.finish(undefined)).toThrow(CardNumberWritten);
  });

  test('that a row has already goes into the events of the row, and into rows that are made from it', () => {
    memory.forms = LATEST_FORMS;
    const old = { ...BARE, description: CARD, metadata: { a: CARD }, storeFor: CARD, card: {}, id: ID };
    memory.put(payments, ID, old as never);
    const moved = draftOf([payments]);
    const { metadata, ...row } = old;
    moved.put(payments, ID, { ...row, metadata: { b: 'x', ...metadata }, status: 'authorized' } as never);
    const owner = { object: 'payment' as const, objectId: ID, salt: newSalt() };
    const view = { object: 'payment', description: personal(owner, 'description', CARD) };
    moved.emit({ type: 'payment.authorized', objectId: ID, objectSequence: 2, object: view });
    storeCard(moved, old as never, { token: 'tok', acquirer: 'sandbox' } as never, null);
    const { rows, appends } = moved.finish(undefined);
    expect(rows.map(({ table }) => table.name)).toEqual(['payments', 'payment_tokens']);
    expect(appends.map(({ log }) => log.name)).toEqual(['personal_texts']);
    const other = draftOf([payments]);
    storeCard(other, { ...old, storeFor: `${CARD} again` } as never, { token: 'tok', acquirer: 'a' } as never, null);
    expect(() => other.finish(undefined)).toThrow('payment_tokens.customer_reference');
  });

  test('is named by its column, and no digit of it is said', () => {
    const draft = draftOf();
    write(draft, described!.table, { ...BARE, description: CARD });
    expect(() => draft.finish(undefined)).toThrow(
      /^A card number was about to be written to payments\.description: [^\d]*$/,
    );
  });

  test('leaves the references of a masked answer as they are', () => {
    const { table } = columns.find(({ name }) => name === 'rail_answers.answer')!;
    const draft = draftOf();
    write(draft, table, { answer: { reference: CARD, code: `bad ${CARD}`, amount: CARD, n: 5 } });
    expect(written(draft)).toEqual({ answer: { reference: CARD, code: 'bad [card number]', amount: CARD, n: 5 } });
  });
});
