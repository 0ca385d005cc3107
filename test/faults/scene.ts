/**
 * What the stimuli of kill points act on: a stage with a bank, an operator with a bank account, a card that an endpoint decides about,
 * small tenants, and a book of own entries. It remembers what was accepted, and compares it with what everybody has in the end.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ReferenceBank } from '../../scripts/bank/reference-bank.ts';
import { readBatch } from '../../scripts/faults/batch-records-store.ts';
import { countMade } from '../../scripts/faults/card-records-store.ts';
import { certainAnswer, expectFirstAnswerAgain, type Sent } from '../../scripts/faults/certain-answer.ts';
import { countPoolsBehind, readFees, unlikeTheBooks } from '../../scripts/faults/mirror-records-store.ts';
import { paymentIds } from '../../scripts/faults/payment-records-store.ts';
import { brokenPayments } from '../../scripts/faults/payment-rules-store.ts';
import { countPeriods, readFold } from '../../scripts/faults/report-records-store.ts';
import { type ApprovingEndpoint, startApprovingEndpoint } from '../../scripts/harness/approving-endpoint.ts';
import { type Account, Client, type Endpoint, type Payout, succeeded, until } from '../../scripts/harness/client.ts';
import { FAULT_PATIENCE_MS } from '../../scripts/harness/until.ts';
import { addDays } from '../../src/calendar/day.ts';
import type { BookId } from '../../src/ledger/book/book.ts';
import { operatorBooks } from '../../src/organisations/organisation-store.ts';
import { systemClock } from '../../src/values/clock.ts';
import { parsePublicId, publicId } from '../../src/values/ids.ts';
import { camt, IBAN } from '../support/bank-statements.ts';
import { addPersonOf } from '../support/people.ts';
import { ALL_POOLS, type Backend, makeOrganisation, makeRowsDue } from '../support/product.ts';
import { type Stage, startStage } from './stage.ts';

const TENANTS = 4;
const FUNDS = 1_000_000_000;
/** Of level 0 of the totals. */
const BLOCK_ENTRIES = 10_000;
/** The most that a request posts. */
const BATCH_ENTRIES = 100;
const FILLERS = 4;

/** Payees, and what the bank makes of them. */
const AT_BANK = [
  { name: 'Jana Mueller', status: 'paid', rejected: null },
  { name: 'Jana Closed', status: 'failed', rejected: 'AC04' },
  { name: 'Jana Returned', status: 'returned', rejected: null },
] as const;
const playAt = (at: number) => AT_BANK[at % AT_BANK.length]!;

/** A book with an account that pays. */
export interface Payer {
  readonly bookId: BookId;
  readonly client: Client;
  readonly account: Account;
}

/** A book of own entries, which its accountant reports on and closes. */
interface OwnBook {
  readonly bookId: BookId;
  readonly client: Client;
  readonly accounts: readonly [string, string];
}

export interface Scene {
  readonly stage: Stage;
  /** Of the stage's own book. */
  readonly main: Payer;
  readonly tenants: readonly Payer[];
  /** Pays through the bank. */
  readonly euros: Account;
  readonly bank: ReferenceBank;
  /** Of the operator's book. */
  readonly operator: Client;
  readonly own: OwnBook;
  /** A card whose purchases the endpoint decides. */
  readonly card: string;
  readonly decisions: ApprovingEndpoint;
  /** A folder of files of the operator's bank. */
  readonly folder: string;
  readonly today: string;
  /** Asks under a key until the answer is certain, which it is once whoever died is back. It has to be a success. */
  ask<Body>(client: Client, path: string, body: Record<string, unknown>, key?: string): Promise<Body>;
  pay(payer: Payer, destination?: Record<string, unknown>): Promise<Payout>;
  payment(number: string): Promise<{ id: string }>;
  /** A reference says what the sandbox makes of the order. */
  orderCard(reference?: string): Promise<string>;
  /** Payouts to accounts at the bank: one arrives, one is rejected, and one comes back. */
  payByFile(): Promise<void>;
  batch(): Promise<void>;
  /** The receiver fails at an endpoint of its own until it is behind. Resolves to what ends that. */
  fallBehind(payer: Payer): Promise<() => void>;
  fill(): Promise<void>;
  /** The next statement of the operator's account: one line. */
  statement(): string;
  uploadStatement(): Promise<void>;
  report(): Promise<void>;
  closeDays(): Promise<void>;
  buy(): Promise<void>;
  /** Waits until all work is done, and compares the records of everybody: nothing is lost, and nothing has happened twice. */
  judge(): Promise<void>;
  /** Behind it, where points of one backend were struck: mirror, fees, statements, totals, periods and reports. */
  judgeBackOffice(): Promise<void>;
  close(): Promise<void>;
}

