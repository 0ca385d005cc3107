/**
 * camt.053 (statements), camt.052 (reports) and camt.054 (notifications) of ISO 20022, versions 02 to 13, distinguished by their structure. By
 * stream: one entry is in memory at once. The amount of a line is that of the entry, never that of its details.
 */
import { BadInput } from '../../intake/bad-input.ts';
import { allAt, at, textAt, type XmlElement, XmlReader } from '../../intake/read-xml.ts';
import {
  type BankFileLine,
  type BankFileReader,
  type BankFileStatement,
  type Charge,
  comeTo,
  DETAILS_MAX,
  givenReference,
  type LineDetail,
  type MessageKind,
  type OriginalAmount,
  type Page,
  REFERENCES_MAX,
  type Read,
  type StatedBalance,
  StatementInvalid,
  TEXT_MAX,
} from './bank-file.ts';
import { dayOrInvalid, minorUnits, wholeNumber } from './decimal.ts';

const KINDS: Readonly<Record<string, MessageKind>> = { Stmt: 'statement', Rpt: 'report', Ntfctn: 'notification' };
const MESSAGES = ['BkToCstmrStmt', 'BkToCstmrAcctRpt', 'BkToCstmrDbtCdtNtfctn'];
const HANDED = new Set([...Object.keys(KINDS), 'Bal', 'Ntry', 'TxDtls']);

/** The details of an entry: of one alone that comes to it, what it states is the line's. */
interface Entry {
  count: number;
  first: XmlElement | undefined;
  readonly details: Detail[];
}

const newEntry = (): Entry => ({ count: 0, first: undefined, details: [] });

export class CamtReader implements BankFileReader {
  readonly #xml = new XmlReader(HANDED, (element, ancestors) => this.#read.push(...this.#take(element, ancestors)));
  #read: Read[] = [];
  #balances: XmlElement[] = [];
  #entry: Entry = newEntry();
  #fault: StatementInvalid | undefined;
  #currencies = new Set<string>();
  #statements = 0;

  push(bytes: Buffer): readonly Read[] {
    this.#xml.write(bytes);
    return this.#complete();
  }

  end(): readonly Read[] {
    this.#xml.end();
    if (this.#statements === 0) throw new BadInput(null, 'It has no statement, report or notification of an account.');
    return this.#complete();
  }

  #complete(): readonly Read[] {
    const read = this.#read;
    this.#read = [];
    return read;
  }

  #take(element: XmlElement, ancestors: readonly XmlElement[]): readonly Read[] {
    switch (element.name) {
      case 'Bal':
        this.#balances.push(element);
        return [];
      case 'TxDtls':
        this.#entry.count += 1;
        this.#entry.first ??= element;
        if (this.#entry.count <= DETAILS_MAX) this.#entry.details.push(detailOf(element));
        return [];
      case 'Ntry':
        return this.#line(element, ancestors.at(-1)!);
      case 'Stmt':
      case 'Rpt':
      case 'Ntfctn':
        return this.#statement(element, ancestors);
      default:
        if (!hasMessage(element, ENVELOPES_MAX))
          throw new BadInput(element.row, `${element.name.slice(0, 40)} is no camt.052, camt.053 or camt.054.`);
        return [];
    }
  }

  #line(element: XmlElement, statement: XmlElement): readonly Read[] {
    const entry = this.#entry;
    this.#entry = newEntry();
    try {
      const line = lineOf(element, entry);
      this.#currencies.add(line.currency);
      const isNotice = statement.name === 'Ntfctn';
      const standing = isBooked(element) && !isNotice ? 'booked' : 'pending';
      const notified = isBooked(element) && isNotice && { notified: true as const };
      return [{ is: 'line', line: { ...line, standing, ...notified } }];
    } catch (error) {
      if (!(error instanceof StatementInvalid)) throw error;
      this.#fault ??= error;
      return [];
    }
  }

  #statement(element: XmlElement, ancestors: readonly XmlElement[]): readonly Read[] {
    const kind = KINDS[element.name]!;
    const [balances, currencies, fault] = [this.#balances, this.#currencies, this.#fault];
    this.#balances = [];
    this.#currencies = new Set();
    this.#fault = undefined;
    this.#statements += 1;
    const header = headerOf(element, kind);
    const page = pageOf(element, at(ancestors.at(-1), 'GrpHdr'));
    const invalid = (error: StatementInvalid): readonly Read[] => [
      {
        is: 'statement',
        statement: { ...header, ...NOTHING_READ, page, fault: { row: error.row, detail: error.message } },
      },
    ];
    if (fault !== undefined) return invalid(fault);
    try {
      return [{ is: 'statement', statement: withBalances(header, { balances, currencies, page, element }) }];
    } catch (error) {
      if (error instanceof StatementInvalid) return invalid(error);
      throw error;
    }
  }
}

