/**
 * Reads a bank's file: a pain.002 or a camt.054 of any version, reported apart by what stands in its root. Pure: bytes in, lines out, in the
 * order of the file. Memory is that of one line and its headers.
 */
import { BadInput } from '../../intake/bad-input.ts';
import { type XmlElement, XmlReader } from '../../intake/read-xml.ts';
import type { BankLine } from './bank-line.ts';
import type { BankFileKind, MessageReader } from './message-reader.ts';
import { EntryReader } from './read-camt-054.ts';
import { StatusReader } from './read-pain-002.ts';

/** Calls `onLine` for each line. Throws BadInput for a file that is not whole, not well-formed, or of another kind. */
export class BankFileReader {
  readonly #readers: readonly MessageReader[];
  readonly #xml: XmlReader;
  #kind: BankFileKind | undefined;

  /** `onUnequal`: of a camt.054, an entry whose transactions do not come to its amount, counted from 1. It is known behind its lines. */
  constructor(onLine: (line: BankLine) => void, onUnequal: (entry: number) => void = () => undefined) {
    let place = 0;
    const emit = (line: BankLine) => onLine({ ...line, place: ++place });
    this.#readers = [new StatusReader(emit), new EntryReader(emit, onUnequal)];
    const names = new Set(this.#readers.flatMap((reader) => [reader.message, ...reader.names]));
    this.#xml = new XmlReader(names, (element, ancestors) => this.#onElement(element, ancestors));
  }

  write(part: Buffer): void {
    this.#xml.write(part);
  }

  end(): BankFileKind {
    this.#xml.end();
    return this.#kind!;
  }

  #onElement(element: XmlElement, ancestors: readonly XmlElement[]): void {
    const root = ancestors[0] ?? element;
    if (ancestors.length === 0) {
      if (this.#kind === undefined) throw new BadInput(null, unknownKind(root));
      return;
    }
    const message = ancestors[1] ?? element;
    const reader = this.#readers.find((one) => one.message === message.name);
    if (root.name !== 'Document' || reader === undefined) throw new BadInput(null, unknownKind(root, message));
    this.#kind = reader.kind;
    if (ancestors.length === 1) reader.onMessage(element);
    else reader.onElement(element, ancestors);
  }
}

function unknownKind(root: XmlElement, message = root.children[0]): string {
  const named = [root.name, message?.name].filter((name) => name !== undefined).join('/');
  return `It is ${named.slice(0, 200)}, and neither a pain.002 (Document/CstmrPmtStsRpt) nor a camt.054 (Document/BkToCstmrDbtCdtNtfctn).`;
}
