/** Statements of a bank as camt.053, written as they are made: a file of a million lines has 600 MB. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { type DrawnLine, lineOf } from './drawn-lines.ts';

export interface StatementFile {
  readonly path: string;
  readonly account: string;
  readonly currency: string;
  /** Decimals of the currency. */
  readonly exponent: number;
  readonly number: number;
  readonly on: string;
  readonly opening: bigint;
  /** Numbers of the first line and of how many; none: a statement of a day on which nothing moved. */
  readonly from: number;
  readonly lines: number;
  readonly bookIds: readonly string[];
}

/** Resolves with the closing balance. All lines are debits. */
export async function writeStatement(file: StatementFile): Promise<bigint> {
  const { path, from, lines, bookIds } = file;
  const stream = createWriteStream(path);
  let sum = 0n;
  for (let number = from; number < from + lines; number++) sum += lineOf(number, '').amount;
  const closing = file.opening - sum;
  stream.write(headOf(file, closing));
  for (let number = from; number < from + lines; number++)
    if (!stream.write(entryOf(lineOf(number, bookIds[number % bookIds.length]!), file))) await once(stream, 'drain');
  stream.end('</Stmt></BkToCstmrStmt></Document>\n');
  await once(stream, 'finish');
  return closing;
}

function headOf(file: StatementFile, closing: bigint): string {
  const { account, currency, number, on, opening } = file;
  const balance = (code: string, amount: bigint) =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${amountOf(amount, file)}<CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>${on}</Dt></Dt></Bal>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr><MsgId>M${number}</MsgId></GrpHdr>
<Stmt><Id>${number}</Id><ElctrncSeqNb>${number}</ElctrncSeqNb><Acct><Id><IBAN>${account}</IBAN></Id><Ccy>${currency}</Ccy></Acct>
${balance('OPBD', opening)}${balance('CLBD', closing)}
`;
}

function entryOf({ amount, endToEndId, bankReference, text, account }: DrawnLine, file: StatementFile): string {
  const money = `${amountOf(amount, file)}<CdtDbtInd>DBIT</CdtDbtInd>`;
  const dates = `<BookgDt><Dt>${file.on}</Dt></BookgDt><ValDt><Dt>${file.on}</Dt></ValDt>`;
  const other = `<RltdPties><Cdtr><Pty><Nm>Jana Haddad</Nm></Pty></Cdtr><CdtrAcct><Id><IBAN>${account}</IBAN></Id></CdtrAcct></RltdPties>`;
  return `<Ntry>${money}<Sts><Cd>BOOK</Cd></Sts>${dates}<AcctSvcrRef>${bankReference}</AcctSvcrRef><BkTxCd><Prtry><Cd>TRF</Cd></Prtry></BkTxCd><NtryDtls><TxDtls><Refs><EndToEndId>${endToEndId}</EndToEndId></Refs>${money}${other}<RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>
`;
}

function amountOf(amount: bigint, { currency, exponent }: StatementFile): string {
  const digits = String(amount).padStart(exponent + 1, '0');
  return `<Amt Ccy="${currency}">${digits.slice(0, -exponent)}.${digits.slice(-exponent)}</Amt>`;
}