/** A `Document` may stand in an envelope of the network that carried it. */
const ENVELOPES_MAX = 3;

function hasMessage({ children }: XmlElement, depth: number): boolean {
  return (
    children.some(({ name }) => MESSAGES.includes(name)) ||
    (depth > 0 && children.some((one) => hasMessage(one, depth - 1)))
  );
}

const NOTHING_READ = {
  currency: null,
  from: null,
  to: null,
  opening: null,
  closing: null,
  otherCurrencies: [],
  groupStatus: null,
} as const;

type Header = Pick<BankFileStatement, 'kind' | 'row' | 'account' | 'number'>;

function headerOf(element: XmlElement, kind: MessageKind): Header {
  const id = at(element, 'Acct', 'Id');
  const account = textAt(id, 'IBAN') ?? textAt(id, 'Othr', 'Id') ?? textAt(id, 'PrtryAcct', 'Id');
  if (account === undefined) throw new BadInput(element.row, 'It names no account.');
  const number = textAt(element, 'ElctrncSeqNb') ?? textAt(element, 'LglSeqNb') ?? textAt(element, 'Id') ?? null;
  return { kind, row: element.row, account: account.slice(0, 64), number: number?.slice(0, 64) ?? null };
}

/** Version 08 numbers pages of a statement, version 02 those of its message. */
function pageOf(element: XmlElement, group: XmlElement | undefined): Page | null {
  const paged = at(element, 'StmtPgntn') ?? at(element, 'RptPgntn') ?? at(group, 'MsgPgntn');
  const number = wholeNumber(textAt(paged, 'PgNb') ?? '');
  if (number === undefined || number < 1) return null;
  const isLast = /^(true|1)$/.test(textAt(paged, 'LastPgInd') ?? '');
  return number === 1 && isLast ? null : { number, isFirst: number === 1, isLast };
}

interface Body {
  readonly balances: readonly XmlElement[];
  readonly currencies: ReadonlySet<string>;
  readonly page: Page | null;
  readonly element: XmlElement;
}

function withBalances(header: Header, { balances, currencies, page, element }: Body): BankFileStatement {
  const stated = balances.map((balance) => ({
    code: textAt(balance, 'Tp', 'CdOrPrtry', 'Cd') ?? '',
    currency: at(balance, 'Amt')?.attributes.Ccy ?? '',
    balance,
  }));
  const opening =
    stated.find(({ code }) => code === (page && !page.isFirst ? 'ITBD' : 'OPBD')) ??
    stated.find(({ code }) => code === 'PRCD');
  const closing = stated.findLast(({ code }) => code === (page && !page.isLast ? 'ITBD' : 'CLBD'));
  const currency =
    textAt(element, 'Acct', 'Ccy') ?? opening?.currency ?? [...currencies][0] ?? closing?.currency ?? null;
  const others = new Set([
    ...currencies,
    ...(opening ? [opening.currency] : []),
    ...(closing ? [closing.currency] : []),
  ]);
  if (currency !== null) others.delete(currency);
  const isWhole = others.size === 0;
  const period = at(element, 'FrToDt');
  return {
    ...header,
    currency,
    page,
    opening: opening && isWhole ? balanceOf(opening.balance) : null,
    closing: closing && isWhole ? balanceOf(closing.balance) : null,
    from: dayAt(period, 'FrDtTm') ?? dayAt(opening?.balance, 'Dt') ?? null,
    to: dayAt(period, 'ToDtTm') ?? dayAt(closing?.balance, 'Dt') ?? null,
    otherCurrencies: [...others],
    groupStatus: null,
    fault: null,
  };
}

function balanceOf(balance: XmlElement): StatedBalance {
  const on = dayAt(balance, 'Dt');
  if (on === undefined) throw new StatementInvalid(balance.row, 'A balance has no day.');
  return { amount: signed(balance), on };
}

/** `Dt` with a day or a time inside, or a time itself. The day is the bank's own, whatever its offset from UTC. */
function dayAt(element: XmlElement | undefined, name: string): string | undefined {
  const found = at(element, name);
  const text = found && (textAt(found, 'Dt') ?? textAt(found, 'DtTm') ?? found.text);
  return found && text ? dayOrInvalid(text.slice(0, 10), found.row) : undefined;
}

