/** Reads a camt.054: the entries of a debit and credit notification, and their transactions. */

import { allAt, at, textAt, type XmlElement } from '../../intake/read-xml.ts';
import { isCurrency } from '../../money/currency.ts';
import type { EntryLine } from './bank-line.ts';
import { fromDecimal } from './credit-transfer.ts';
import type { MessageReader } from './message-reader.ts';

type Emit = (line: EntryLine) => void;

/** A notification with such a mark repeats another one. */
const COPIES = ['DUPL', 'COPY', 'CODU'];

export class EntryReader implements MessageReader {
  readonly message = 'BkToCstmrDbtCdtNtfctn';
  readonly kind = 'camt.054';
  readonly names = new Set(['TxDtls', 'Ntry', 'Ntfctn']);
  readonly #emit: Emit;
  /** The first transaction of an entry: whether it is the only one shows at the next, or at the end. */
  #first: XmlElement | undefined;
  #transactions = 0;
  /** What the transactions of the entry come to; undefined where one has no amount of its own. */
  #sum: bigint | undefined = 0n;
  readonly #currencies = new Set<string>();
  #entry = 1;
  readonly #onUnequal: (entry: number) => void;

  /** `onUnequal`: the entry shows several transactions, and they do not come to its amount. */
  constructor(emit: Emit, onUnequal: (entry: number) => void) {
    this.#onUnequal = onUnequal;
    this.#emit = (line) => {
      this.#currencies.add(line.currency);
      if (this.#sum !== undefined) this.#sum = line.amount === undefined ? undefined : this.#sum + signed(line);
      emit({ ...line, entry: this.#entry });
    };
  }

  onElement(element: XmlElement, ancestors: readonly XmlElement[]): void {
    const entry = element.name === 'Ntry' ? element : ancestors.find(({ name }) => name === 'Ntry');
    const notification = ancestors.find(({ name }) => name === 'Ntfctn');
    if (entry === undefined || notification === undefined) return;
    if (element.name === 'TxDtls') {
      this.#transactions += 1;
      if (this.#transactions === 1) {
        this.#first = element;
        return;
      }
      // The batch stands before its transactions in the details that are still open.
      const batch = batchOf(ancestors.find(({ name }) => name === 'NtryDtls'));
      this.#flush(notification, entry, batch);
      this.#emit(lineOf({ notification, entry, batch, transaction: element, transactions: 2 }));
      return;
    }
    const batch = batchOf(at(entry, 'NtryDtls'));
    this.#flush(notification, entry, batch);
    if (this.#transactions === 0) this.#emit(lineOf({ notification, entry, batch, transactions: 0 }));
    if (this.#transactions > 1) {
      const whole = lineOf({ notification, entry, transactions: 0 });
      this.#currencies.add(whole.currency);
      const isEqual = whole.amount !== undefined && this.#sum === signed(whole) && this.#currencies.size === 1;
      if (!isEqual) this.#onUnequal(this.#entry);
    }
    this.#transactions = 0;
    this.#sum = 0n;
    this.#currencies.clear();
    this.#entry += 1;
  }

  onMessage(): void {}

  #flush(notification: XmlElement, entry: XmlElement, batch: XmlElement | undefined): void {
    if (this.#first === undefined) return;
    const transaction = this.#first;
    this.#first = undefined;
    this.#emit(lineOf({ notification, entry, batch, transaction, transactions: this.#transactions }));
  }
}

const signed = ({ direction, amount }: EntryLine) => (direction === 'credit' ? amount! : -amount!);

const batchOf = (details: XmlElement | undefined) => at(details, 'Btch');

interface Parts {
  readonly notification: XmlElement;
  readonly entry: XmlElement;
  readonly batch?: XmlElement | undefined;
  readonly transaction?: XmlElement;
  readonly transactions: number;
}

function lineOf({ notification, entry, batch, transaction, transactions }: Parts): EntryLine {
  const references = at(transaction, 'Refs');
  const isAlone = transactions <= 1;
  const isReversal = textAt(entry, 'RvslInd') === 'true' || textAt(entry, 'RvslInd') === '1';
  // Several may be booked as what they come to, out and in. Those of a reversal may repeat the direction of what it takes back.
  const own = isAlone || isReversal ? undefined : textAt(transaction, 'CdtDbtInd');
  const direction = (own ?? textAt(entry, 'CdtDbtInd')) === 'CRDT' ? 'credit' : 'debit';
  const amount = amountOf({ entry, transaction, isAlone, direction });
  const currency = amount?.attributes.Ccy ?? '';
  return {
    type: 'entry',
    place: 0,
    direction,
    isReversal,
    isBooked: (textAt(entry, 'Sts', 'Cd') ?? textAt(entry, 'Sts')) === 'BOOK',
    isCopy: COPIES.includes(textAt(notification, 'CpyDplctInd') ?? ''),
    amount: isCurrency(currency) ? fromDecimal(amount!.text, currency) : undefined,
    currency,
    charges: isCurrency(currency) ? chargesOf(transaction ?? entry, currency) : 0n,
    transactions,
    entry: 0,
    account: textAt(notification, 'Acct', 'Id', 'IBAN') ?? textAt(notification, 'Acct', 'Id', 'Othr', 'Id') ?? '',
    // The entry's first, as reconciliation reads a statement's: a movement is known by it in both (docs/decisions/bank-references.md).
    bankReference: (isAlone ? textAt(entry, 'AcctSvcrRef') : undefined) ?? textAt(references, 'AcctSvcrRef'),
    reason: textAt(transaction, 'RtrInf', 'Rsn', 'Cd') ?? textAt(transaction, 'RtrInf', 'Rsn', 'Prtry'),
    bookedOn: textAt(entry, 'BookgDt', 'Dt') ?? textAt(entry, 'BookgDt', 'DtTm'),
    valueOn: textAt(entry, 'ValDt', 'Dt') ?? textAt(entry, 'ValDt', 'DtTm'),
    endToEndId: idOf(textAt(references, 'EndToEndId')),
    instructionId: idOf(textAt(references, 'InstrId')),
    paymentInformationId: textAt(references, 'PmtInfId') ?? textAt(batch, 'PmtInfId'),
    messageId: textAt(references, 'MsgId') ?? textAt(batch, 'MsgId'),
    ...payerOf(at(transaction, 'RltdPties')),
    remittance: remittanceOf(at(transaction, 'RmtInf')),
  };
}

/** From version 8 on the debtor is a party or an agent. */
function payerOf(parties: XmlElement | undefined): Pick<EntryLine, 'payerName' | 'payerAccount'> {
  return {
    payerName: textAt(parties, 'Dbtr', 'Pty', 'Nm') ?? textAt(parties, 'Dbtr', 'Nm'),
    payerAccount: textAt(parties, 'DbtrAcct', 'Id', 'IBAN') ?? textAt(parties, 'DbtrAcct', 'Id', 'Othr', 'Id'),
  };
}

/** What banks write where an id is missing. */
const NONE = new Set(['NOTPROVIDED', 'NOREF', 'NONREF']);
const idOf = (id: string | undefined) => (id === undefined || NONE.has(id) ? undefined : id);

/**
 * Of a debit what was instructed, which its details name beside the charges; of a credit what came. Without details, that of the entry where
 * it has no other transaction.
 */
function amountOf({
  entry,
  transaction,
  isAlone,
  direction,
}: Pick<Parts, 'entry' | 'transaction'> & { isAlone: boolean; direction: EntryLine['direction'] }):
  | XmlElement
  | undefined {
  const ofEntry = at(entry, 'Amt');
  if (transaction === undefined) return ofEntry;
  const details = at(transaction, 'AmtDtls');
  const own = at(transaction, 'Amt');
  const moved = at(details, 'TxAmt', 'Amt') ?? own;
  if (direction === 'credit') return isAlone ? ofEntry : (own ?? moved);
  return at(details, 'InstdAmt', 'Amt') ?? moved ?? (isAlone ? ofEntry : undefined);
}

/** Version 2 has charges side by side, later ones as records. Only those in the currency can be compared. */
function chargesOf(element: XmlElement, currency: string): bigint {
  const records = allAt(element, 'Chrgs').flatMap((charges) =>
    allAt(charges, 'Rcrd').length > 0 ? allAt(charges, 'Rcrd') : [charges],
  );
  return records.reduce((sum, record) => {
    const amount = at(record, 'Amt');
    if (amount?.attributes.Ccy !== currency) return sum;
    const minor = fromDecimal(amount.text, currency) ?? 0n;
    return textAt(record, 'CdtDbtInd') === 'CRDT' ? sum - minor : sum + minor;
  }, 0n);
}

function remittanceOf(information: XmlElement | undefined): readonly string[] {
  const structured = allAt(information, 'Strd').map((one) => textAt(one, 'CdtrRefInf', 'Ref'));
  const free = allAt(information, 'Ustrd').map(({ text }) => text);
  return [...structured, ...free].filter((text) => text !== undefined && text !== '') as string[];
}
