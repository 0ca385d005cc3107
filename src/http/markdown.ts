/**
 * HTML of the Markdown in which our guides are written: headings, paragraphs, lists, tables, fenced code, code, links, emphasis, images
 * by their text, and state diagrams as tables. A test renders every guide; what a guide begins to use is added here.
 */
import { escapeHtml } from './page-html.ts';

export interface Heading {
  readonly level: number;
  readonly id: string;
  /** HTML. */
  readonly html: string;
}

export interface RenderedMarkdown {
  readonly html: string;
  readonly headings: readonly Heading[];
}

/** Where a link of a guide leads on the web; undefined where there is nothing to lead to: then its text stands alone. */
export type LinkOf = (href: string) => string | undefined;

export function renderMarkdown(markdown: string, linkOf: LinkOf): RenderedMarkdown {
  const headings: Heading[] = [];
  const renderer: Renderer = { linkOf, headings, ids: new Map() };
  const lines = markdown.replace(/<!--[\s\S]*?-->\n?/g, '').split('\n');
  return { html: blocks(renderer, lines), headings };
}

interface Renderer {
  readonly linkOf: LinkOf;
  readonly headings: Heading[];
  /** How often each id was given. */
  readonly ids: Map<string, number>;
}

const HEADING = /^(#{1,6}) (.*)$/;
const FENCE = /^```(.*)$/;
const ITEM = /^(- |\d+\. )/;
const TABLE = /^\|.*\|\s*$/;

function blocks(renderer: Renderer, lines: readonly string[]): string {
  const html: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const { block, next } = blockAt(renderer, lines, at);
    if (block !== '') html.push(block);
    at = next;
  }
  return html.join('\n');
}

interface Block {
  readonly block: string;
  /** The line behind it. */
  readonly next: number;
}

function blockAt(renderer: Renderer, lines: readonly string[], at: number): Block {
  const line = lines[at]!;
  if (line.trim() === '') return { block: '', next: at + 1 };
  const heading = HEADING.exec(line);
  if (heading) return { block: headingOf(renderer, heading[1]!.length, heading[2]!), next: at + 1 };
  if (FENCE.test(line)) return fenceAt(lines, at);
  if (TABLE.test(line)) return tableAt(renderer, lines, at);
  if (ITEM.test(line)) return listAt(renderer, lines, at);
  let next = at + 1;
  while (next < lines.length && lines[next]!.trim() !== '' && !startsBlock(lines[next]!)) next++;
  return { block: `<p>${inline(renderer, lines.slice(at, next).join('\n'))}</p>`, next };
}

function startsBlock(line: string): boolean {
  return HEADING.test(line) || FENCE.test(line) || TABLE.test(line) || ITEM.test(line);
}

function headingOf(renderer: Renderer, level: number, text: string): string {
  const html = inline(renderer, text);
  const slug = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
  const times = renderer.ids.get(slug) ?? 0;
  renderer.ids.set(slug, times + 1);
  const id = times === 0 ? slug : `${slug}-${times}`;
  renderer.headings.push({ level, id, html });
  return `<h${level} id="${escapeHtml(id)}">${html}</h${level}>`;
}

function fenceAt(lines: readonly string[], at: number): Block {
  const language = FENCE.exec(lines[at]!)![1]!.trim();
  let next = at + 1;
  while (next < lines.length && !FENCE.test(lines[next]!)) next++;
  const code = lines.slice(at + 1, next);
  const block =
    language === 'mermaid'
      ? transitionsOf(code)
      : `<pre tabindex="0"><code>${escapeHtml(code.join('\n'))}</code></pre>`;
  return { block, next: next + 1 };
}

/** A state diagram says what follows what: so does a table, and needs no script. */
function transitionsOf(lines: readonly string[]): string {
  const after = new Map<string, string[]>();
  for (const line of lines) {
    const [, from, to] = /^\s*(\S+) --> (\S+)/.exec(line) ?? [];
    if (from === undefined || to === undefined) continue;
    after.set(from, [...(after.get(from) ?? []), to]);
  }
  const named = (state: string) => (state === '[*]' ? 'begins' : `<code>${escapeHtml(state)}</code>`);
  const rows = [...after].map(
    ([from, to]) =>
      `<tr><td>${named(from)}</td><td>${to.map((state) => (state === '[*]' ? 'ends' : named(state))).join(' ')}</td></tr>`,
  );
  return wide(`<thead><tr><th>State</th><th>What may follow</th></tr></thead>\n<tbody>${rows.join('\n')}</tbody>`);
}

function tableAt(renderer: Renderer, lines: readonly string[], at: number): Block {
  let next = at;
  while (next < lines.length && TABLE.test(lines[next]!)) next++;
  const [head, , ...body] = lines.slice(at, next).map(cellsOf);
  const row = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${inline(renderer, cell)}</${tag}>`).join('')}</tr>`;
  const rows = body.map((cells) => row(cells, 'td'));
  const block = wide(`<thead>${row(head!, 'th')}</thead>\n<tbody>${rows.join('\n')}</tbody>`);
  return { block, next };
}

/** A pipe in a cell is written as `\|`. */
function cellsOf(line: string): string[] {
  return line
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** Scrolls by itself where the page is narrower. */
function wide(table: string): string {
  return `<div class="wide" tabindex="0"><table>\n${table}\n</table></div>`;
}

function listAt(renderer: Renderer, lines: readonly string[], at: number): Block {
  const tag = lines[at]!.startsWith('- ') ? 'ul' : 'ol';
  const items: string[][] = [];
  let next = at;
  for (; next < lines.length; next++) {
    const line = lines[next]!;
    if (ITEM.test(line)) items.push([line.replace(ITEM, '')]);
    else if (/^ {2,}\S/.test(line)) items.at(-1)!.push(line.replace(/^ {2,3}/, ''));
    else if (line.trim() === '' && /^ {2,}\S|^- |^\d+\. /.test(lines[next + 1] ?? '')) items.at(-1)!.push('');
    else if (line.trim() !== '' && !startsBlock(line)) items.at(-1)!.push(line);
    else break;
  }
  const html = items.map((item) => {
    const content = blocks(renderer, item);
    const isParagraph = content.startsWith('<p>') && content.lastIndexOf('<p>') === 0 && content.endsWith('</p>');
    return `<li>${isParagraph ? content.slice('<p>'.length, -'</p>'.length) : content}</li>`;
  });
  return { block: `<${tag}>${html.join('\n')}</${tag}>`, next };
}

/** Stands for a piece of finished HTML while the text around it is looked at. No guide has this character. */
const KEPT = /\u{E000}(\d+)\u{E000}/gu;

function inline({ linkOf }: Renderer, text: string): string {
  const pieces: string[] = [];
  const keep = (html: string) => `\u{E000}${pieces.push(html) - 1}\u{E000}`;
  const escaped = escapeHtml(
    text.replace(/(`+)([\s\S]+?)\1/g, (_, _marks, code: string) => keep(`<code>${escapeHtml(code.trim())}</code>`)),
  );
  const linked = escaped
    .replace(/!\[([^\]]*)\]\([^)\s]*\)/g, '$1')
    .replace(/\[([^\]]*)\]\(([^)\s]*)\)/g, (_, shown: string, href: string) => {
      const target = linkOf(href.replaceAll('&amp;', '&'));
      return target === undefined ? shown : `${keep(`<a href="${escapeHtml(target)}">`)}${shown}${keep('</a>')}`;
    });
  const emphasized = linked
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/(^|[\s(])\*([^*\s][^*]*)\*/g, '$1<em>$2</em>');
  return emphasized.replace(KEPT, (_, index: string) => pieces[Number(index)]!);
}
