/** The lines of a text file whose bytes come in parts. */
import { BadInput } from '../../intake/bad-input.ts';

/** Many times the longest line of a bank's file. */
const LINE_MAX = 64 * 1024;
const LF = 10;
const CR = 13;

export interface FileLine {
  /** From 1. */
  readonly row: number;
  readonly text: string;
}

/**
 * A line ends with LF, CR LF or, as old systems write it, CR alone. It is UTF-8 where it can be, else Windows-1252, which banks wrote before. Throws
 * BadInput for a line of more than LINE_MAX bytes.
 */
export class FileLines {
  #pending: Buffer = Buffer.alloc(0);
  #rows = 0;

  push(bytes: Buffer): FileLine[] {
    const all = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes]);
    const lines: FileLine[] = [];
    let start = 0;
    for (let end = all.indexOf(LF); end !== -1; end = all.indexOf(LF, start)) {
      lines.push(...this.#split(all.subarray(start, end)));
      start = end + 1;
    }
    // CRs at the very end may be those of a CR LF.
    let whole = all.length;
    while (whole > start && all[whole - 1] === CR) whole -= 1;
    const last = whole > start ? all.lastIndexOf(CR, whole - 1) : -1;
    if (last >= start) {
      lines.push(...this.#split(all.subarray(start, last)));
      start = last + 1;
    }
    this.#pending = all.subarray(start);
    if (this.#pending.length > LINE_MAX) throw new BadInput(this.#rows + 1, `It has more than ${LINE_MAX} bytes.`);
    return lines;
  }

  /** A last line that nothing ends. */
  end(): FileLine[] {
    const rest = this.#pending;
    this.#pending = Buffer.alloc(0);
    return rest.length === 0 ? [] : this.#split(rest);
  }

  /** Some banks write CR CR LF: CRs at the end are of the end. */
  #split(bytes: Buffer): FileLine[] {
    let length = bytes.length;
    while (length > 0 && bytes[length - 1] === CR) length -= 1;
    const lines: FileLine[] = [];
    let start = 0;
    for (let end = bytes.indexOf(CR); end !== -1 && end < length; end = bytes.indexOf(CR, start)) {
      lines.push(this.#line(bytes.subarray(start, end)));
      start = end + 1;
    }
    return [...lines, this.#line(bytes.subarray(start, length))];
  }

  #line(bytes: Buffer): FileLine {
    const end = bytes.length;
    const start = this.#rows === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
    if (end - start > LINE_MAX) throw new BadInput(this.#rows + 1, `It has more than ${LINE_MAX} bytes.`);
    this.#rows++;
    return { row: this.#rows, text: decoded(bytes.subarray(start, end)) };
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
const windows = new TextDecoder('windows-1252');

function decoded(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return windows.decode(bytes);
  }
}
