/** Reads a pain.002: the statuses of transactions, payments and of the whole group. */

import { allAt, at, textAt, type XmlElement } from '../../intake/read-xml.ts';
import type { StatusLine } from './bank-line.ts';
import type { MessageReader } from './message-reader.ts';

type Emit = (line: StatusLine) => void;

export class StatusReader implements MessageReader {
  readonly message = 'CstmrPmtStsRpt';
  readonly kind = 'pain.002';
  readonly names = new Set(['TxInfAndSts', 'OrgnlPmtInfAndSts']);
  readonly #emit: Emit;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  onElement(element: XmlElement, ancestors: readonly XmlElement[]): void {
    const message = ancestors[1]!;
    if (element.name === 'TxInfAndSts') {
      const payment = ancestors.find(({ name }) => name === 'OrgnlPmtInfAndSts');
      this.#line(message, element, {
        level: 'transaction',
        status: textAt(element, 'TxSts'),
        paymentInformationId: textAt(payment, 'OrgnlPmtInfId'),
      });
      return;
    }
    this.#line(message, element, {
      level: 'payment',
      status: textAt(element, 'PmtInfSts'),
      paymentInformationId: textAt(element, 'OrgnlPmtInfId'),
    });
  }

  onMessage(message: XmlElement): void {
    for (const group of allAt(message, 'OrgnlGrpInfAndSts'))
      this.#line(message, group, { level: 'group', status: textAt(group, 'GrpSts') });
  }

  #line(
    message: XmlElement,
    element: XmlElement,
    {
      level,
      status,
      paymentInformationId,
    }: Pick<StatusLine, 'level' | 'paymentInformationId'> & { status?: string | undefined },
  ): void {
    // A level without a status leaves it to the others.
    if (status === undefined) return;
    this.#emit({
      type: 'status',
      place: 0,
      level,
      status,
      reason: reasonOf(element),
      reportId: textAt(message, 'GrpHdr', 'MsgId') ?? '',
      messageId: textAt(element, 'OrgnlMsgId') ?? textAt(message, 'OrgnlGrpInfAndSts', 'OrgnlMsgId'),
      paymentInformationId,
      endToEndId: textAt(element, 'OrgnlEndToEndId'),
      instructionId: textAt(element, 'OrgnlInstrId'),
    });
  }
}

function reasonOf(element: XmlElement): string | undefined {
  for (const information of allAt(element, 'StsRsnInf')) {
    const reason = at(information, 'Rsn');
    const code = textAt(reason, 'Cd') ?? textAt(reason, 'Prtry');
    if (code !== undefined) return code;
  }
  return undefined;
}
