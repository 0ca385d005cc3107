/** Writes what a bank reports: a pain.002.001.11 of a file, and a camt.054.001.08 of bookings. The same records give the same bytes. */
import { hash } from 'node:crypto';
import { controlSum, fromDecimal } from '../../src/rails/iso20022/credit-transfer.ts';
import { toXml, type XmlNode } from '../../src/rails/iso20022/xml-writer.ts';
import type { AskedEntry, JudgedPayment, TakenFile } from './records.ts';

/** An id of the bank's own: the same for the same words. */
export const bankId = (prefix: string, ...words: readonly string[]) =>
  `${prefix}${hash('sha256', words.join(' '), 'hex').slice(0, 24).toUpperCase()}`;

/** Statuses of all payments of a file; of a rejected file one word for all. */
export function writePain002({ taken, at, order, rejected }: TakenFile): string {
  const payments = order!.payments;
  const groups = byGroup(payments);
  const groupStatus =
    rejected !== null ? 'RJCT' : payments.some((payment) => payment.rejected !== null) ? 'PART' : 'ACCP';
  return documentOf('pain.002.001.11', [
    'CstmrPmtStsRpt',
    [
      header(bankId('S', taken), at),
      [
        'OrgnlGrpInfAndSts',
        [
          ['OrgnlMsgId', order!.messageId],
          ['OrgnlMsgNmId', order!.version],
          ['GrpSts', groupStatus],
          reasonOf('StsRsnInf', rejected),
        ],
      ],
      ...(rejected === null ? [...groups].map(([id, of]) => paymentStatuses(id, of)) : []),
    ],
  ]);
}

function paymentStatuses(id: string, payments: readonly JudgedPayment[]): XmlNode {
  return [
    'OrgnlPmtInfAndSts',
    [
      ['OrgnlPmtInfId', id],
      ...payments.map(
        ({ instructionId, endToEndId, rejected }): XmlNode => [
          'TxInfAndSts',
          [
            instructionId === null ? undefined : ['OrgnlInstrId', instructionId],
            ['OrgnlEndToEndId', endToEndId],
            ['TxSts', rejected === null ? 'ACSP' : 'RJCT'],
            reasonOf('StsRsnInf', rejected),
          ],
        ],
      ),
    ],
  ];
}

/** Debits of what the bank has carried out: one a payment, or one sum where the file asks for it. */
export function writeDebits({ taken, at, order }: TakenFile, payments: readonly JudgedPayment[]): string {
  const { booked, debtorIban } = order!;
  const [inOne, alone] = [
    payments.filter(({ group }) => booked.includes(group)),
    payments.filter(({ group }) => !booked.includes(group)),
  ];
  const sums = [...byGroup(inOne)].map(([group, of]) =>
    entryOf({
      ...{ amount: sumOf(of), currency: of[0]!.currency, direction: 'DBIT', at },
      reference: bankId('B', taken, group),
      details: [['Btch', [['PmtInfId', group]]]],
    }),
  );
  const entries = alone.map((payment) =>
    entryOf({
      ...{ ...payment, direction: 'DBIT', at },
      reference: bankId('D', payment.endToEndId),
      details: [['TxDtls', [referencesOf(payment), ['Amt', payment.amount, { Ccy: payment.currency }], DEBIT]]],
    }),
  );
  return writeCamt054({ id: bankId('N', taken, 'debits'), at, account: debtorIban }, [...sums, ...entries]);
}

const DEBIT: XmlNode = ['CdtDbtInd', 'DBIT'];

/** Credits: what payees' banks have sent back, and payments of others. */
export function writeCredits(
  { id, at, account }: { id: string; at: string; account: string },
  entries: readonly AskedEntry[],
): string {
  return writeCamt054(
    { id, at, account },
    entries.map((entry, index) => {
      const { amount, currency, endToEndId, reason, reference, debtorName } = entry;
      return entryOf({
        ...{ amount, currency, direction: 'CRDT', at },
        reference: bankId('C', id, String(index)),
        details: [
          [
            'TxDtls',
            [
              ['Refs', [['EndToEndId', endToEndId ?? 'NOTPROVIDED']]],
              ['Amt', amount, { Ccy: currency }],
              ['CdtDbtInd', 'CRDT'],
              debtorName === null ? undefined : ['RltdPties', [['Dbtr', [['Pty', [['Nm', debtorName]]]]]]],
              reference === null ? undefined : ['RmtInf', [['Strd', [['CdtrRefInf', [['Ref', reference]]]]]]],
              reasonOf('RtrInf', reason),
            ],
          ],
        ],
      });
    }),
  );
}

function referencesOf({ instructionId, endToEndId, group }: JudgedPayment): XmlNode {
  return [
    'Refs',
    [['PmtInfId', group], instructionId === null ? undefined : ['InstrId', instructionId], ['EndToEndId', endToEndId]],
  ];
}

interface Booking {
  readonly amount: string;
  readonly currency: string;
  readonly direction: 'DBIT' | 'CRDT';
  readonly at: string;
  /** The bank's own. */
  readonly reference: string;
  readonly details: readonly XmlNode[];
}

function entryOf({ amount, currency, direction, at, reference, details }: Booking): XmlNode {
  const day = at.slice(0, 10);
  return [
    'Ntry',
    [
      ['Amt', amount, { Ccy: currency }],
      ['CdtDbtInd', direction],
      ['Sts', [['Cd', 'BOOK']]],
      ['BookgDt', [['Dt', day]]],
      ['ValDt', [['Dt', day]]],
      ['AcctSvcrRef', reference],
      ['BkTxCd', [['Prtry', [['Cd', 'NTRF']]]]],
      ['NtryDtls', details],
    ],
  ];
}

function writeCamt054(of: { id: string; at: string; account: string }, entries: readonly XmlNode[]): string {
  return documentOf('camt.054.001.08', [
    'BkToCstmrDbtCdtNtfctn',
    [header(of.id, of.at), ['Ntfctn', [['Id', of.id], ['Acct', [['Id', [['IBAN', of.account]]]]], ...entries]]],
  ]);
}

const header = (id: string, at: string): XmlNode => [
  'GrpHdr',
  [
    ['MsgId', id],
    ['CreDtTm', at],
  ],
];

const reasonOf = (member: 'StsRsnInf' | 'RtrInf', code: string | null): XmlNode | undefined =>
  code === null ? undefined : [member, [['Rsn', [['Cd', code]]]]];

const documentOf = (version: string, message: XmlNode) =>
  toXml(['Document', [message], { xmlns: `urn:iso:std:iso:20022:tech:xsd:${version}` }]);

function sumOf(payments: readonly JudgedPayment[]): string {
  return controlSum(payments.map(({ amount, currency }) => ({ amount: fromDecimal(amount, currency)!, currency })));
}

/** Node 20 has no Map.groupBy. */
function byGroup(payments: readonly JudgedPayment[]): Map<string, JudgedPayment[]> {
  const groups = new Map<string, JudgedPayment[]>();
  for (const payment of payments) {
    const group = groups.get(payment.group);
    if (group === undefined) groups.set(payment.group, [payment]);
    else group.push(payment);
  }
  return groups;
}
