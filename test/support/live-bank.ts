/** The product with a bank that takes files as its live rail: two rails by currency, their folders, and what the bank reports. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BankPlaces, ReferenceBank } from '../../scripts/bank/reference-bank.ts';
import type { Account, Client, Payout } from '../../scripts/harness/client.ts';
import { succeeded, until } from '../../scripts/harness/client.ts';
import { receiveTransfer } from '../../src/accounts/inbound-transfers/receive-transfer.ts';
import type { BookId } from '../../src/ledger/book/book.ts';
import { newSalt } from '../../src/ledger/rows/personal-text.ts';
import { newId, parsePublicId, type Uuid } from '../../src/values/ids.ts';
import { TEST_IBAN } from './bank-files.ts';
import { contractOf } from './contracted.ts';
import { type Product, type ProductOptions, startProduct, testEnvironment } from './product.ts';

/** A file is made at three payments, so that each scenario has its own, unless a test says otherwise. */
const PAYMENTS = 3;
const HOUR_S = 3_600;
export const FILE_FEE = 35;
export const PAYEE = { type: 'iban', iban: 'DE89370400440532013000', name: 'Jana Müller' };

const CURRENCIES = { house_bank: 'EUR', status_bank: 'USD' } as const;
export type LiveRail = keyof typeof CURRENCIES;

export interface LiveBank {
  readonly product: Product;
  readonly live: Client;
  readonly bookId: BookId;
  /** Of a further process of the product. */
  readonly environment: Record<string, string>;
  readonly places: Readonly<Record<LiveRail, BankPlaces & { readonly work: string }>>;
  /** A customer of the live book with money. */
  funded(funds: number, currency?: string): Promise<Account>;
  close(): Promise<void>;
}

export interface LiveBankOptions {
  /** The pools within the test's process; all by default. */
  readonly pools?: ProductOptions['pools'];
  /** How old a payment gets before a file is made of fewer. */
  readonly fileAfterSeconds?: number;
  readonly paymentsPerFile?: number;
}

export async function startWithBank({
  pools,
  fileAfterSeconds = HOUR_S,
  paymentsPerFile = PAYMENTS,
}: LiveBankOptions = {}): Promise<LiveBank> {
  const root = mkdtempSync(join(tmpdir(), 'live-bank-'));
  const places = Object.fromEntries(
    Object.keys(CURRENCIES).map((rail) => {
      const at = (name: string) => join(root, rail, name);
      const of = { outbox: at('outbox'), inbox: at('inbox'), work: at('work'), records: at('records') };
      for (const folder of Object.values(of)) mkdirSync(folder, { recursive: true });
      return [rail, of];
    }),
  ) as LiveBank['places'];
  const path = join(root, 'rails.json');
  writeFileSync(path, JSON.stringify(railsOf(places, { fileAfterSeconds, paymentsPerFile })));
  const environment = { RAILS_FILE: path };
  const product = await startProduct({ backend: 'postgres', environment, ...(pools && { pools }) });
  await contractOf(product);
  const { live, keys } = await product.organisation();
  const bookId = keys.liveBookId as BookId;
  return {
    ...{ product, live, bookId, places },
    environment: testEnvironment(product.database, undefined, environment),
    async funded(funds, currency = 'EUR') {
      const { id } = succeeded(await live.post<Account>('/v1/accounts', { currency, name: 'Customer' }));
      await receive(product, bookId, { account: id, funds, currency });
      return live.read<Account>(`/v1/accounts/${id}`);
    },
    async close() {
      await product.close();
      rmSync(root, { recursive: true });
    },
  };
}

/** Live money arrives by a bank alone: as its line books it. */
async function receive(
  { runtime }: Product,
  bookId: BookId,
  { account, funds, currency }: { account: string; funds: number; currency: string },
): Promise<void> {
  const accountId = parsePublicId('account', account) as Uuid;
  const of = { bookId, accountId, amount: BigInt(funds), currency, description: null };
  await runtime.committer.submit(
    bookId,
    receiveTransfer({ ...of, salt: newSalt(), requestId: newId(), actor: 'operator' }),
  );
}

