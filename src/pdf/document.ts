/**
 * A PDF of A4 pages with text of any direction. The same calls give the same bytes: dates and the id of the file follow from `at`, never from
 * the time of making.
 */
import type PDFDocument from 'pdfkit';
import type { Instant } from '../values/clock.ts';
import { BOLD, FACES, fontFile } from './fonts.ts';
import { asLine, type Line, type Run, runsOf } from './text-runs.ts';

export const PAGE = { width: 595.28, height: 841.89, margin: 40 } as const;

export interface Placed {
  readonly x: number;
  /** Of the baseline, from the top. */
  readonly y: number;
  readonly width: number;
  readonly size: number;
  /** `start`: left, and right for a text that is read from right to left. */
  readonly align?: 'start' | 'left' | 'right';
  readonly bold?: boolean;
  readonly color?: string;
}

/** A glyph for a code point, as the font of pdfkit knows it. */
interface OpenFont {
  readonly _font: { readonly font: { hasGlyphForCodePoint(codePoint: number): boolean } };
}

/** By words, which pdfkit lays out once each, from left to right. */
const WORDS = { lineBreak: false, baseline: 'alphabetic' } as const;
/** With features, even none, pdfkit shapes a run whole: one that is read from right to left has to be. */
const WHOLE = { ...WORDS, features: [] as PDFKit.Mixins.OpenTypeFeatures[] };

const optionsOf = ({ isTurned }: Run) => (isTurned ? WHOLE : WORDS);
const ELLIPSIS = '…';

export class PdfPages {
  readonly #document: PDFKit.PDFDocument;
  readonly #faceOf = new Map<number, string | undefined>();

  /** Loads the library with the first document: most processes make none, and it takes a tenth of a start. */
  static async open(head: { readonly title: string; readonly at: Instant }): Promise<PdfPages> {
    return new PdfPages((await import('pdfkit')).default, head);
  }

  private constructor(Document: typeof PDFDocument, { title, at }: { readonly title: string; readonly at: Instant }) {
    const info = { Title: title, Producer: 'Countinghouse', Creator: 'Countinghouse', CreationDate: new Date(at) };
    this.#document = new Document({ size: 'A4', margin: 0, bufferPages: true, autoFirstPage: false, info });
    for (const [face, file] of Object.entries(FACES)) this.#document.registerFont(face, fontFile(file));
    this.#document.registerFont('bold', fontFile(BOLD));
  }

  addPage(): void {
    this.#document.addPage();
  }

  /** Text on one line; what is too long ends with an ellipsis. */
  text(text: string, placed: Placed): void {
    this.#draw(this.#fitting(asLine(text), placed), placed);
  }

  /** Breaks a text into lines of at most the width, between words. What does not fit into the last one ends with an ellipsis. */
  lines(
    text: string,
    { width, size, most }: { readonly width: number; readonly size: number; readonly most: number },
  ): string[] {
    const lines: string[] = [];
    let line = '';
    const words = asLine(text).split(/ +/);
    for (const [at, word] of words.entries()) {
      const longer = line === '' ? word : `${line} ${word}`;
      if (line === '' || this.width(longer, size) <= width) {
        line = longer;
        continue;
      }
      if (lines.length === most - 1) return [...lines, [line, ...words.slice(at)].join(' ')];
      lines.push(line);
      line = word;
    }
    return line === '' ? lines : [...lines, line];
  }

  rule(y: number, { color = '#999999' }: { readonly color?: string } = {}): void {
    const { margin, width } = PAGE;
    this.#document
      .moveTo(margin, y)
      .lineTo(width - margin, y)
      .lineWidth(0.5)
      .strokeColor(color)
      .stroke();
  }

  /** Draws on every page, with its number and how many there are. */
  onEveryPage(draw: (page: number, pages: number) => void): void {
    const { start, count } = this.#document.bufferedPageRange();
    for (let page = 0; page < count; page++) {
      this.#document.switchToPage(start + page);
      draw(page + 1, count);
    }
  }

  /** The file. Nothing is drawn afterwards. */
  async *end(): AsyncGenerator<Buffer> {
    this.#document.end();
    for await (const piece of this.#document) yield piece as Buffer;
  }

  width(text: string, size: number): number {
    return this.#widthOf(this.#runs(text), size);
  }

  #runs(text: string): Line {
    return runsOf(text, (codePoint) => this.#face(codePoint));
  }

  #widthOf({ runs }: Line, size: number, bold = false): number {
    return runs.reduce((sum, run) => sum + this.#widthOfRun(run, size, bold), 0);
  }

  #widthOfRun(run: Run, size: number, bold: boolean): number {
    const sized = this.#document.font(bold ? 'bold' : run.face).fontSize(size);
    return sized.widthOfString(run.text, optionsOf(run));
  }

  #fitting(text: string, { width, size, bold }: Placed): Line {
    const whole = this.#runs(text);
    if (this.#widthOf(whole, size, bold) <= width) return whole;
    // By halves: the longest beginning that fits with its ellipsis.
    const characters = [...text];
    let [fits, tooLong] = [0, characters.length];
    while (tooLong - fits > 1) {
      const middle = Math.floor((fits + tooLong) / 2);
      const cut = this.#runs(`${characters.slice(0, middle).join('')}${ELLIPSIS}`);
      if (this.#widthOf(cut, size, bold) <= width) fits = middle;
      else tooLong = middle;
    }
    return this.#runs(`${characters.slice(0, fits).join('')}${ELLIPSIS}`);
  }

  #draw(line: Line, { x, y, width: within, size, align = 'start', bold = false, color = '#000000' }: Placed): void {
    const drawn = this.#widthOf(line, size, bold);
    const isRight = align === 'right' || (align === 'start' && line.isRightToLeft);
    let at = isRight ? x + within - drawn : x;
    this.#document.fillColor(color);
    for (const run of line.runs) {
      const width = this.#widthOfRun(run, size, bold);
      this.#document.text(run.text, at, y, optionsOf(run));
      at += width;
    }
  }

  #face(codePoint: number): string | undefined {
    if (this.#faceOf.has(codePoint)) return this.#faceOf.get(codePoint);
    const face = Object.keys(FACES).find((name) => {
      const { _font: opened } = this.#document.font(name) as unknown as OpenFont;
      return opened.font.hasGlyphForCodePoint(codePoint);
    });
    this.#faceOf.set(codePoint, face);
    return face;
  }
}