function amountAt(element: XmlElement, amount: XmlElement | undefined): { amount: bigint; currency: string } {
  const currency = amount?.attributes.Ccy ?? '';
  // A decimal of XML may have a plus, and no digit before its point.
  const text = (amount?.text ?? '').replace(/^\+(?=[\d.])/, '').replace(/^\.(?=\d)/, '0.');
  return { amount: minorUnits(text, { currency, separator: '.', row: element.row }), currency };
}

function signed(element: XmlElement): bigint {
  const { amount } = amountAt(element, at(element, 'Amt'));
  switch (textAt(element, 'CdtDbtInd')) {
    case 'CRDT':
      return amount;
    case 'DBIT':
      return -amount;
    default:
      throw new StatementInvalid(element.row, 'It states neither CRDT nor DBIT.');
  }
}

/** `Sts` is a text in older versions, and a code inside in newer ones. */
function isBooked(entry: XmlElement): boolean {
  return (textAt(entry, 'Sts', 'Cd') ?? textAt(entry, 'Sts')) === 'BOOK';
}

function lineOf(entry: XmlElement, { count, first, details }: Entry): Omit<BankFileLine, 'standing'> {
  const bookedOn = dayAt(entry, 'BookgDt') ?? dayAt(entry, 'ValDt');
  if (bookedOn === undefined) throw new StatementInvalid(entry.row, 'An entry has no day.');
  const amount = signed(entry);
  const { currency } = amountAt(entry, at(entry, 'Amt'));
  const batch = at(entry, 'NtryDtls', 'Btch');
  const batched = batch || count > 1 ? batchOf(batch, count) : null;
  const alone = count === 1 && (batched?.transactions ?? 1) === 1 ? first : undefined;
  const charges = chargesOf(entry, alone);
  // Of a reversal some banks state one movement in the direction of what it reverses.
  const stated = alone === undefined ? details : details.map((each) => ({ ...each, direction: undefined }));
  const movements = count > DETAILS_MAX ? [] : detailsOf(stated, { amount, currency, row: entry.row });
  // Of one that does not come to the entry nobody knows whether it is all of it: the line has nothing of its.
  const one = alone !== undefined && comeTo({ amount, currency, charges }, movements) ? alone : undefined;
  const references = at(one, 'Refs');
  return {
    row: entry.row,
    bookedOn,
    valueOn: dayAt(entry, 'ValDt') ?? null,
    amount,
    currency,
    isReversal: /^(true|1)$/.test(textAt(entry, 'RvslInd') ?? ''),
    bankReference: givenReference(textAt(entry, 'AcctSvcrRef') ?? textAt(references, 'AcctSvcrRef')),
    endToEndId: givenReference(textAt(references, 'EndToEndId')),
    references: otherReferences(entry, one),
    batch: batched,
    ...counterpartyOf(one, amount),
    text: textOf(entry, one),
    code: codeOf(entry),
    charges,
    original: originalOf(one, currency),
    details: one === undefined ? movements : [],
  };
}

/** A movement of an entry as it is stated: the currency of the entry is known behind it. */
interface Detail {
  readonly amount: string | undefined;
  readonly currency: string | undefined;
  readonly direction: string | undefined;
  readonly endToEndId: string | null;
}

/** Older versions have the amount among those of `AmtDtls`. */
function detailOf(element: XmlElement): Detail {
  const amount = at(element, 'Amt') ?? at(element, 'AmtDtls', 'TxAmt', 'Amt');
  return {
    ...{ amount: amount?.text, currency: amount?.attributes.Ccy, direction: textAt(element, 'CdtDbtInd') },
    endToEndId: givenReference(textAt(element, 'Refs', 'EndToEndId')),
  };
}

function detailsOf(
  details: readonly Detail[],
  { amount, currency, row }: { readonly amount: bigint; readonly currency: string; readonly row: number },
): readonly LineDetail[] {
  if (details.some((one) => one.amount === undefined || one.currency !== currency)) return [];
  return details.map((one) => {
    const minor = minorUnits(one.amount!, { currency, separator: '.', row });
    const isOut = one.direction === undefined ? amount < 0n : one.direction === 'DBIT';
    return { amount: isOut ? -minor : minor, endToEndId: one.endToEndId };
  });
}

function batchOf(batch: XmlElement | undefined, details: number): BankFileLine['batch'] {
  const written = textAt(batch, 'NbOfTxs');
  const stated = written === undefined ? details : (wholeNumber(written) ?? 0);
  const transactions = stated > 0 && stated <= 2_147_483_647 ? stated : null;
  return { id: givenReference(textAt(batch, 'PmtInfId') ?? textAt(batch, 'MsgId')), transactions };
}