interface Report {
  readonly id: string;
  readonly status: string;
  readonly result: { readonly sha256: string } | null;
}

export async function openScene(backend: Backend, failpoints: string): Promise<Scene> {
  const root = mkdtempSync(join(tmpdir(), 'kill-points-'));
  const at = (name: string) => join(root, name);
  const places = { outbox: at('outbox'), inbox: at('inbox'), work: at('work'), records: at('records') };
  for (const folder of [...Object.values(places), at('statements')]) mkdirSync(folder);
  writeFileSync(at('rails.json'), JSON.stringify(railsOf(places)));
  const environment = { RAILS_FILE: at('rails.json'), FEE_TAX_PERCENT: 'JOD:16' };
  const stage = await startStage({
    ...{ backend, environment, contracted: true },
    workers: { all: { pools: ALL_POOLS, failpoints } },
  });
  const { behind, receiver, apis } = stage;
  const clients: Client[] = [];
  const decisions = await startApprovingEndpoint();
  const close = async () => {
    await Promise.all(clients.map((client) => client.close()));
    await decisions.close();
    await stage.close();
    rmSync(root, { recursive: true });
  };
  try {
    return await open();
  } catch (error) {
    await close();
    throw error;
  }

  function clientOf(key: string): Client {
    const client = new Client(apis[0]!.url, key);
    clients.push(client);
    return client;
  }

  async function openTenant(): Promise<Payer> {
    const { testKey, testBookId } = await makeOrganisation(behind);
    const client = clientOf(testKey);
    return { bookId: testBookId as BookId, client, account: await client.openAccount({ funds: FUNDS }) };
  }

  async function openOwnBook(): Promise<OwnBook> {
    const { testBookId } = await makeOrganisation(behind);
    const client = clientOf((await addPersonOf(behind, testBookId, { name: 'Accountant' })).key);
    const account = async (code: string) => {
      const body = { code, name: code, type: 'asset', currency: 'JOD' };
      return succeeded(await client.post<{ id: string }>('/v1/journal/accounts', body)).id;
    };
    return { bookId: testBookId as BookId, client, accounts: [await account('one'), await account('other')] };
  }

  async function open(): Promise<Scene> {
    const client = stage.clients[0]!;
    const operatorBookId = (await operatorBooks(behind)).test;
    const scopes = ['reconciliations:read', 'reconciliations:write'];
    const operator = clientOf((await addPersonOf(behind, operatorBookId, { name: 'Ada', scopes })).key);
    const main = { bookId: stage.bookId as BookId, client, account: await client.openAccount({ funds: FUNDS }) };
    const euros = await client.openAccount({ currency: 'EUR', funds: FUNDS });
    const dollars = await client.openAccount({ currency: 'USD', funds: FUNDS });
    const tenants = await Promise.all(Array.from({ length: TENANTS }, openTenant));
    const own = await openOwnBook();
    const bank = new ReferenceBank(places);
    const today = new Date(systemClock.now()).toISOString().slice(0, 10);
    const through = addDays(today, -2);

    const sent: (Sent<unknown> & { readonly client: Client })[] = [];
    const payouts = new Set<string>();
    const filed: Payout[] = [];
    const payments = new Set<string>();
    const cards = new Set<string>();
    const batches: string[] = [];
    const runs: string[] = [];
    const reports: string[] = [];
    const behindEndpoints: Endpoint[] = [];
    const purchases: { readonly id: string; readonly approved_amount: number }[] = [];
    let statements = 0;

    const ask = async <Body>(by: Client, path: string, body: Record<string, unknown>, key = randomUUID()) => {
      const request = { path, key, body, headers: { prefer: 'respond-async' } };
      const answer = await certainAnswer<Body>([by], request);
      sent.push({ ...request, answer, client: by });
      return succeeded(answer);
    };
    const payoutOf = async (by: Client, account: Account, destination: Record<string, unknown>) => {
      const body = { account: account.id, amount: 10_000, currency: account.currency, destination };
      const payout = await ask<Payout>(by, '/v1/payouts', body);
      payouts.add(payout.id);
      return payout;
    };

    const scene: Scene = {
      ...{ stage, main, tenants, euros, bank, operator, own, decisions, today, ask, close },
      folder: at('statements'),
      card: '',
      pay: (payer, destination = { type: 'cliq', alias: 'SHOP1' }) =>
        payoutOf(payer.client, payer.account, destination),
      async payment(number) {
        const payment = await ask<{ id: string }>(client, '/v1/payments', {
          ...{ account: main.account.id, currency: 'JOD', amount: 10_000, return_url: 'https://shop.example/return' },
          source: { type: 'card', number, exp_month: 12, exp_year: 2034, cvc: '123' },
        });
        payments.add(payment.id);
        return payment;
      },
      async orderCard(reference) {
        const cardholder = { name: 'Ada Lovelace', ...(reference && { reference }) };
        const body = { account: dollars.id, type: 'virtual', cardholder };
        const { id } = await ask<{ id: string }>(client, '/v1/cards', body);
        cards.add(id);
        return id;
      },
      async payByFile() {
        const iban = 'DE89370400440532013000';
        for (const { name } of AT_BANK) filed.push(await payoutOf(client, euros, { type: 'iban', iban, name }));
      },
      async batch() {
        const item = { amount: 1_000, currency: 'JOD', destination: { type: 'cliq', alias: 'SHOP1' } };
        const body = { account: main.account.id, allow_duplicate: true, items: [item, item, item] };
        batches.push((await ask<{ id: string }>(client, '/v1/payouts/batches', body)).id);
      },
      async fallBehind(payer) {
        const path = `/behind-${behindEndpoints.length}`;
        receiver.answer(path, () => ({ status: 503 }));
        const endpoint = await receiver.subscribe(payer.client, { path });
        behindEndpoints.push(endpoint);
        const id = parsePublicId('webhookEndpoint', endpoint.id)!;
        await until(
          async () => {
            await scene.pay(payer);
            return stage.query<{ behind: boolean }>(
              'SELECT due_at IS NOT NULL AS behind FROM webhook_endpoints WHERE id = $1',
              [id],
            );
          },
          ([row]) => row!.behind,
          { timeoutMs: FAULT_PATIENCE_MS },
        );
        return () => receiver.answer(path, () => ({ status: 200 }));
      },
      async fill() {
        const [debit, credit] = own.accounts;
        const entryOf = (number: number) => ({
          postings: [{ debit, credit, amount: 1 + (number % 900), currency: 'JOD' }],
          ...(number % 2 === 0 && { effective_on: addDays(today, -1 - (number % 5)) }),
        });
        const entries = Array.from({ length: BATCH_ENTRIES }, (_, number) => entryOf(number));
        const path = '/v1/journal/entries/batches';
        const filler = async () => {
          for (let asked = 0; asked < BLOCK_ENTRIES / BATCH_ENTRIES / FILLERS; asked++)
            succeeded(await certainAnswer([own.client], { path, key: randomUUID(), body: { entries } }));
        };
        await Promise.all(Array.from({ length: FILLERS }, filler));
      },
      statement() {
        statements += 1;
        return statementOf(statements);
      },
      async uploadStatement() {
        const rawBody = scene.statement();
        const idempotencyKey = randomUUID();
        const answer = await until(
          () =>
            operator
              .send<{ id: string }>('POST', '/v1/transactions/reconciliations', {
                ...{ rawBody, idempotencyKey, headers: { 'content-type': 'application/xml' } },
              })
              .catch(() => undefined),
          (one) => one !== undefined && one.status < 500,
          { timeoutMs: FAULT_PATIENCE_MS },
        );
        runs.push(succeeded(answer!).id);
      },
      async report() {
        const days = { from: addDays(today, -10), to: today };
        const body = {
          type: 'general_ledger',
          ...days,
          detail: 'entry',
          format: 'csv',
          through_sequence: BLOCK_ENTRIES,
        };
        reports.push((await ask<Report>(own.client, '/v1/reports', body)).id);
      },
      async closeDays() {
        await ask(own.client, '/v1/journal/periods/close', { through });
      },
      async buy() {
        const reference = randomUUID();
        const body = {
          ...{ card: scene.card, amount: 700, currency: 'USD', entry_mode: 'chip' },
          ...{ message_reference: reference, network_reference: `net-${reference}` },
          merchant: { id: 'M1', name: 'Corner Shop', city: 'Reno', country: 'US', mcc: '5411' },
        };
        const purchase = await ask<(typeof purchases)[number]>(client, '/v1/transactions', body, reference);
        purchases.push(purchase);
        await ask(client, `/v1/transactions/${purchase.id}/reverse`, { message_reference: randomUUID() });
      },
      async judge() {
        await until(
          async () => {
            await bank.work();
            await makeRowsDue(behind);
            return Promise.all(filed.map(async ({ id }) => (await client.payout(id)).status));
          },
          (all) => all.every((status, at) => status === playAt(at).status),
          { timeoutMs: FAULT_PATIENCE_MS },
        );
        await stage.settle();
        for (const { client: by, ...one } of sent) await expectFirstAnswerAgain([by], one);
        for (const id of batches) {
          const { payouts: made, rows, carried } = await readBatch(behind, parsePublicId('payoutBatch', id)!);
          expect([made.length, rows, carried]).toEqual([3, 3, 3]);
          for (const payout of made) payouts.add(publicId('payout', payout));
        }
        // A statement may be taken before the killed run of the one that it follows: it is held until that one is there.
        const exceptions = ['inbound_unallocated', 'statement_held'];
        await stage.check([...payouts], { endpoints: behindEndpoints, exceptions });
        const held = "SELECT detail FROM exceptions WHERE kind = 'statement_held' AND status <> 'resolved'";
        // It is released by the sweeper where whoever posted that one was killed.
        await until(
          () => stage.query(held),
          (waiting) => waiting.length === 0,
          { timeoutMs: FAULT_PATIENCE_MS },
        );
        expect(await brokenPayments(behind)).toEqual({});
        expect((await paymentIds(behind, main.bookId)).map((id) => publicId('payment', id))).toEqual(
          [...payments].sort(),
        );
        const orders = [...bank.records.files.values()].flatMap(({ order, rejected }) =>
          (order?.payments ?? []).map((one) => `${one.endToEndId} ${rejected ?? one.rejected}`),
        );
        const ordered = filed.map((one, at) => `${one.end_to_end_id} ${playAt(at).rejected}`);
        expect(orders.sort()).toEqual(ordered.sort());
        const all = BigInt(cards.size);
        expect(await countMade(behind, [...cards])).toEqual({ issued: all, references: all, known: all, orders: all });
        expect(purchases.map(({ approved_amount }) => approved_amount)).toEqual(purchases.map(() => 700));
        expect(new Set(decisions.asked).size).toBe(purchases.length);
        expect((await client.read<Account>(`/v1/accounts/${dollars.id}`)).balance).toMatchObject({ available: FUNDS });
      },
      async judgeBackOffice() {
        await until(
          () => countPoolsBehind(behind, operatorBookId),
          (pools) => pools === 0,
        );
        expect(await unlikeTheBooks(behind, operatorBookId)).toEqual([]);
        for (const { bookId } of tenants.slice(0, 2))
          expect(await readFees(behind, bookId)).toMatchObject({ collections: 1, due: 0n });
        for (const id of runs)
          expect(await operator.read(`/v1/transactions/reconciliations/${id}`)).toMatchObject({ status: 'completed' });
        const [lines] = await stage.query<{ count: number }>('SELECT count(*)::integer AS count FROM bank_lines');
        expect(lines!.count).toBe(statements);
        expect(readdirSync(join(scene.folder, 'done'))).toHaveLength(1);
        expect(await readFold(behind, own.bookId)).toEqual({ blocks: 1, wrong: 0 });
        expect(await countPeriods(behind, own.bookId, through)).toEqual({ closed: 1 });
        const written = await Promise.all(reports.map((id) => own.client.read<Report>(`/v1/reports/${id}`)));
        expect(written.map(({ status }) => status)).toEqual(reports.map(() => 'succeeded'));
        expect(new Set(written.map(({ result }) => result!.sha256)).size).toBe(1);
      },
    };
    const program = { decision: { url: decisions.url, default: 'approve', timeout_ms: 2_000 } };
    succeeded(await client.patch('/v1/cards/program', program));
    return Object.assign(scene, { card: await scene.orderCard() });
  }
}

