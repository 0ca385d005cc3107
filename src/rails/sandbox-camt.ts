/** Writes a statement of the sandbox's bank as camt.053.001.08 (ISO 20022). */
import { decimalOf } from '../money/amount.ts';
import { formatInstant, type Instant } from '../values/clock.ts';
import { toXml, type XmlNode } from './iso20022/xml-writer.ts';
import type { StatedLine } from './sandbox-bank-lines.ts';
import type { StatedAccount } from './stated-by-sandbox.ts';

export interface CamtStatement {
  readonly account: StatedAccount;
  readonly number: number;
  readonly from: string;
  readonly to: string;
  readonly opening: bigint;
  readonly lines: readonly StatedLine[];
  readonly madeAt: Instant;
}

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08';

/** Of the bank's own list; the bank's customer knows `CHRG` by it. */
const CODES: Readonly<Record<StatedLine['kind'], string>> = {
  payout: 'PAYM',
  merged: 'PAYM',
  return: 'RETN',
  settlement: 'ACQR',
  credit: 'CRDT',
  fee: 'CHRG',
  mistake: 'MISC',
};

/** Who stands on the other side. A payer is not named. */
const NAMES: Readonly<Partial<Record<StatedLine['kind'], string>>> = {
  payout: 'Sandbox rail',
  merged: 'Sandbox rail',
  return: 'Sandbox rail',
  settlement: 'Sandbox acquirer',
};

export function closingOf({ opening, lines }: Pick<CamtStatement, 'opening' | 'lines'>): bigint {
  return lines.reduce((sum, { amount }) => sum + amount, opening);
}

export function writeCamt(statement: CamtStatement): string {
  const { account, number, from, to, opening, lines, madeAt } = statement;
  const created: XmlNode = ['CreDtTm', formatInstant(madeAt)];
  const name = `${account.id.replaceAll('-', '').slice(-12).toUpperCase()}-${number}`;
  const balance = (code: string, amount: bigint, on: string): XmlNode => [
    'Bal',
    [['Tp', [['CdOrPrtry', [['Cd', code]]]]], ...amountOf(amount, account.currency), ['Dt', [['Dt', on]]]],
  ];
  return toXml([
    'Document',
    [
      [
        'BkToCstmrStmt',
        [
          ['GrpHdr', [['MsgId', `SBX-${name}`], created]],
          [
            'Stmt',
            [
              ['Id', `SBXS-${name}`],
              ['ElctrncSeqNb', String(number)],
              created,
              [
                'FrToDt',
                [
                  ['FrDtTm', `${from}T00:00:00Z`],
                  ['ToDtTm', `${to}T23:59:59Z`],
                ],
              ],
              [
                'Acct',
                [
                  ['Id', [identifierOf(account.identifier)]],
                  ['Ccy', account.currency],
                ],
              ],
              balance('OPBD', opening, from),
              balance('CLBD', closingOf(statement), to),
              ...lines.map((line, index) => entryOf(line, { account, place: `${number}-${index + 1}`, number })),
            ],
          ],
        ],
      ],
    ],
    { xmlns: NAMESPACE },
  ]);
}

function identifierOf(identifier: string): XmlNode {
  return /^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/.test(identifier)
    ? ['IBAN', identifier]
    : ['Othr', [['Id', identifier.slice(0, 34)]]];
}

function amountOf(amount: bigint, currency: string): XmlNode[] {
  return [
    ['Amt', decimalOf(amount < 0n ? -amount : amount, currency), { Ccy: currency }],
    ['CdtDbtInd', amount < 0n ? 'DBIT' : 'CRDT'],
  ];
}

interface Placed {
  readonly account: StatedAccount;
  readonly place: string;
  readonly number: number;
}

function entryOf(line: StatedLine, { account, place, number }: Placed): XmlNode {
  const { kind, on, isReversal, transactions, text } = line;
  // A bank whose reversals repeat the direction of what they reverse shows the opposite of what moves.
  const shown = isReversal && account.reversalIndicator === 'original' ? -line.amount : line.amount;
  const own = kind === 'mistake' ? `SBXM-${tailOf(account)}-${number}` : `SBXB-${tailOf(account)}-${place}`;
  const day: XmlNode = ['Dt', on];
  return [
    'Ntry',
    [
      ...amountOf(shown, account.currency),
      isReversal ? ['RvslInd', 'true'] : undefined,
      ['Sts', [['Cd', 'BOOK']]],
      ['BookgDt', [day]],
      ['ValDt', [day]],
      ['AcctSvcrRef', line.reference ?? own],
      ['BkTxCd', [['Prtry', [['Cd', CODES[kind]]]]]],
      transactions === null
        ? ['NtryDtls', [detailsOf(line, account.currency)]]
        : ['NtryDtls', [['Btch', [['NbOfTxs', String(transactions)]]]]],
      text === null ? undefined : ['AddtlNtryInf', text],
    ],
  ];
}

const tailOf = ({ id }: StatedAccount) => id.replaceAll('-', '').slice(-8).toUpperCase();

function detailsOf({ kind, amount, endToEndId }: StatedLine, currency: string): XmlNode {
  const name = NAMES[kind];
  return [
    'TxDtls',
    [
      ['Refs', [['EndToEndId', endToEndId ?? 'NOTPROVIDED']]],
      ...amountOf(amount, currency),
      name === undefined ? undefined : ['RltdPties', [[amount < 0n ? 'Cdtr' : 'Dbtr', [['Pty', [['Nm', name]]]]]]],
      kind === 'return' ? ['RtrInf', [['Rsn', [['Cd', 'AC04']]]]] : undefined,
    ],
  ];
}
