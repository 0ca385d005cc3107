/**
 * The iso20022 rail: payouts by files that a bank takes and answers in files of its own. A submission is a row, once by its end-to-end id;
 * files are made of rows (make-file.ts), published (publish-file.ts), and lines of the bank end them (take-bank-lines.ts).
 */
import { hash } from 'node:crypto';
import { dayOf } from '../../calendar/day.ts';
import { BadInput } from '../../intake/bad-input.ts';
import type { HandedFile } from '../../intake/handed-file.ts';
import { openFile } from '../../intake/sealed-file.ts';
import type { NotFound } from '../../outside/party/party.ts';
import { withinLimit } from '../../process/time-limit.ts';
import { deriveId, type Uuid } from '../../values/ids.ts';
import { toJson } from '../../values/json.ts';
import {
  type Found,
  type Instruction,
  type NotCarried,
  type Offered,
  type Rail,
  type RailAnswer,
  type RailNotice,
  RailUnreachable,
  type RailWarning,
  type ReceivingAccount,
} from '../rail.ts';
import type { Bank } from './bank.ts';
import { silentFrom } from './bank-days.ts';
import { findPause, type Pause, payeePlaceOf, readWaiting } from './bank-file-store.ts';
import {
  acknowledgeBankNotices,
  type BankFinding,
  insertFindings,
  listFindings,
  openBankNotices,
  recordOpened,
} from './bank-inbox-store.ts';
import { findInstruction, recordInstruction, type StoredInstruction } from './bank-instruction-store.ts';
import { isNotCarried, type Payee, toCarry } from './credit-transfer.ts';
import { checkFolders } from './folders.ts';
import { makeFile, randomText } from './make-file.ts';
import { type BankHas, resolveMissing } from './missing-file.ts';
import { publishFiles } from './publish-file.ts';
import { BankInbox, type HandOn } from './read-inbox.ts';
import { isOfRail } from './reported-account.ts';
import { type Adopted, adoptSent, compareSent, type Difference, differencesOf } from './sent-folder.ts';
import { checkBankFile, takeBankFile } from './take-bank-file.ts';

const HOUR_MS = 3_600_000;
/** Rows of our own database: a statement takes milliseconds. What is behind a lock for longer is found by an inquiry. */
const CALL_TIMEOUT_MS = 10_000;
/** Files of one round: the next round continues. */
const FILES_AT_ONCE = 10;
const FINDINGS_AT_ONCE = 100;

/** ISO 20022: the instruction came too late; the payee's data cannot be carried. */
const TOO_LATE = 'TM01';
const NOT_CARRIED = 'BE04';

export class Iso20022Rail implements Rail {
  readonly name: string;
  readonly mode: Rail['mode'];
  readonly idempotent = true;
  /** A submission is a row of the same database: whoever can ask could have submitted. */
  readonly notFoundFinalAfterMs = 24 * HOUR_MS;
  /** Lines of the bank come by notices: inquiries find silence alone. */
  readonly inquiryDelaysMs = [HOUR_MS, 4 * HOUR_MS, 12 * HOUR_MS, 24 * HOUR_MS];
  readonly destinations = ['iban'] as const;
  readonly paysTokensOf: readonly string[] = [];
  readonly confirms = { amount: true, currency: true, payee: false };
  readonly returnsWhole = true;
  readonly callTimeoutMs: number;
  readonly callsAtOnce = 100;
  readonly #bank: Bank;
  readonly #inbox: BankInbox;
  #hasFolders = false;

  constructor(bank: Bank, { callTimeoutMs = CALL_TIMEOUT_MS }: { readonly callTimeoutMs?: number } = {}) {
    this.callTimeoutMs = callTimeoutMs;
    this.name = bank.settings.name;
    this.mode = bank.settings.mode;
    this.#bank = bank;
    this.#inbox = new BankInbox(bank);
  }

  payeeDigest(endToEndId: string, payee: string): string {
    return hash('sha256', `${endToEndId} ${payee}`, 'hex');
  }

  receivesOn(currency: string): ReceivingAccount[] {
    const { currencies, debtor } = this.#bank.settings;
    return currencies.includes(currency) ? [{ name: debtor.name, identifiers: [debtor.iban], bic: debtor.bic }] : [];
  }

