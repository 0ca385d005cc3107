/**
 * HTML of the Markdown in which our guides are written, for pages without scripts: links lead from page to page, images are their text,
 * and state diagrams are tables. Raw HTML is shown as text. Comments are left out, but for what the gate expects of a command's output.
 */
import { Marked, Renderer, type Tokens } from 'marked';
import { codeHtml, escapeHtml, wideTable } from './page-html.ts';

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

const marked = new Marked({ async: false, gfm: true });

/** Behind a command: what .ci/run-guide.mjs looks for in its output. */
const EXPECTED = /^<!-- expect: (.*?) -->/;

export function renderMarkdown(markdown: string, linkOf: LinkOf): RenderedMarkdown {
  const renderer = new GuideRenderer(linkOf);
  const html = marked.parse(markdown, { renderer }) as string;
  return { html, headings: renderer.headings };
}

class GuideRenderer extends Renderer {
  readonly headings: Heading[] = [];
  readonly #linkOf: LinkOf;
  /** How often each id was given. */
  readonly #ids = new Map<string, number>();

  constructor(linkOf: LinkOf) {
    super();
    this.#linkOf = linkOf;
  }

  override heading({ tokens, depth, text }: Tokens.Heading): string {
    const html = this.parser.parseInline(tokens);
    const id = this.#idOf(text);
    this.headings.push({ level: depth, id, html });
    return `<h${depth} id="${escapeHtml(id)}">${html}</h${depth}>\n`;
  }

  override code({ text, lang }: Tokens.Code): string {
    if (lang === 'mermaid') return transitionsOf(text.split('\n'));
    return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
  }

  override table(token: Tokens.Table): string {
    return wideTable(super.table(token));
  }

  override codespan({ text }: Tokens.Codespan): string {
    return codeHtml(text);
  }

  override link({ href, tokens }: Tokens.Link): string {
    const shown = this.parser.parseInline(tokens);
    const target = this.#linkOf(href);
    return target === undefined ? shown : `<a href="${escapeHtml(target)}">${shown}</a>`;
  }

  override image({ text }: Tokens.Image): string {
    return escapeHtml(text);
  }

  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    const [, expected] = EXPECTED.exec(text) ?? [];
    if (expected !== undefined) return `<p class="output">The output contains ${codeHtml(expected)}</p>\n`;
    return text.startsWith('<!--') ? '' : escapeHtml(text);
  }

  /** As the places that show Markdown make them, so that a link between files fits both. */
  #idOf(text: string): string {
    const slug = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const times = this.#ids.get(slug) ?? 0;
    this.#ids.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  }
}

/** A state diagram as a table of transitions, which needs no script. */
function transitionsOf(lines: readonly string[]): string {
  const after = new Map<string, string[]>();
  for (const line of lines) {
    const [, from, to] = /^\s*(\S+) --> (\S+)/.exec(line) ?? [];
    if (from === undefined || to === undefined) continue;
    after.set(from, [...(after.get(from) ?? []), to]);
  }
  const named = (state: string) => (state === '[*]' ? 'begins' : codeHtml(state));
  const rows = [...after].map(
    ([from, to]) =>
      `<tr><td>${named(from)}</td><td>${to.map((state) => (state === '[*]' ? 'ends' : named(state))).join(' ')}</td></tr>`,
  );
  const head = '<thead><tr><th>State</th><th>What may follow</th></tr></thead>';
  return wideTable(`<table>\n${head}\n<tbody>${rows.join('\n')}</tbody>\n</table>\n`);
}
