/** /docs/compatibility: the compatibility policy as a web page, from its one text in docs/compatibility.md. */
import { readFileSync } from 'node:fs';
import { escapeHtml, htmlPage } from './page-html.ts';

/** From src/http, and from dist/src/http, where the build has a copy of it (scripts/copy-assets.ts). */
const POLICY = new URL('../../docs/compatibility.md', import.meta.url);

let page: string | undefined;

export function compatibilityPage(): string {
  page ??= htmlPage({
    title: 'Compatibility',
    content: `<nav><a href="/docs">API reference</a></nav>\n${htmlOf(readFileSync(POLICY, 'utf8'))}`,
  });
  return page;
}

/** Of Markdown what the policy uses: headings, paragraphs, lists of one level, and code. Blank lines part its blocks. */
function htmlOf(markdown: string): string {
  return markdown
    .trim()
    .split(/\n{2,}/)
    .map(blockOf)
    .join('\n');
}

function blockOf(block: string): string {
  const [, marks, heading] = /^(#+) (.*)$/.exec(block) ?? [];
  if (marks !== undefined) return `<h${marks.length}>${inline(heading!)}</h${marks.length}>`;
  const list = block.startsWith('- ') ? 'ul' : block.startsWith('1. ') ? 'ol' : undefined;
  if (list === undefined) return `<p>${inline(block)}</p>`;
  const items = block.split(/^(?:- |\d+\. )/m).slice(1);
  return `<${list}>${items.map((item) => `<li>${inline(item)}</li>`).join('\n')}</${list}>`;
}

function inline(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}
