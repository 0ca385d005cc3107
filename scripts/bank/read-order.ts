/** Reads a pain.001 as a bank does: one file of one customer, with the ids that its reports name. Streamed; one line is one payment. */
import { createReadStream } from 'node:fs';
import { BadInput } from '../../src/intake/bad-input.ts';
import { at, textAt, type XmlElement, XmlReader } from '../../src/intake/read-xml.ts';

export interface OrderedPayment {
  readonly endToEndId: string;
  readonly instructionId: string | null;
  /** PmtInfId. */
  readonly group: string;
  /** As the file writes it: `100.00`. */
  readonly amount: string;
  readonly currency: string;
  readonly iban: string;
  readonly name: string;
  readonly remittance: string | null;
  /** Purp/Cd. */
  readonly purposeCode: string | null;
}

export interface Order {
  /** MsgId. */
  readonly messageId: string;
  /** Such as `pain.001.001.10`. */
  readonly version: string;
  /** The account that it debits. */
  readonly debtorIban: string;
  /** PmtInfIds that the bank books as one sum (BtchBookg). */
  readonly booked: readonly string[];
  readonly payments: readonly OrderedPayment[];
}

/** Throws BadInput for what is no pain.001, and for one whose counts are not those of its payments. */
export async function readOrder(path: string): Promise<Order> {
  const payments: OrderedPayment[] = [];
  const booked = new Set<string>();
  const found = { messageId: '', version: '', debtorIban: '', count: '' };
  const reader = new XmlReader(new Set(['CdtTrfTxInf', 'PmtInf']), (element, ancestors) => {
    const [root, message] = ancestors;
    if (root === undefined) return;
    if (message?.name !== 'CstmrCdtTrfInitn') throw new BadInput(null, 'It is no pain.001.');
    found.version ||= (root.attributes.xmlns ?? '').split(':').at(-1)!;
    found.messageId ||= textAt(message, 'GrpHdr', 'MsgId') ?? '';
    found.count ||= textAt(message, 'GrpHdr', 'NbOfTxs') ?? '';
    const group = ancestors.find(({ name }) => name === 'PmtInf');
    if (group === undefined) return;
    found.debtorIban ||= textAt(group, 'DbtrAcct', 'Id', 'IBAN') ?? '';
    if (textAt(group, 'BtchBookg') === 'true') booked.add(textAt(group, 'PmtInfId') ?? '');
    payments.push(paymentOf(element, group));
  });
  for await (const part of createReadStream(path)) reader.write(part as Buffer);
  reader.end();
  const { count, ...order } = found;
  if (payments.length === 0 || order.messageId === '') throw new BadInput(null, 'It is no pain.001 with payments.');
  if (Number(count) !== payments.length)
    throw new BadInput(null, `NbOfTxs is ${count}, and the file has ${payments.length} payments.`);
  return { ...order, booked: [...booked], payments };
}

function paymentOf(element: XmlElement, group: XmlElement): OrderedPayment {
  const amount = at(element, 'Amt', 'InstdAmt');
  const endToEndId = textAt(element, 'PmtId', 'EndToEndId');
  const iban = textAt(element, 'CdtrAcct', 'Id', 'IBAN');
  if (amount === undefined || endToEndId === undefined || iban === undefined)
    throw new BadInput(element.row, 'A payment lacks its id, its amount or its account.');
  return {
    endToEndId,
    instructionId: textAt(element, 'PmtId', 'InstrId') ?? null,
    group: textAt(group, 'PmtInfId') ?? '',
    amount: amount.text,
    currency: amount.attributes.Ccy ?? '',
    iban,
    name: textAt(element, 'Cdtr', 'Nm') ?? '',
    remittance: textAt(element, 'RmtInf', 'Ustrd') ?? null,
    purposeCode: textAt(element, 'Purp', 'Cd') ?? null,
  };
}
