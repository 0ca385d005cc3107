/** Statements of banks for tests: camt messages and MT940 of some lines, and a book of the operator's that takes them. */
import { hash } from 'node:crypto';
import type { Pool } from '../../src/db/pool.ts';
import type { SecretBox } from '../../src/db/secret-box.ts';
import type { Stored } from '../../src/idempotency/idempotency-key.ts';
import type { BookId } from '../../src/ledger/book/book.ts';
import type { Refusal } from '../../src/ledger/command/command.ts';
import type { Committer } from '../../src/ledger/commit/committer.ts';
import { currencyExponent } from '../../src/money/currency.ts';
import { operatorBooks } from '../../src/organisations/organisation-store.ts';
import type { Arrivals } from '../../src/outside/credits/arrival.ts';
import { bankAccountIdentifiers } from '../../src/reconciliation/accounts/bank-account-table.ts';
import { type NewBankAccount, openBankAccount } from '../../src/reconciliation/accounts/open-bank-account.ts';
import { readProgress, sumLines } from '../../src/reconciliation/lines/bank-line-store.ts';
import type { CsvProfile } from '../../src/reconciliation/reading/read-csv.ts';
import { checkBankFile } from '../../src/reconciliation/runs/first-reading.ts';
import { type ImportRuntime, importFile } from '../../src/reconciliation/runs/import-file.ts';
import { postStatement } from '../../src/reconciliation/runs/post-statement.ts';
import type { Reconciliation } from '../../src/reconciliation/runs/reconciliation.ts';
import type { BankStatement } from '../../src/reconciliation/statements/bank-statement.ts';
import { bankStatements } from '../../src/reconciliation/statements/bank-statement-table.ts';
import { approveDecision, proposeDecision } from '../../src/reconciliation/statements/decide-statement.ts';
import { encodeActor } from '../../src/values/actor.ts';
import { systemClock } from '../../src/values/clock.ts';
import { newId, type Uuid } from '../../src/values/ids.ts';
import { openBook, type TestBook } from './book.ts';
import { LATEST_FORMS } from './forms.ts';
import { TEST_SECRET_BOX } from './secret-box.ts';

export const IBAN = 'JO94CBJO0010000000000131000302';

/** Minor units as decimals, as many as the currency has. */
function decimal(amount: number, currency: string): string {
  const exponent = currencyExponent(currency);
  const digits = String(Math.abs(amount)).padStart(exponent + 1, '0');
  return `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

const amountOf = (amount: number, currency: string) => `<Amt Ccy="${currency}">${decimal(amount, currency)}</Amt>`;

const direction = (amount: number) => (amount < 0 ? 'DBIT' : 'CRDT');

export interface CamtEntry {
  readonly amount: number;
  readonly on?: string;
  readonly status?: 'BOOK' | 'PDNG';
  readonly reference?: string;
  readonly endToEndId?: string;
  readonly text?: string;
  readonly reversal?: true;
  /** Of the other side. */
  readonly account?: string;
  readonly batch?: { readonly id: string; readonly transactions: number };
  /** Included in the amount. */
  readonly charge?: number;
  /** Of the bank's own list. */
  readonly code?: string;
  /** Movements that the bank booked as one. */
  readonly details?: readonly { readonly amount: number; readonly endToEndId: string }[];
  /** What was ordered, and the rate at which it became what was booked. */
  readonly instructed?: { readonly amount: number; readonly currency: string; readonly rate?: string };
}

export interface CamtStatement {
  readonly account?: string;
  readonly currency?: string;
  readonly number?: string;
  readonly on?: string;
  readonly opening?: number;
  /** Left out: what opening and entries come to. */
  readonly closing?: number;
  readonly duplicate?: true;
  readonly entries: readonly CamtEntry[];
}

const MESSAGES = {
  'camt.053': ['BkToCstmrStmt', 'Stmt'],
  'camt.052': ['BkToCstmrAcctRpt', 'Rpt'],
} as const;

/** One message with these statements. */
export function camt(
  statements: readonly CamtStatement[],
  { type = 'camt.053', id = 'M1' }: { type?: keyof typeof MESSAGES; id?: string } = {},
): string {
  const [message, statement] = MESSAGES[type];
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${type}.001.08"><${message}><GrpHdr><MsgId>${id}</MsgId></GrpHdr>
${statements.map((one) => camtStatement(one, statement)).join('\n')}
</${message}></Document>`;
}

