/** Takes the lines of a file in their order: finds what they name, and records their reports. */
import type { Transaction } from '../../db/pool.ts';
import type { SecretBox } from '../../db/secret-box.ts';
import type { ReportedCredit } from '../../outside/credits/credit.ts';
import { reportCredits } from '../../outside/credits/credit-store.ts';
import type { Instant } from '../../values/clock.ts';
import { deriveId, type Uuid } from '../../values/ids.ts';
import { isDuplicate } from '../failure-codes.ts';
import { insertFindings, insertNotices, type NewNotice } from './bank-inbox-store.ts';
import {
  findNamed,
  findOfFile,
  type Outcome,
  type RailRows,
  recordOutcomes,
  type StoredInstruction,
} from './bank-instruction-store.ts';
import type { BankLine, EntryLine } from './bank-line.ts';
import type { BankSettings } from './bank-settings.ts';
import { type Meaning, meaningOfEntry, meaningOfStatus, type Reported } from './match-line.ts';

export interface LineContext {
  readonly bank: BankSettings;
  readonly rows: RailRows;
  readonly secretBox: SecretBox;
  readonly sha256: string;
  /** Entries of the file whose transactions do not come to their amount: whose a part is, nobody knows. */
  readonly unequal: ReadonlySet<number>;
  readonly now: Instant;
}

/** Lines whose payments are looked up in one statement. */
const PAGE = 500;
/** Beyond the longest id of ISO 20022: a line's text may be anything. */
const TEXT_MAX = 140;

export class LineTaker {
  readonly #trx: Transaction;
  readonly #context: LineContext;
  /** End-to-end ids and payments that this file reports one by one: a higher level is not about them. */
  readonly #reported = new Set<string>();
  /** Of this file: a reference that several of its lines share identifies nothing. */
  readonly #lineIds = new Set<Uuid>();
  /** Of this file: how many credits have a reference of the bank's. */
  readonly #turns = new Map<string, number>();

  constructor(trx: Transaction, context: LineContext) {
    this.#trx = trx;
    this.#context = context;
  }

  async take(lines: readonly BankLine[]): Promise<void> {
    let page: BankLine[] = [];
    const takePage = async () => {
      if (page.length > 0) await this.#takeNamed(page);
      page = [];
    };
    for (const line of lines) {
      if (namesOne(line)) {
        page.push(line);
        if (page.length >= PAGE) await takePage();
      } else {
        await takePage();
        await this.#takeOfFile(line);
      }
    }
    await takePage();
  }