/** In a chain: each opens with what the one before closed with. */
function statementOf(number: number): string {
  const amount = 100;
  return camt(
    [
      {
        ...{ number: String(number), on: addDays('2026-11-02', number), opening: (number - 1) * amount },
        entries: [{ amount, reference: `R${number}` }],
      },
    ],
    { id: `M${number}` },
  );
}

/** Aliases are the sandbox's, accounts in euros the bank's, which gets a file of what waits. */
function railsOf({ outbox, inbox, work }: Readonly<Record<'outbox' | 'inbox' | 'work', string>>): object {
  const debtor = { name: 'Faults', iban: 'AT611904300234573201', bic: 'BKAUATWW' };
  const limits = { payments_per_file: 3, file_after_seconds: 0, inbox_rests_seconds: 0 };
  return {
    rails: [
      { name: 'sandbox', mode: 'test', currencies: [{ currency: 'JOD' }], adapter: { type: 'sandbox' } },
      {
        ...{ name: 'faults_bank', mode: 'test', currencies: [{ currency: 'EUR' }] },
        ...{ time_zone: 'UTC', calendar: { name: 'sat_sun' } },
        adapter: { type: 'iso20022', profile: 'iso', debtor, folders: { outbox, inbox, work }, ...limits },
      },
    ],
    routes: [
      { destination: 'cliq', currencies: ['JOD'], rail: 'sandbox', fee: 'half_percent' },
      { destination: 'iban', currencies: ['EUR'], rail: 'faults_bank' },
    ],
    fees: [{ name: 'half_percent', currency: 'JOD', basis_points: 50, rounding: 'half_even' }],
  };
}

export const OPERATORS_IBAN = IBAN;