function otherReferences(entry: XmlElement, details: XmlElement | undefined): readonly string[] {
  const inside = at(details, 'Refs')?.children.map((one) => one.text || textAt(one, 'Ref')) ?? [];
  const structured = allAt(at(details, 'RmtInf'), 'Strd').map((one) => textAt(one, 'CdtrRefInf', 'Ref'));
  const all = [textAt(entry, 'NtryRef'), ...inside, ...structured].map(givenReference);
  return [...new Set(all.filter((one) => one !== null))].slice(0, REFERENCES_MAX);
}

/** Older versions name a party at once, newer ones a `Pty` with the name inside. */
function counterpartyOf(details: XmlElement | undefined, amount: bigint) {
  const parties = at(details, 'RltdPties');
  const side = amount >= 0n ? 'Dbtr' : 'Cdtr';
  const account = at(parties, `${side}Acct`, 'Id');
  return {
    counterpartyName:
      (textAt(parties, side, 'Nm') ?? textAt(parties, side, 'Pty', 'Nm') ?? null)?.slice(0, 200) ?? null,
    counterpartyAccount: (textAt(account, 'IBAN') ?? textAt(account, 'Othr', 'Id') ?? null)?.slice(0, 64) ?? null,
  };
}

/** Pieces of one text are joined with a space: each is a text of its own. */
function textOf(entry: XmlElement, details: XmlElement | undefined): string | null {
  const pieces = [
    ...allAt(at(details, 'RmtInf'), 'Ustrd').map(({ text }) => text),
    textAt(details, 'AddtlTxInf'),
    textAt(entry, 'AddtlNtryInf'),
  ].filter(Boolean);
  return pieces.length === 0 ? null : pieces.join(' ').slice(0, TEXT_MAX);
}

function codeOf(entry: XmlElement): string | null {
  const domain = at(entry, 'BkTxCd', 'Domn');
  const parts = [textAt(domain, 'Cd'), textAt(domain, 'Fmly', 'Cd'), textAt(domain, 'Fmly', 'SubFmlyCd')].filter(
    Boolean,
  );
  const code = textAt(entry, 'BkTxCd', 'Prtry', 'Cd') ?? (parts.length === 0 ? undefined : parts.join('-'));
  return code?.slice(0, 64) ?? null;
}

const CHARGES_MAX = 20;

function chargesOf(entry: XmlElement, details: XmlElement | undefined): readonly Charge[] {
  const [ofEntry, ofDetails] = [chargesIn(entry), chargesIn(details)];
  // Some banks state the charges of one movement at both places.
  return (isSame(ofEntry, ofDetails) ? ofEntry : [...ofEntry, ...ofDetails]).slice(0, CHARGES_MAX);
}

function isSame(one: readonly Charge[], other: readonly Charge[]): boolean {
  const textOf = (charges: readonly Charge[]) =>
    charges
      .map(({ amount, currency }) => `${amount} ${currency}`)
      .sort()
      .join();
  return textOf(one) === textOf(other);
}

/** Each record or, without one, what they come to. */
function chargesIn(element: XmlElement | undefined): readonly Charge[] {
  const all = allAt(element, 'Chrgs').flatMap((charges) => (at(charges, 'Rcrd') ? allAt(charges, 'Rcrd') : [charges]));
  return all
    .flatMap((charge) => {
      const stated = at(charge, 'Amt') ?? at(charge, 'TtlChrgsAndTaxAmt');
      return stated ? [{ charge, stated }] : [];
    })
    .map(({ charge, stated }) => {
      const { amount, currency } = amountAt(charge, stated);
      const included = textAt(charge, 'ChrgInclInd');
      return {
        amount: textAt(charge, 'CdtDbtInd') === 'CRDT' ? -amount : amount,
        currency,
        included: included === undefined ? null : /^(true|1)$/.test(included),
      };
    });
}

function originalOf(details: XmlElement | undefined, currency: string): OriginalAmount | null {
  const instructed = at(details, 'AmtDtls', 'InstdAmt');
  const stated = at(instructed, 'Amt');
  if (instructed === undefined || stated === undefined || stated.attributes.Ccy === currency) return null;
  const rate = textAt(instructed, 'CcyXchg', 'XchgRate') ?? textAt(details, 'AmtDtls', 'TxAmt', 'CcyXchg', 'XchgRate');
  return { ...amountAt(instructed, stated), rate: rate?.slice(0, 40) ?? null };
}