  async #takeNamed(lines: readonly BankLine[]): Promise<void> {
    const { rows, bank } = this.#context;
    const found = await findNamed(this.#trx, rows, {
      endToEndIds: lines.flatMap(({ endToEndId }) => endToEndId ?? []),
      references: lines.flatMap(({ instructionId }) => instructionId ?? []),
    });
    const byId = new Map(found.map((one) => [one.endToEndId, one]));
    const byReference = new Map(found.map(({ reference, endToEndId }) => [reference, endToEndId]));
    const notices: NewNotice[] = [];
    const credits: ReportedCredit[] = [];
    const outcomes = new Map<string, Outcome>();
    for (const line of lines) {
      const one = byId.get(line.endToEndId ?? '') ?? byId.get(byReference.get(line.instructionId ?? '') ?? '');
      if (line.type === 'status' && one !== undefined) this.#reported.add(one.endToEndId);
      const instructions = one === undefined ? [] : [one];
      const meaning =
        line.type === 'status'
          ? meaningOfStatus(line, instructions, bank)
          : meaningOfEntry(line, { instructions, isBatch: false });
      notices.push(...this.#noticesOf(line, meaning));
      if (meaning.credit) await this.#addCredit(line as EntryLine, credits);
      for (const reported of meaning.reported) {
        const outcome = outcomeOf(reported, outcomes.get(reported.instruction.endToEndId));
        outcomes.set(outcome.endToEndId, outcome);
        // A later line of the file sees it.
        if (outcome.status !== null) byId.set(outcome.endToEndId, { ...one!, status: outcome.status });
      }
    }
    await this.#record(notices, [...outcomes.values()]);
    await this.#reportCredits(credits);
  }

  /** A line of a payment or of a whole file: all of it, without those that it reports one by one. */
  async #takeOfFile(line: BankLine): Promise<void> {
    const { rows, bank, now } = this.#context;
    const { paymentInformationId } = line;
    const messageId = messageIdOf(line);
    const all = messageId === undefined ? [] : await findOfFile(this.#trx, rows, { messageId, paymentInformationId });
    const instructions = line.type === 'entry' ? all : this.#silent(all);
    if (line.type === 'status') for (const { endToEndId } of all) this.#reported.add(endToEndId);
    const meaning =
      line.type === 'status'
        ? meaningOfStatus(line, instructions, bank)
        : meaningOfEntry(line, { instructions, isBatch: true });
    await this.#record(
      this.#noticesOf(line, meaning),
      meaning.reported.map((reported) => outcomeOf(reported, undefined)),
    );
    if (meaning.credit) {
      const credits: ReportedCredit[] = [];
      await this.#addCredit(line as EntryLine, credits);
      await this.#reportCredits(credits);
    }
    if (meaning.finding === undefined) return;
    const { kind, detail } = meaning.finding;
    const named = line.type === 'entry' ? this.#lineIdOf(line, kind) : deriveId('bank-file-finding', messageId!);
    const id = deriveId('bank-finding', bank.name, kind, named);
    const fileId = deriveId('bank-file', bank.name, messageId ?? '');
    await insertFindings(this.#trx, rows, [{ id, kind, fileId, detail: detail.slice(0, 1_000) }], now);
  }

  #silent(all: readonly StoredInstruction[]): StoredInstruction[] {
    return all.filter(({ endToEndId }) => !this.#reported.has(endToEndId));
  }

  #noticesOf(line: BankLine, { reported, nothing }: Meaning): NewNotice[] {
    const reference = (
      (line.type === 'entry' ? line.bankReference : line.reportId) ||
      `${this.#context.sha256.slice(0, 16)}:${line.place}`
    ).slice(0, TEXT_MAX);
    const of = { reference, place: line.place };
    if (nothing === 'foreign') {
      const endToEndId = (line.endToEndId ?? line.instructionId ?? '').slice(0, TEXT_MAX);
      const lineId = this.#lineIdOf(line, `foreign ${endToEndId}`);
      const facts = { amount: null, code: null, confirmedAmount: null, confirmedCurrency: null };
      return [{ ...of, ...facts, lineId, originator: null, endToEndId, kind: 'foreign' }];
    }
    return reported.map(({ instruction, kind, amount, code, confirmed }) => ({
      ...of,
      lineId: this.#lineIdOf(line, `${kind} ${instruction.endToEndId}`),
      originator: instruction.originator,
      endToEndId: instruction.endToEndId,
      kind,
      amount,
      code: code?.slice(0, TEXT_MAX) ?? null,
      confirmedAmount: confirmed.amount || null,
      confirmedCurrency: confirmed.currency ?? null,
    }));
  }

  /** The same in every file, where the bank has a reference of its own. */
  #lineIdOf(line: BankLine, what: string): Uuid {
    const { bank, sha256 } = this.#context;
    const ofPlace = deriveId('bank-line', sha256, String(line.place), what);
    const named =
      line.type === 'status'
        ? line.reportId && `${line.reportId} ${line.status}`
        : line.bankReference && `${line.account} ${line.bankReference}`;
    if (!named) return ofPlace;
    const lineId = deriveId('bank-line', bank.name, named, what);
    if (this.#lineIds.has(lineId)) return ofPlace;
    this.#lineIds.add(lineId);
    return lineId;
  }

  /** Each transaction of an entry is a credit of its own where all of them come to the entry; else the entry is an exception, once. */
  async #addCredit(line: EntryLine, credits: ReportedCredit[]): Promise<void> {
    const { bank, rows, sha256, unequal, now } = this.#context;
    if (!unequal.has(line.entry)) {
      credits.push(this.#creditOf(line));
      return;
    }
    const [kind, entry] = ['file_amount_mismatch' as const, String(line.entry)];
    const id = deriveId('bank-finding', bank.name, kind, sha256, entry);
    const detail = `Entry ${entry} of a file of ${bank.name} shows transactions that do not come to its amount. Nobody is credited with them: ask the bank for a file with the amounts, or allocate the line of the statement in reconciliation.`;
    const fileId = deriveId('bank-file', bank.name, sha256);
    await insertFindings(this.#trx, rows, [{ id, kind, fileId, detail }], now);
  }

  #creditOf(line: EntryLine): ReportedCredit {
    return {
      bankAccount: line.account,
      accountNames: line.accountNames ?? [],
      bankReference: line.bankReference || null,
      place: `${this.#context.sha256}:${line.place}`,
      amount: line.amount!,
      currency: line.currency,
      endToEndId: line.endToEndId ?? null,
      payerName: line.payerName ?? null,
      payerAccount: line.payerAccount ?? null,
      remittance: line.remittance,
      valueOn: dayOf(line.valueOn),
      bookedOn: dayOf(line.bookedOn),
    };
  }

  async #reportCredits(credits: readonly ReportedCredit[]): Promise<void> {
    const { rows, secretBox, now } = this.#context;
    await reportCredits(this.#trx, { ...rows, secretBox, now }, credits, this.#turns);
  }

  async #record(notices: readonly NewNotice[], outcomes: readonly Outcome[]): Promise<void> {
    const { rows, sha256, now } = this.#context;
    if (notices.length > 0) await insertNotices(this.#trx, rows, notices, { sha256, now });
    if (outcomes.length > 0) await recordOutcomes(this.#trx, rows.bookId, outcomes, now);
  }
}

/** Of a day or a moment; null for what is neither. */
function dayOf(text: string | undefined): string | null {
  return /^\d{4}-\d{2}-\d{2}/.exec(text ?? '')?.[0] ?? null;
}

/** By EndToEndId, else InstrId; a line that has neither names a payment or a file. */
function namesOne(line: BankLine): boolean {
  if (line.type === 'status') return line.level === 'transaction';
  if (line.endToEndId !== undefined || line.instructionId !== undefined) return true;
  return messageIdOf(line) === undefined;
}

/** Our PmtInfIds begin with the MsgId of their file (make-file.ts). */
function messageIdOf({ messageId, paymentInformationId }: BankLine): string | undefined {
  return messageId ?? paymentInformationId?.replace(/-\d+$/, '');
}

/** A payment of another amount or currency is not ours as it stands; a duplicate is no rejection of it. */
function outcomeOf({ instruction, kind, code, confirmed }: Reported, before: Outcome | undefined): Outcome {
  const { endToEndId, amount, currency } = instruction;
  const isReturned = kind === 'returned' || before?.isReturned === true;
  const kept = { endToEndId, isReturned, status: before?.status ?? null, code: before?.code ?? null };
  if (kind === 'paid' && confirmed.amount === amount && confirmed.currency === currency)
    return { ...kept, status: 'paid', code: null };
  if (kind === 'rejected' && !isDuplicate(code))
    return { ...kept, status: 'rejected', code: code?.slice(0, TEXT_MAX) ?? null };
  return kept;
}