function camtStatement(
  {
    account = IBAN,
    currency = 'JOD',
    number = '1',
    on = '2026-11-03',
    opening,
    closing,
    duplicate,
    entries,
  }: CamtStatement,
  name: string,
): string {
  const sum = entries.reduce((total, { amount, status = 'BOOK' }) => total + (status === 'BOOK' ? amount : 0), 0);
  const balances =
    opening === undefined
      ? []
      : ([
          ['OPBD', opening],
          ['CLBD', closing ?? opening + sum],
        ] as const);
  return `<${name}><Id>${number}</Id><ElctrncSeqNb>${number}</ElctrncSeqNb>${duplicate ? '<CpyDplctInd>DUPL</CpyDplctInd>' : ''}
<Acct><Id><IBAN>${account}</IBAN></Id><Ccy>${currency}</Ccy></Acct>
${balances.map(([code, amount]) => `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${amountOf(amount, currency)}<CdtDbtInd>${direction(amount)}</CdtDbtInd><Dt><Dt>${on}</Dt></Dt></Bal>`).join('\n')}
${entries.map((entry) => camtEntry(entry, { day: on, currency })).join('\n')}</${name}>`;
}

function camtEntry(entry: CamtEntry, { day, currency }: { day: string; currency: string }): string {
  const { amount, on, status = 'BOOK', reference, reversal, charge, code } = entry;
  const charges = charge
    ? `<Chrgs><Rcrd>${amountOf(charge, currency)}<ChrgInclInd>true</ChrgInclInd></Rcrd></Chrgs>`
    : '';
  return `<Ntry>${amountOf(amount, currency)}<CdtDbtInd>${direction(amount)}</CdtDbtInd>${reversal ? '<RvslInd>true</RvslInd>' : ''}
<Sts><Cd>${status}</Cd></Sts><BookgDt><Dt>${on ?? day}</Dt></BookgDt>${reference ? `<AcctSvcrRef>${reference}</AcctSvcrRef>` : ''}
${code ? `<BkTxCd><Prtry><Cd>${code}</Cd></Prtry></BkTxCd>` : ''}${charges}<NtryDtls>${detailsOf(entry, currency)}</NtryDtls></Ntry>`;
}

function detailsOf(
  { amount, endToEndId, text, account, batch, details, instructed }: CamtEntry,
  currency: string,
): string {
  const stated = batch ? `<Btch><PmtInfId>${batch.id}</PmtInfId><NbOfTxs>${batch.transactions}</NbOfTxs></Btch>` : '';
  if (details)
    return `${stated}${details.map((one) => `<TxDtls><Refs><EndToEndId>${one.endToEndId}</EndToEndId></Refs>${amountOf(one.amount, currency)}</TxDtls>`).join('')}`;
  if (batch) return stated;
  const side = amount < 0 ? 'Cdtr' : 'Dbtr';
  const other = account ? `<RltdPties><${side}Acct><Id><IBAN>${account}</IBAN></Id></${side}Acct></RltdPties>` : '';
  const rate = instructed?.rate ? `<CcyXchg><XchgRate>${instructed.rate}</XchgRate></CcyXchg>` : '';
  const ordered = instructed
    ? `<AmtDtls><InstdAmt>${amountOf(instructed.amount, instructed.currency)}${rate}</InstdAmt></AmtDtls>`
    : '';
  return `<TxDtls><Refs><EndToEndId>${endToEndId ?? 'NOTPROVIDED'}</EndToEndId></Refs>${ordered}${other}${text ? `<RmtInf><Ustrd>${text}</Ustrd></RmtInf>` : ''}</TxDtls>`;
}

/** What the lines of a page of an MT940 say; `first` and `last` are `F` or `M`. */
export interface SwiftPage {
  readonly number: string;
  readonly opening: string;
  readonly closing: string;
  readonly lines: readonly string[];
}

