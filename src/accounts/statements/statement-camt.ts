/**
 * A statement as camt.053.001.08 of ISO 20022, of finished days alone. Credits are CRDT and debits DBIT, as they were posted; a balance is CRDT
 * where credits outweigh debits. No time of making: `CreDtTm` is the end of the last day.
 */
import { dayNumber } from '../../calendar/day.ts';
import { decimalOf } from '../../money/amount.ts';
import { inCharacters } from '../../rails/iso20022/characters.ts';
import { XML_DECLARATION, type XmlNode, xmlOf } from '../../rails/iso20022/xml-writer.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import type { ShownLine } from '../lines/account-line-view.ts';
import type { LinePages, Movements, Statement } from './statement.ts';

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08';

/** Lengths of the schema, in code points. */
const [TEXT_35, TEXT_70, TEXT_140, TEXT_500] = [35, 70, 140, 500] as const;

export async function* statementCamt(statement: Statement, pages: LinePages): AsyncGenerator<string> {
  const head = headOf(statement).map(xmlOf).join('');
  yield `${XML_DECLARATION}<Document xmlns="${NAMESPACE}"><BkToCstmrStmt>${xmlOf(groupHeader(statement))}<Stmt>${head}`;
  for await (const page of pages) yield page.map((line) => xmlOf(entryOf(line))).join('');
  yield '</Stmt></BkToCstmrStmt></Document>\n';
}

/** The same statement has the same name. */
function idOf({ digest }: Statement): string {
  return digest.slice(0, 32);
}

function groupHeader(statement: Statement): XmlNode {
  return [
    'GrpHdr',
    [
      ['MsgId', idOf(statement)],
      ['CreDtTm', formatInstant(statement.ends)],
    ],
  ];
}

function headOf(statement: Statement): XmlNode[] {
  const { account, accountName, number, from, to, begins, ends, credits, debits } = statement;
  const name = accountName === null ? '' : text(accountName, TEXT_70);
  const creditsLess = account.side === 'credit' ? 1n : -1n;
  const all = { count: credits.count + debits.count, sum: credits.sum + debits.sum };
  return [
    ['Id', idOf(statement)],
    // Stored statements are numbered without a gap. One for requested days has a number a day.
    ['ElctrncSeqNb', String(number ?? dayNumber(to))],
    ['CreDtTm', formatInstant(ends)],
    [
      'FrToDt',
      [
        ['FrDtTm', formatInstant(begins)],
        ['ToDtTm', formatInstant(ends)],
      ],
    ],
    [
      'Acct',
      [
        ['Id', [['Othr', [['Id', publicId('account', account.id)]]]]],
        ['Ccy', account.currency],
        name === '' ? undefined : ['Nm', name],
      ],
    ],
    balanceOf('OPBD', { credits: statement.opening * creditsLess, on: from, currency: account.currency }),
    balanceOf('CLBD', { credits: statement.closing * creditsLess, on: to, currency: account.currency }),
    [
      'TxsSummry',
      [
        sumOf('TtlNtries', all, account.currency),
        sumOf('TtlCdtNtries', credits, account.currency),
        sumOf('TtlDbtNtries', debits, account.currency),
      ],
    ],
  ];
}

/** `credits`: how much they outweigh debits. */
function balanceOf(
  code: 'OPBD' | 'CLBD',
  { credits, on, currency }: { readonly credits: bigint; readonly on: string; readonly currency: string },
): XmlNode {
  return [
    'Bal',
    [
      ['Tp', [['CdOrPrtry', [['Cd', code]]]]],
      ['Amt', decimalOf(credits < 0n ? -credits : credits, currency), { Ccy: currency }],
      ['CdtDbtInd', credits < 0n ? 'DBIT' : 'CRDT'],
      ['Dt', [['Dt', on]]],
    ],
  ];
}

function sumOf(name: string, { count, sum }: Movements, currency: string): XmlNode {
  return [
    name,
    [
      ['NbOfNtries', String(count)],
      ['Sum', decimalOf(sum, currency)],
    ],
  ];
}

function entryOf(line: ShownLine): XmlNode {
  const { currency, direction } = line;
  const indicator = direction === 'credit' ? 'CRDT' : 'DBIT';
  const amount: XmlNode = ['Amt', decimalOf(line.amount, currency), { Ccy: currency }];
  const reference = `${publicId('entry', line.entryId)}-${line.ordinal}`;
  return [
    'Ntry',
    [
      ['NtryRef', String(line.line)],
      amount,
      ['CdtDbtInd', indicator],
      ['Sts', [['Cd', 'BOOK']]],
      ['BookgDt', [['Dt', line.postedOn]]],
      ['ValDt', [['Dt', line.effectiveOn]]],
      ['AcctSvcrRef', reference],
      ['BkTxCd', [['Prtry', [['Cd', text(`${line.kind}.${line.step}`, TEXT_35)]]]]],
      ['NtryDtls', [['TxDtls', detailsOf(line, { reference, amount, indicator })]]],
    ],
  ];
}

interface InEntry {
  readonly reference: string;
  readonly amount: XmlNode;
  readonly indicator: string;
}

function detailsOf(line: ShownLine, { reference, amount, indicator }: InEntry): (XmlNode | undefined)[] {
  const counterparty = text(line.counterparty ?? '', TEXT_140);
  const externalId = text(line.externalId ?? '', TEXT_500);
  const description = inCharacters(line.description ?? '', 'utf8');
  return [
    [
      'Refs',
      [
        ['AcctSvcrRef', reference],
        ['EndToEndId', text(line.endToEndId ?? '', TEXT_35) || 'NOTPROVIDED'],
      ],
    ],
    amount,
    ['CdtDbtInd', indicator],
    counterparty === ''
      ? undefined
      : ['RltdPties', [[indicator === 'CRDT' ? 'Dbtr' : 'Cdtr', [['Pty', [['Nm', counterparty]]]]]]],
    description === '' ? undefined : ['RmtInf', partsOf(description, TEXT_140).map((part): XmlNode => ['Ustrd', part])],
    externalId === '' ? undefined : ['AddtlTxInf', externalId],
  ];
}

/** What XML has a place for, cut by code points. */
function text(given: string, length: number): string {
  return partsOf(inCharacters(given, 'utf8'), length)[0] ?? '';
}

/** A text in parts of so many code points. */
function partsOf(given: string, length: number): string[] {
  const characters = [...given];
  const parts: string[] = [];
  for (let at = 0; at < characters.length; at += length) parts.push(characters.slice(at, at + length).join(''));
  return parts;
}