function railsOf(
  places: LiveBank['places'],
  { fileAfterSeconds, paymentsPerFile }: { fileAfterSeconds: number; paymentsPerFile: number },
): object {
  const names = Object.keys(CURRENCIES) as LiveRail[];
  return {
    rails: names.map((name) => ({
      ...{ name, mode: 'live', currencies: [{ currency: CURRENCIES[name] }] },
      ...{ time_zone: 'Europe/Vienna', cut_off: '04:30', calendar: { name: 'target2' }, days_to_arrive: 1 },
      adapter: {
        ...{ type: 'iso20022', profile: name === 'house_bank' ? 'epc' : 'iso' },
        paid_by: name === 'house_bank' ? 'entry' : 'status',
        debtor: { name: 'Countinghouse GmbH', iban: TEST_IBAN, bic: 'BKAUATWW' },
        folders: { outbox: places[name].outbox, inbox: places[name].inbox, work: places[name].work },
        ...{ payments_per_file: paymentsPerFile, file_after_seconds: fileAfterSeconds, inbox_rests_seconds: 0 },
      },
    })),
    routes: names.map((name) => ({ destination: 'iban', currencies: [CURRENCIES[name]], rail: name, fee: name })),
    fees: names.map((name) => ({ name, currency: CURRENCIES[name], fixed: FILE_FEE })),
  };
}

/** Three payouts in one file that the bank has taken. */
export interface Filed {
  readonly account: Account;
  readonly payouts: readonly Payout[];
  /** MsgId and PmtInfId. */
  readonly messageId: string;
  readonly group: string;
  readonly file: string;
}

export class LiveFiles {
  /** All that were made. */
  readonly filed: Filed[] = [];
  readonly #bank: LiveBank;
  readonly #rail: LiveRail;
  readonly #taker: ReferenceBank;

  constructor(bank: LiveBank, rail: LiveRail = 'house_bank') {
    this.#bank = bank;
    this.#rail = rail;
    this.#taker = new ReferenceBank(bank.places[rail], { isSilent: true });
  }

  /** 100.00, 200.00 and 300.00 from one account. */
  async file({
    destinations = [PAYEE, PAYEE, PAYEE],
    funds = 100_000,
  }: {
    destinations?: readonly object[];
    funds?: number;
  } = {}): Promise<Filed> {
    const { live } = this.#bank;
    const account = await this.#bank.funded(funds, CURRENCIES[this.#rail]);
    const payouts: Payout[] = [];
    for (const [at, destination] of destinations.entries())
      payouts.push(await this.#pay(account, (at + 1) * 10_000, destination));
    const taken = await until(
      async () => {
        await this.#taker.work();
        return [...this.#taker.records.files.values()].find(({ order }) =>
          order?.payments.some(({ endToEndId }) => endToEndId === payouts[0]!.end_to_end_id),
        );
      },
      (found) => found !== undefined,
    );
    const { messageId, payments } = taken!.order!;
    const processing = await Promise.all(payouts.map(({ id }) => live.payoutUntil(id, 'processing')));
    const filed = { account, payouts: processing, messageId, group: payments[0]!.group, file: taken!.file };
    this.filed.push(filed);
    return filed;
  }

  async #pay(account: Account, amount: number, destination: object): Promise<Payout> {
    const body = { account: account.id, amount, currency: account.currency, destination };
    return succeeded(await this.#bank.live.post<Payout>('/v1/payouts', body));
  }

  /** What was sent, as the bank has it. */
  sent(file: string): string {
    const { work } = this.#bank.places[this.#rail];
    return readFileSync(join(work, 'sent', file), 'utf8');
  }

  /** The bank puts a file into the inbox; resolves once the rail has read it. */
  async tell(content: string, name = `${newId()}.xml`): Promise<void> {
    const { inbox, work } = this.#bank.places[this.#rail];
    const whole = join(work, `bank-${name}`);
    writeFileSync(whole, content);
    renameSync(whole, join(inbox, name));
    await until(
      async () => readdirSync(inbox).includes(name),
      (isThere) => !isThere,
    );
  }

  list(folder: 'done' | 'quarantine' | 'sent' | 'staging'): string[] {
    return readdirSync(join(this.#bank.places[this.#rail].work, folder)).sort();
  }
}