export function mt940({ number, opening, closing, lines }: SwiftPage): string {
  return [':20:STATEMENT', `:25:${IBAN}`, `:28C:${number}`, opening, ...lines, closing, '-', ''].join('\r\n');
}

/** What takes files: of a product, or of a book without one. */
export interface Taker {
  readonly bookId: BookId;
  readonly pool: Pool;
  readonly committer: Pick<Committer, 'submit'>;
  /** Left out: no book is mirrored, and items are made by tests. */
  readonly mirror?: (operatorBookId: BookId) => Promise<void>;
  /** Left out: that of tests without a product. */
  readonly secretBox?: SecretBox;
  /** Left out: no line is money that arrives. */
  readonly arrivals?: Arrivals;
  /** Left out: no payout is returned. */
  readonly returnAtBank?: ImportRuntime['returnAtBank'];
  /** Left out: no rail works by files. */
  readonly handToRails?: ImportRuntime['handToRails'];
}

/** A bank account in JOD that begins with nothing. */
export async function makeBankAccount(
  { bookId, committer }: Taker,
  change: Partial<NewBankAccount> = {},
): Promise<Uuid> {
  const answer = await committer.submit(
    bookId,
    openBankAccount({
      bookId,
      isOperators: true,
      requestId: newId(),
      actor: 'test',
      name: 'Current account',
      currency: 'JOD',
      identifiers: [IBAN],
      bic: null,
      holds: 'customer_money',
      openingOn: '2025-01-01',
      openingAmount: 0n,
      outstanding: [],
      booksFrom: 'statement',
      reversalIndicator: 'entry',
      allocateOn: 'notification',
      ...{ calendar: 'fri_sat', windowBefore: 1, windowAfter: 5, parties: [] },
      ...change,
    }),
  );
  return made(answer);
}

/** Nobody has references. */
export const NO_ARRIVALS: Arrivals = {
  take: () => Promise.resolve(new Map()),
  leave: () => Promise.resolve(new Map()),
};

export const NO_RETURNS = () => Promise.resolve();

/** Takes a file, in parts of some bytes. */
export async function takeBankFile(
  {
    bookId,
    pool,
    committer,
    mirror = () => Promise.resolve(),
    secretBox = TEST_SECRET_BOX,
    arrivals = NO_ARRIVALS,
    returnAtBank = NO_RETURNS,
    handToRails,
  }: Taker,
  text: string | Buffer,
  { name = 'bank.xml', profile }: { name?: string; profile?: CsvProfile | undefined } = {},
): Promise<Reconciliation> {
  const bytes = Buffer.from(text);
  const read = () => partsOf(bytes);
  const checked = checkBankFile(read(), profile);
  const others = { mirror, arrivals, returnAtBank, handToRails };
  const runtime = { pool, committer, secretBox, clock: systemClock, ...others };
  const bankAccountId = profile && (await bankAccountIdentifiers.find(pool, bookId, profile.account))!.bankAccountId;
  const csv = profile && { bankAccountId: bankAccountId!, profileId: null, profile };
  return importFile(runtime, { bookId, checked, name, read, csv });
}

const [ADA, BEN] = ['a', 'b'].map(() => encodeActor({ type: 'person', id: newId(), keyId: newId() })) as [
  string,
  string,
];

/** A book of the operator's in a database of its own. */
export class OperatorsBank {
  private constructor(
    readonly book: TestBook,
    readonly pool: Pool,
  ) {}

  static async open(applicationUrl: string): Promise<OperatorsBank> {
    const any = await openBook({ database: applicationUrl, forms: LATEST_FORMS });
    const bookId = (await operatorBooks(any.pool)).test;
    const book = await openBook({ database: any.pool, bookId, forms: LATEST_FORMS });
    return new OperatorsBank(book, any.pool);
  }

  async close(): Promise<void> {
    await this.book.close();
    await this.pool.end();
  }

  get taker(): Taker {
    return { bookId: this.book.id, pool: this.pool, committer: this.book.committer };
  }

  account(change: Partial<NewBankAccount> = {}): Promise<Uuid> {
    return makeBankAccount(this.taker, change);
  }

