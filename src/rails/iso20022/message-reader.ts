/** Kinds of messages of banks, and what reads one. */
import type { XmlElement } from '../../intake/read-xml.ts';

export type BankFileKind = 'pain.002' | 'camt.054';

/** Reads one kind of message. */
export interface MessageReader {
  /** The element of the root that has the message. */
  readonly message: string;
  readonly kind: BankFileKind;
  /** Elements that are handed over one by one. */
  readonly names: ReadonlySet<string>;
  onElement(element: XmlElement, ancestors: readonly XmlElement[]): void;
  /** The message has ended: what was not handed over stands in it. */
  onMessage(message: XmlElement): void;
}
