/**
 * The elements of one list of a JSON object, cut out as the text comes: each is parsed alone, and no more than one is in memory at once. What
 * stands beside the list is kept as a text in which the list is empty. Strings and brackets are all that is looked at; whoever parses an
 * element sees whether it is JSON. Pure: text in, texts out.
 */

/** The text is no JSON object with such a list. */
export class NotItems extends Error {
  override name = 'NotItems';
}

/** What stands beside the list, or in one element, is longer than anybody needs. */
export class TooLong extends NotItems {
  override name = 'TooLong';

  constructor(
    what: string,
    readonly limit: number,
  ) {
    super(`${what} has more than ${limit} characters`);
  }
}

/** Many times the longest payout. */
const ELEMENT_MAX = 64 * 1024;
/** What stands beside the list. */
const BESIDE_MAX = 256 * 1024;

const SPACE = new Set([' ', '\n', '\r', '\t']);

type Place =
  /** Outside of the list. */
  | 'beside'
  /** Within it, where an element begins. */
  | 'before'
  /** Within an element. */
  | 'element'
  /** Within it, behind an element. */
  | 'behind';

export class JsonItems {
  readonly #list: string;
  #place: Place = 'beside';
  #beside = '';
  #element = '';
  #depth = 0;
  #isString = false;
  #isEscaped = false;
  /** Where the last string beside the list begins, and whether it is a name with its colon. */
  #stringAt = 0;
  #name = '';
  #isNamed = false;
  #elements = 0;
  /** A comma stands before the next element. */
  #isOwed = false;

  /** `list`: the name of the member. */
  constructor(list: string) {
    this.#list = list;
  }

  /** The elements that end in the text. Throws NotItems. */
  push(text: string): string[] {
    const ended: string[] = [];
    for (let at = 0; at < text.length; at++) {
      const character = text[at]!;
      switch (this.#place) {
        case 'beside':
          this.#readBeside(character);
          break;
        case 'before':
          if (SPACE.has(character)) break;
          if (character === ']' && !this.#isOwed) this.#endList();
          else if (character === ',' || character === ']') throw new NotItems(`No element stands before ${character}`);
          else {
            this.#place = 'element';
            this.#readElement(character, ended);
          }
          break;
        case 'element':
          this.#readElement(character, ended);
          break;
        case 'behind':
          if (SPACE.has(character)) break;
          this.#readBehind(character);
      }
    }
    return ended;
  }

  /** The text with an empty list. Throws NotItems within the list. */
  end(): string {
    if (this.#place !== 'beside') throw new NotItems('The list does not end');
    return this.#beside;
  }

  #readBeside(character: string): void {
    const { length } = this.#beside;
    if (length > BESIDE_MAX) throw new TooLong('The text beside the list', BESIDE_MAX);
    this.#beside += character;
    if (this.#isString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (character === '\\') this.#isEscaped = true;
      else if (character === '"') {
        this.#isString = false;
        this.#name = this.#beside.slice(this.#stringAt + 1, length);
      }
      return;
    }
    if (character === '"') {
      this.#isString = true;
      this.#stringAt = length;
      this.#isNamed = false;
    } else if (character === ':') this.#isNamed = this.#depth === 1 && this.#name === this.#list;
    else if (character === '[' && this.#isNamed) {
      this.#place = 'before';
      this.#isOwed = false;
    } else if (!SPACE.has(character)) this.#nest(character);
  }

  #nest(character: string): void {
    this.#isNamed = false;
    if (character === '{' || character === '[') this.#depth++;
    else if (character === '}' || character === ']') this.#depth--;
  }

  #readElement(character: string, ended: string[]): void {
    if (this.#isString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (character === '\\') this.#isEscaped = true;
      else if (character === '"') this.#isString = false;
    } else if (character === '"') this.#isString = true;
    else if (character === '{' || character === '[') this.#depth++;
    else if (this.#depth === 1 && (character === ',' || character === ']' || SPACE.has(character))) {
      this.#finish(ended);
      if (!SPACE.has(character)) this.#readBehind(character);
      return;
    } else if (character === '}' || character === ']') this.#depth--;
    this.#element += character;
    if (this.#element.length > ELEMENT_MAX) throw new TooLong(`Element ${this.#elements + 1}`, ELEMENT_MAX);
  }

  #finish(ended: string[]): void {
    ended.push(this.#element);
    this.#element = '';
    this.#elements++;
    this.#place = 'behind';
  }

  #readBehind(character: string): void {
    if (character === ']') this.#endList();
    else if (character === ',') {
      this.#place = 'before';
      this.#isOwed = true;
    } else throw new NotItems(`Neither a comma nor the end of the list stands behind element ${this.#elements}`);
  }

  #endList(): void {
    this.#place = 'beside';
    this.#isNamed = false;
    this.#beside += ']';
  }
}