  take(text: string | Buffer, file: { name?: string; profile?: CsvProfile } = {}): Promise<Reconciliation> {
    return takeBankFile(this.taker, text, file);
  }

  async statement(id: Uuid): Promise<BankStatement> {
    return (await bankStatements.find(this.pool, this.book.id, id))!;
  }

  /** One person decides. */
  async propose(statementId: Uuid, decision: 'accept' | 'reject'): Promise<void> {
    made(await this.asks(statementId, decision));
  }

  async asks(statementId: Uuid, decision: 'accept' | 'reject'): Promise<Stored | Refusal> {
    const { bankAccountId } = await this.statement(statementId);
    const asked = { statementId, bankAccountId, requestId: newId(), actor: ADA };
    return this.book.submit(proposeDecision({ ...asked, decision, reason: 'The bank confirms it' }));
  }

  /** A person approves. Nothing is posted yet. */
  async approve(statementId: Uuid, actor: string = BEN): Promise<Stored | Refusal> {
    const { kept } = await readProgress(this.pool, this.book.id, statementId);
    const linesSum = await sumLines(this.pool, this.book.id, statementId);
    const asked = { statementId, requestId: newId(), actor };
    return this.book.submit(
      approveDecision({ ...asked, statement: await this.statement(statementId), kept, linesSum }),
    );
  }

  /** One person decides, another approves; what is released is posted. */
  async decide(statementId: Uuid, decision: 'accept' | 'reject'): Promise<BankStatement> {
    await this.propose(statementId, decision);
    const alone = await this.approve(statementId, ADA);
    if (alone.refused !== 'self_approval_forbidden') throw new Error('One person was enough.');
    made(await this.approve(statementId));
    return this.post(statementId);
  }

  async post(statementId: Uuid, committer: Taker['committer'] = this.book.committer): Promise<BankStatement> {
    const statement = await this.statement(statementId);
    return postStatement({ pool: this.pool, committer }, { bookId: this.book.id, statement, actor: BEN });
  }

  /** Posted balances by code, each on its own side; zeros are left out. */
  async balances(): Promise<Record<string, bigint>> {
    const rows = await this.book.rows<{ code: string; balance: bigint }>(
      `SELECT code, sum(CASE side WHEN 'debit' THEN posted_debits - posted_credits ELSE posted_credits - posted_debits END)::bigint AS balance
       FROM accounts WHERE book_id = $1 GROUP BY code`,
    );
    return Object.fromEntries(rows.filter(({ balance }) => balance !== 0n).map(({ code, balance }) => [code, balance]));
  }

  statements() {
    return this.book.rows<{
      id: Uuid;
      number: string | null;
      page: number | null;
      status: string;
      findings: { code: string; expected: string | null; actual: string | null; detail: string }[];
    }>('SELECT id, number, page, status, findings FROM bank_statements WHERE book_id = $1 ORDER BY id');
  }

  lines() {
    return this.book.rows<{ amount: bigint; booked_on: string; status: string }>(
      'SELECT l.amount, l.booked_on, l.status FROM bank_lines l LEFT JOIN entries e ON e.book_id = l.book_id AND e.id = l.entry_id WHERE l.book_id = $1 ORDER BY e.sequence NULLS LAST, l.id',
    );
  }

  exceptions() {
    return this.book.rows<{ kind: string; stage: string }>(
      'SELECT kind, stage FROM exceptions WHERE book_id = $1 ORDER BY place',
    );
  }

  /** What a second taking must not change. */
  async digest(): Promise<string> {
    const all = [await this.balances(), await this.statements(), await this.lines(), await this.exceptions()];
    return hash(
      'sha256',
      JSON.stringify(all, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    );
  }
}

/** Readers must not depend on where a part ends. */
const PART_BYTES = 97;

export function* partsOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PART_BYTES) yield bytes.subarray(at, at + PART_BYTES);
}

function made(answer: Stored | Refusal): Uuid {
  if (answer.refused) throw new Error(`Refused: ${answer.refused} ${answer.detail ?? ''}`);
  return answer.resourceId!;
}
