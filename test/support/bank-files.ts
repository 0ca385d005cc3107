/** Files of banks for tests: a pain.002 and a camt.054 with the members that a row of the scenarios needs. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Samples and schemas that are no part of the repository. */
export const SHARED_DATA = join(import.meta.dirname, '../../../shared/data');
export const hasSharedData = existsSync(SHARED_DATA);
if (!hasSharedData) console.warn(`Skipped: ${SHARED_DATA} is not there, so no file is held against its schema.`);

export const schemaOf = (name: string) => readFileSync(join(SHARED_DATA, 'xsd', `${name}.xsd`), 'utf8');

export interface EntryOptions {
  /** YYYY-MM-DD. */
  readonly bookedOn?: string;
  readonly amount: string;
  readonly currency?: string;
  readonly direction?: 'DBIT' | 'CRDT';
  readonly status?: 'BOOK' | 'PDNG' | 'INFO';
  readonly reversal?: boolean;
  readonly bankReference?: string;
  readonly batch?: { readonly paymentInformationId?: string; readonly messageId?: string };
  readonly transactions?: readonly TransactionOptions[];
}

export interface TransactionOptions {
  readonly endToEndId?: string;
  readonly instructionId?: string;
  readonly bankReference?: string;
  readonly amount?: string;
  /** The entry's, where it is left out. */
  readonly direction?: 'DBIT' | 'CRDT';
  readonly instructed?: string;
  readonly charges?: string;
  readonly reason?: string;
  readonly remittance?: string;
}

export const TEST_IBAN = 'AT611904300234573201';

/** Valid against camt.054.001.08. */
export function camt054(
  entries: readonly EntryOptions[],
  { id = 'N1', copy, account = TEST_IBAN }: { id?: string; copy?: 'DUPL' | 'COPY' | 'CODU'; account?: string } = {},
): string {
  const amount = (name: string, value: string, currency: string) => `<${name} Ccy="${currency}">${value}</${name}>`;
  const transaction = (one: TransactionOptions, currency: string, direction: string) =>
    `<TxDtls><Refs>${element('AcctSvcrRef', one.bankReference)}${element('InstrId', one.instructionId)}${element('EndToEndId', one.endToEndId)}</Refs>${
      one.amount === undefined
        ? ''
        : `${amount('Amt', one.amount, currency)}<CdtDbtInd>${one.direction ?? direction}</CdtDbtInd>`
    }${
      one.instructed === undefined
        ? ''
        : `<AmtDtls><InstdAmt>${amount('Amt', one.instructed, currency)}</InstdAmt></AmtDtls>`
    }${
      one.charges === undefined
        ? ''
        : `<Chrgs><Rcrd>${amount('Amt', one.charges, currency)}<CdtDbtInd>DBIT</CdtDbtInd></Rcrd></Chrgs>`
    }${one.remittance === undefined ? '' : `<RmtInf><Ustrd>${one.remittance}</Ustrd></RmtInf>`}${
      one.reason === undefined ? '' : `<RtrInf><Rsn><Cd>${one.reason}</Cd></Rsn></RtrInf>`
    }</TxDtls>`;
  const entry = ({
    currency = 'EUR',
    direction = 'DBIT',
    status = 'BOOK',
    batch,
    transactions = [],
    ...one
  }: EntryOptions) =>
    `<Ntry>${amount('Amt', one.amount, currency)}<CdtDbtInd>${direction}</CdtDbtInd>${
      one.reversal === undefined ? '' : `<RvslInd>${one.reversal}</RvslInd>`
    }<Sts><Cd>${status}</Cd></Sts><BookgDt><Dt>${one.bookedOn ?? '2027-03-30'}</Dt></BookgDt><ValDt><Dt>2027-03-30</Dt></ValDt>${element(
      'AcctSvcrRef',
      one.bankReference,
    )}<BkTxCd><Prtry><Cd>NTRF</Cd></Prtry></BkTxCd>${
      batch === undefined && transactions.length === 0
        ? ''
        : `<NtryDtls>${
            batch === undefined
              ? ''
              : `<Btch>${element('MsgId', batch.messageId)}${element('PmtInfId', batch.paymentInformationId)}</Btch>`
          }${transactions.map((each) => transaction(each, currency, direction)).join('')}</NtryDtls>`
    }</Ntry>`;
  return document(
    'camt.054.001.08',
    `<BkToCstmrDbtCdtNtfctn><GrpHdr><MsgId>${id}</MsgId><CreDtTm>2027-03-30T10:00:00Z</CreDtTm></GrpHdr><Ntfctn><Id>${id}</Id>${element(
      'CpyDplctInd',
      copy,
    )}<Acct><Id><IBAN>${account}</IBAN></Id></Acct>${entries.map(entry).join('')}</Ntfctn></BkToCstmrDbtCdtNtfctn>`,
  );
}

export interface StatusOptions {
  readonly status: string;
  readonly reason?: string;
}

/** Valid against pain.002.001.11. */
export function pain002({
  id = 'S1',
  messageId,
  group,
  payments = [],
}: {
  id?: string;
  messageId: string;
  group?: StatusOptions;
  payments?: readonly (Partial<StatusOptions> & {
    readonly paymentInformationId: string;
    readonly transactions?: readonly (StatusOptions & {
      readonly endToEndId?: string;
      readonly instructionId?: string;
    })[];
  })[];
}): string {
  const reason = (code: string | undefined) =>
    code === undefined ? '' : `<StsRsnInf><Rsn><Cd>${code}</Cd></Rsn></StsRsnInf>`;
  const transaction = (one: StatusOptions & { endToEndId?: string; instructionId?: string }) =>
    `<TxInfAndSts>${element('OrgnlInstrId', one.instructionId)}${element('OrgnlEndToEndId', one.endToEndId)}<TxSts>${one.status}</TxSts>${reason(one.reason)}</TxInfAndSts>`;
  return document(
    'pain.002.001.11',
    `<CstmrPmtStsRpt><GrpHdr><MsgId>${id}</MsgId><CreDtTm>2027-03-30T10:00:00Z</CreDtTm></GrpHdr><OrgnlGrpInfAndSts><OrgnlMsgId>${messageId}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.10</OrgnlMsgNmId>${
      group === undefined ? '' : `<GrpSts>${group.status}</GrpSts>${reason(group.reason)}`
    }</OrgnlGrpInfAndSts>${payments
      .map(
        (one) =>
          `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${one.paymentInformationId}</OrgnlPmtInfId>${element('PmtInfSts', one.status)}${reason(one.reason)}${(one.transactions ?? []).map(transaction).join('')}</OrgnlPmtInfAndSts>`,
      )
      .join('')}</CstmrPmtStsRpt>`,
  );
}

const element = (name: string, text: string | undefined) => (text === undefined ? '' : `<${name}>${text}</${name}>`);

const document = (name: string, inside: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${name}">${inside}</Document>\n`;
