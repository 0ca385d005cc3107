/**
 * Writes a pain.001: the payments of one debtor account, one PmtInf for each currency, day of execution and group. Version 10 as ISO 20022
 * has it, or version 9 by the EPC's customer-to-PSP guidelines (EPC132-08, 2023). Pure.
 */
import type { BankSettings } from './bank-settings.ts';
import { type CreditTransfer, controlSum, type PayeeAddress, toDecimal } from './credit-transfer.ts';
import { toXml, type XmlNode } from './xml-writer.ts';

/** One PmtInf. */
export interface PaymentGroup {
  readonly paymentInformationId: string;
  readonly currency: string;
  /** YYYY-MM-DD. */
  readonly executionDay: string;
  readonly transfers: readonly CreditTransfer[];
}

export interface PaymentFile {
  readonly messageId: string;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly groups: readonly PaymentGroup[];
}

type Bank = Pick<BankSettings, 'profile' | 'debtor' | 'batchBooking'>;

const NAMESPACE = {
  iso: 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.10',
  epc: 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09',
} as const;

export function writePain001({ messageId, createdAt, groups }: PaymentFile, bank: Bank): string {
  const all = groups.flatMap(({ transfers }) => transfers);
  return toXml([
    'Document',
    [
      [
        'CstmrCdtTrfInitn',
        [
          [
            'GrpHdr',
            [
              ['MsgId', messageId],
              ['CreDtTm', createdAt],
              ['NbOfTxs', String(all.length)],
              ['CtrlSum', controlSum(all)],
              ['InitgPty', [['Nm', bank.debtor.name]]],
            ],
          ],
          ...groups.map((group) => groupOf(group, bank)),
        ],
      ],
    ],
    { xmlns: NAMESPACE[bank.profile] },
  ]);
}

function groupOf({ paymentInformationId, executionDay, transfers }: PaymentGroup, bank: Bank): XmlNode {
  const { debtor, profile, batchBooking } = bank;
  const isEpc = profile === 'epc';
  return [
    'PmtInf',
    [
      ['PmtInfId', paymentInformationId],
      ['PmtMtd', 'TRF'],
      batchBooking === null ? undefined : ['BtchBookg', String(batchBooking)],
      ['NbOfTxs', String(transfers.length)],
      ['CtrlSum', controlSum(transfers)],
      isEpc ? ['PmtTpInf', [['SvcLvl', [['Cd', 'SEPA']]]]] : undefined,
      ['ReqdExctnDt', [['Dt', executionDay]]],
      ['Dbtr', [['Nm', debtor.name]]],
      ['DbtrAcct', [['Id', [['IBAN', debtor.iban]]]]],
      ['DbtrAgt', [['FinInstnId', [['BICFI', debtor.bic]]]]],
      ['ChrgBr', isEpc ? 'SLEV' : 'SHAR'],
      ...transfers.map(transferOf),
    ],
  ];
}

function transferOf(transfer: CreditTransfer): XmlNode {
  const { endToEndId, instructionId, amount, currency, payee, remittance, purposeCode } = transfer;
  return [
    'CdtTrfTxInf',
    [
      [
        'PmtId',
        [
          ['InstrId', instructionId],
          ['EndToEndId', endToEndId],
        ],
      ],
      ['Amt', [['InstdAmt', toDecimal(amount, currency), { Ccy: currency }]]],
      payee.bic === null ? undefined : ['CdtrAgt', [['FinInstnId', [['BICFI', payee.bic]]]]],
      ['Cdtr', [['Nm', payee.name], payee.address === null ? undefined : addressOf(payee.address)]],
      ['CdtrAcct', [['Id', [['IBAN', payee.iban]]]]],
      purposeCode === null ? undefined : ['Purp', [['Cd', purposeCode]]],
      remittance === null ? undefined : ['RmtInf', [['Ustrd', remittance]]],
    ],
  ];
}

/**
 * Structured: unstructured lines are no longer taken (EPC, from November 2026). TwnNm and Ctry are always there, as the EPC and CBPR+ ask of structured
 * and hybrid addresses both; toCarry refuses what does not fit its element.
 */
function addressOf({ line1, postalCode, city, country }: PayeeAddress): XmlNode {
  return [
    'PstlAdr',
    [
      line1 === null ? undefined : ['StrtNm', line1],
      postalCode === null ? undefined : ['PstCd', postalCode],
      ['TwnNm', city],
      ['Ctry', country],
    ],
  ];
}
