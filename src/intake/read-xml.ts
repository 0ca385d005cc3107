/**
 * Reads XML as a stream. Elements of the named kinds are handed over at their end and then forgotten; of all others the headers stay, as the
 * ancestors of what is handed over. What a hostile file could make large is bounded: depth, texts, attributes, elements kept, and tags
 * without an end. A DOCTYPE ends it, so no entity is ever declared. Namespaces are read and left out: versions of a message are distinguished
 * by their structure.
 */
import { SaxesParser } from 'saxes';
import { BadInput } from './bad-input.ts';

export interface XmlElement {
  /** Without its prefix. */
  readonly name: string;
  /** The line on which it begins. */
  readonly row: number;
  readonly attributes: Readonly<Record<string, string>>;
  text: string;
  readonly children: XmlElement[];
}

/** `ancestors`: from the root to the parent, each with what it had before. */
export type OnElement = (element: XmlElement, ancestors: readonly XmlElement[]) => void;

/** Messages of ISO 20022 have 15 levels. */
const DEPTH_MAX = 50;
/** Several times the longest text of ISO 20022. */
const TEXT_MAX = 20_000;
const ATTRIBUTES_MAX = 30;
/** Elements that are open or kept as headers at one time. */
const KEPT_MAX = 20_000;
/** The parser keeps what it has not handed over yet: of a tag, a text or a comment without an end that would be the file. */
const UNENDED_MAX = 4 * TEXT_MAX;
/** Given to the parser at once: UNENDED_MAX is looked at behind each. */
const SLICE = 16_384;

/**
 * Hands over each element whose name is in `names`, and at last the root with what stayed. Throws BadInput naming the line for what is no
 * well-formed XML in UTF-8, and for what passes a bound.
 */
export class XmlReader {
  readonly #parser = new SaxesParser({ xmlns: true, position: true });
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  readonly #names: ReadonlySet<string>;
  readonly #onElement: OnElement;
  readonly #open: XmlElement[] = [];
  #kept = 0;
  #isEmpty = true;
  /** Characters since the parser handed over anything. */
  #unended = 0;
  #attributes = 0;

  constructor(names: ReadonlySet<string>, onElement: OnElement) {
    this.#names = names;
    this.#onElement = onElement;
    const parser = this.#parser;
    parser.on('error', (error) => this.#refuse(error.message.replace(/^[^:]*:\d+:\d+: /, '')));
    parser.on('doctype', () => this.#refuse('It has a DOCTYPE, which no bank file needs.'));
    parser.on('xmldecl', ({ encoding = 'utf-8' }) => {
      if (encoding.toLowerCase() !== 'utf-8')
        this.#refuse(`It is declared as ${encoding.slice(0, 40)}; UTF-8 is read.`);
    });
    parser.on('opentagstart', () => {
      this.#attributes = 0;
    });
    parser.on('attribute', () => this.#countAttribute());
    parser.on('opentag', ({ local, attributes }) => {
      const named = Object.values(attributes).map((attribute) => [attribute.local, attribute.value] as const);
      this.#openElement(local, named);
    });
    parser.on('text', (text) => this.#addText(text));
    parser.on('cdata', (text) => this.#addText(text));
    parser.on('closetag', () => this.#closeElement());
    parser.on('comment', () => this.#ended());
    parser.on('processinginstruction', () => this.#ended());
  }

  write(part: Buffer): void {
    if (part.length > 0) this.#isEmpty = false;
    const text = this.#decoded(part);
    for (let from = 0; from < text.length; from += SLICE) this.#writeSlice(text.slice(from, from + SLICE));
  }

  #writeSlice(text: string): void {
    this.#unended += text.length;
    this.#parser.write(text);
    if (this.#unended > UNENDED_MAX)
      this.#refuse(`A tag, a text or a comment has more than ${UNENDED_MAX} characters.`);
  }

  #ended(): void {
    this.#unended = 0;
  }

  #countAttribute(): void {
    this.#ended();
    this.#attributes += 1;
    if (this.#attributes > ATTRIBUTES_MAX) this.#refuse(`An element has more than ${ATTRIBUTES_MAX} attributes.`);
  }

  /** The file has ended. Throws where it was not whole. */
  end(): void {
    if (this.#isEmpty) throw new BadInput(null, 'The file is empty.');
    this.#parser.write(this.#decoded()).close();
  }

  #openElement(name: string, attributes: readonly (readonly [string, string])[]): void {
    this.#ended();
    if (this.#open.length >= DEPTH_MAX) this.#refuse(`It has more than ${DEPTH_MAX} levels.`);
    this.#kept += 1;
    if (this.#kept > KEPT_MAX) this.#refuse(`An element has more than ${KEPT_MAX} elements inside.`);
    if (attributes.some(([, value]) => value.length > TEXT_MAX)) this.#refuse('An attribute is too long.');
    this.#open.push({
      name,
      row: this.#parser.line,
      attributes: Object.fromEntries(attributes),
      text: '',
      children: [],
    });
  }

  #addText(text: string): void {
    this.#ended();
    const element = this.#open.at(-1);
    // Indentation between elements, which may be many.
    if (element === undefined || (element.text === '' && text.trim() === '')) return;
    element.text += text;
    if (element.text.length > TEXT_MAX) this.#refuse(`A text has more than ${TEXT_MAX} characters.`);
  }

  #closeElement(): void {
    this.#ended();
    const element = this.#open.pop()!;
    const parent = this.#open.at(-1);
    element.text = element.text.trim();
    if (parent !== undefined && !this.#names.has(element.name)) {
      parent.children.push(element);
      return;
    }
    this.#onElement(element, this.#open);
    this.#kept -= countOf(element);
  }

  #decoded(part?: Buffer): string {
    try {
      return part === undefined ? this.#decoder.decode() : this.#decoder.decode(part, { stream: true });
    } catch {
      return this.#refuse('It is not UTF-8.');
    }
  }

  #refuse(what: string): never {
    throw new BadInput(this.#parser.line, what);
  }
}

function countOf(element: XmlElement): number {
  return element.children.reduce((sum, child) => sum + countOf(child), 1);
}

/** The first element at the path. */
export function at(element: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined {
  let found = element;
  for (const name of path) found = found?.children.find((child) => child.name === name);
  return found;
}

/** The text of the first element at the path; undefined where it is absent or empty. */
export function textAt(element: XmlElement | undefined, ...path: readonly string[]): string | undefined {
  return at(element, ...path)?.text || undefined;
}

export function allAt(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}