  refuses({ amount, currency, destination, remittance = null }: Offered): NotCarried | undefined {
    const payout = { amount, currency, payee: payeeOf({ destination }), remittance };
    const carried = toCarry(payout, this.#bank.settings);
    return isNotCarried(carried) ? carried : undefined;
  }

  /** Banks are reached by files alone: no call verifies an account holder. */
  async resolve(): Promise<Found> {
    return { status: 'found', nameMasked: null, providers: [], account: null, verification: 'unavailable' };
  }

  async submit(instruction: Instruction): Promise<RailAnswer> {
    const { originator, endToEndId, amount, currency, notAfter, batch = null } = instruction;
    const { remittance = null, description = null, purposeCode = null } = instruction;
    const transfer = { amount, currency, payee: payeeOf(instruction), remittance, description };
    const carried = toCarry(transfer, this.#bank.settings);
    if (isNotCarried(carried)) return rejected(endToEndId, NOT_CARRIED, carried.param);
    const { pool, clock, secretBox } = this.#bank;
    const recorded = await this.#ask('submit', async () => {
      const rows = await this.#bank.rows();
      const payeeSealed = secretBox.seal(toJson({ ...carried, purposeCode }), payeePlaceOf(rows.bookId, endToEndId));
      const reference = randomText('I');
      const submitted = { originator, endToEndId, reference, amount, currency, batch, payeeSealed, notAfter };
      return recordInstruction(pool, rows, submitted, Math.round(clock.now() - Date.now()));
    });
    if (recorded === undefined) return rejected(endToEndId, TOO_LATE);
    if (!isSame(recorded, instruction, this.name))
      throw new RailUnreachable(`Another instruction has the end-to-end id ${endToEndId}`);
    return answerOf(recorded, this.#warningOf(recorded));
  }

  async inquire(originator: string, endToEndId: string): Promise<RailAnswer | NotFound> {
    const found = await this.#ask('inquire', async () =>
      findInstruction(this.#bank.pool, (await this.#bank.rows()).bookId, endToEndId),
    );
    if (found === undefined || found.originator !== originator || found.rail !== this.name)
      return { status: 'not_found', endToEndId, asOf: this.#bank.clock.now(), raw: { transaction_status: 'NFND' } };
    return answerOf(found, this.#warningOf(found));
  }

  notices(limit: number, behind: Uuid = '00000000-0000-0000-0000-000000000000'): Promise<RailNotice[]> {
    return this.#ask('notices', async () =>
      openBankNotices(this.#bank.pool, await this.#bank.rows(), { limit, behind }),
    );
  }

  acknowledge(ids: readonly Uuid[]): Promise<void> {
    return this.#ask('acknowledge', async () =>
      acknowledgeBankNotices(this.#bank.pool, await this.#bank.rows(), ids, this.#bank.clock.now()),
    );
  }

  /** What a person should see of one that its bank has not ended. */
  #warningOf({ status, silentAt, returnedAt, file }: StoredInstruction): RailWarning | undefined {
    const { settings, clock } = this.#bank;
    // A file that an operator keeps back is not at the bank.
    if (status !== 'filed' || !file?.isPublished) return undefined;
    const now = clock.now();
    if (returnedAt !== null) {
      const from = silentFrom(
        dayOf(returnedAt, settings.schedule.timeZone),
        settings.silentAfterDays,
        settings.schedule,
      );
      if (now >= from) return 'return_without_debit';
    }
    return silentAt !== null && now >= silentAt ? 'rail_silent' : undefined;
  }

  /** Throws Error naming the folder that is missing or on another file system. */
  async checkFolders(): Promise<void> {
    if (this.#hasFolders) return;
    await checkFolders(this.#bank.settings.folders);
    this.#hasFolders = true;
  }

  /**
   * One round: goes on with files that were made, makes what is due, reads the inbox. What an operator keeps back is neither made nor handed
   * over; a file that nobody can explain stops new files alone. Any process may run it, several at once too.
   */
  async work(handOn?: HandOn): Promise<void> {
    await this.checkFolders();
    if (await publishFiles(this.#bank)) await this.#makeFiles();
    await this.#inbox.read(handOn);
  }

  /** Takes its part of a notification that reconciliation was given, once by its bytes. Nothing where it is of another account. */
  async takeHanded({ bookId, sha256, name, accounts }: HandedFile): Promise<void> {
    const bank = this.#bank;
    const rows = await bank.rows();
    if (rows.bookId !== bookId || !(await isOfRail(bank.pool, bookId, { bank: bank.settings, names: accounts })))
      return;
    const kept = async function* () {
      yield* (await openFile(bank.pool, bank.secretBox, { bookId, sha256 })) ?? [];
    };
    try {
      const { unequal, error } = await checkBankFile(kept);
      if (error !== undefined) throw error;
      await takeBankFile(bank, { name, sha256, unequal, read: kept });
    } catch (error) {
      if (!(error instanceof BadInput)) throw error;
      const id = deriveId('bank-finding', this.name, 'file_quarantined', sha256);
      const fileId = deriveId('bank-file', this.name, sha256);
      const detail = `A file that reconciliation was given was not understood by ${this.name}: ${error.message} The rail booked nothing of it.`;
      await insertFindings(bank.pool, rows, [{ id, kind: 'file_quarantined', fileId, detail }], bank.clock.now());
    }
  }

  async #makeFiles(): Promise<void> {
    for (let made = 0; made < FILES_AT_ONCE; made++) {
      if ((await findPause(this.#bank.pool, await this.#bank.rows())) !== undefined) return;
      if (!(await compareSent(this.#bank)) || !(await makeFile(this.#bank))) return;
      if (!(await publishFiles(this.#bank))) return;
    }
  }

  /** Calls `open` for each exception that no one has opened. */
  async openFindings(open: (finding: BankFinding, bookId: Uuid) => Promise<unknown>): Promise<void> {
    const rows = await this.#bank.rows();
    for (const finding of await listFindings(this.#bank.pool, rows, FINDINGS_AT_ONCE)) {
      await open(finding, rows.bookId);
      await recordOpened(this.#bank.pool, rows, finding.id, this.#bank.clock.now());
    }
  }

  /** What waits for a file, up to a file's payments, and what pauses the rail. */
  async state(): Promise<{ readonly waiting: number; readonly pause: Pause | undefined }> {
    const { pool, settings } = this.#bank;
    const rows = await this.#bank.rows();
    const [{ count }, pause] = await Promise.all([
      readWaiting(pool, rows, { limit: settings.file.paymentsMax, without: [] }),
      findPause(pool, rows),
    ]);
    return { waiting: count, pause };
  }

  adopt(): Promise<Adopted[]> {
    return adoptSent(this.#bank);
  }

  /** Ends a pause for a missing file by the bank's answer. Resolves to the name of the file. */
  resolveMissing(answer: BankHas): Promise<string> {
    return resolveMissing(this.#bank, answer);
  }

  /** Compares sent/ with the files that were published. */
  async compare(): Promise<Difference[]> {
    return differencesOf(this.#bank);
  }

  async #ask<Answer>(call: string, ask: () => Promise<Answer>): Promise<Answer> {
    try {
      return await withinLimit(ask(), { what: `The records of ${this.name} (${call})`, limitMs: this.callTimeoutMs });
    } catch (cause) {
      throw new RailUnreachable(`The records of ${this.name} gave no answer (${call})`, { cause });
    }
  }
}

/** Throws for a destination that is no account at a bank. */
function payeeOf({ destination }: Pick<Instruction, 'destination'>): Payee {
  if (destination.type !== 'iban') throw new Error(`A bank carries no payout to ${destination.type}`);
  const { iban, name, bic, address } = destination;
  return { iban, name, bic, address };
}

function isSame(recorded: StoredInstruction, { originator, amount, currency }: Instruction, rail: string): boolean {
  return (
    recorded.originator === originator &&
    recorded.amount === amount &&
    recorded.currency === currency &&
    recorded.rail === rail
  );
}

const STATUSES = { waiting: 'pending', filed: 'pending', paid: 'paid', rejected: 'rejected' } as const;

function answerOf(
  { endToEndId, reference, status, code, amount, currency, file }: StoredInstruction,
  warning: RailWarning | undefined,
): RailAnswer {
  return {
    status: STATUSES[status],
    endToEndId,
    reference,
    ...(code === null ? {} : { code }),
    ...(warning === undefined ? {} : { warning }),
    ...(status === 'paid' ? { confirmed: { amount, currency } } : {}),
    raw: {
      ...{ original_end_to_end_id: endToEndId, reference, status, ...(code === null ? {} : { status_reason: code }) },
      ...(file === null ? {} : { sent_in: { file: file.name, message_id: file.messageId, line: file.line } }),
    },
  };
}

function rejected(endToEndId: string, code: string, member?: string): RailAnswer {
  return {
    ...{ status: 'rejected', endToEndId, reference: '', code },
    raw: { original_end_to_end_id: endToEndId, status_reason: code, ...(member === undefined ? {} : { member }) },
  };
}
