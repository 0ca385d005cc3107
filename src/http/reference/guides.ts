/**
 * /docs/guides and the pages behind it: everything in docs/ as web pages, from its one text in Markdown. The files are found when the
 * module is loaded, so that no path from a client reaches the file system, and each is rendered when it is first asked for.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { renderMarkdown } from './markdown.ts';
import { docsBar, htmlPage } from './page-html.ts';

/** From src/http/reference, and from dist/src/http/reference, where the build has a copy of it (scripts/copy-assets.ts). */
export const DOCS_FOLDER = new URL('../../../docs/', import.meta.url);

/** Who reads what, in the order in which it is read. What is named nowhere stands last. */
const SHELVES: readonly { readonly title: string; readonly guides: readonly string[] }[] = [
  {
    title: 'For integrators',
    guides: [
      'integrators',
      'payouts',
      'payments',
      'destinations',
      'cards',
      'webhooks',
      'clients',
      'states',
      'compatibility',
    ],
  },
  {
    title: 'For accountants and auditors',
    guides: ['accountants', 'payments-settlement', 'cards-accounting', 'clearing-files', 'proofs'],
  },
  { title: 'For operators and partners', guides: ['operations', 'partners', 'processors'] },
];

/** By the path under /docs, without `.md`: `payments`, `decisions/fees`. The decisions' list is `decisions`. */
const FILES: ReadonlyMap<string, string> = new Map([
  ...filesIn('').map((name) => [name, `${name}.md`] as const),
  ...filesIn('decisions/').map((name) =>
    name === 'README'
      ? (['decisions', 'decisions/README.md'] as const)
      : ([`decisions/${name}`, `decisions/${name}.md`] as const),
  ),
]);

/** The paths of all guides. */
export const GUIDE_PATHS: readonly string[] = [...FILES.keys()].map((name) => `/docs/${name}`);

const pages = new Map<string, string>();

/** The page of a path out of GUIDE_PATHS. */
export function guidePage(path: string): string {
  let page = pages.get(path);
  if (page === undefined) {
    page = render(path);
    pages.set(path, page);
  }
  return page;
}

function filesIn(folder: string): string[] {
  return readdirSync(new URL(folder, DOCS_FOLDER))
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -'.md'.length));
}

function read(name: string): string {
  return readFileSync(new URL(FILES.get(name)!, DOCS_FOLDER), 'utf8');
}

/** A page has a list of its sections from here on. */
const SECTIONS_LISTED = 4;

function render(path: string): string {
  const name = path.slice('/docs/'.length);
  const { html, headings } = renderMarkdown(read(name), (href) => linkFrom(FILES.get(name)!, href));
  const sections = headings.filter(({ level }) => level === 2 || level === 3);
  const items = sections.map(
    (section) => `<li><a href="#${section.id}">${section.html.replace(/<\/?a\b[^>]*>/g, '')}</a></li>`,
  );
  const contents =
    sections.length < SECTIONS_LISTED
      ? ''
      : `<details class="contents"><summary>On this page</summary><ul>${items.join('\n')}</ul></details>`;
  const end = html.indexOf('</h1>') + '</h1>'.length;
  return htmlPage({
    title: titleOf(name),
    content: `${docsBar()}\n<main>\n${html.slice(0, end)}\n${contents}\n${html.slice(end)}\n</main>`,
  });
}

/** Where a link in a file of docs/ leads: to the page of another, or elsewhere on the web. Undefined for files that are not served. */
function linkFrom(file: string, href: string): string | undefined {
  if (/^https?:/.test(href) || href.startsWith('#')) return href;
  const [path = '', anchor] = href.split('#');
  const target = posix.join(posix.dirname(file), path);
  for (const [name, known] of FILES)
    if (known === target) return `/docs/${name}${anchor === undefined ? '' : `#${anchor}`}`;
  return undefined;
}

function titleOf(name: string): string {
  return /^# (.*)$/m.exec(read(name))?.[1]?.replaceAll('`', '') ?? name;
}

/** The subject of a guide: its first sentence. */
function aboutOf(name: string): string {
  const paragraph = read(name).split(/\n{2,}/)[1] ?? '';
  const [sentence] = /^[\s\S]*?\.(?=\s|$)/.exec(paragraph) ?? [''];
  return renderMarkdown(sentence, () => undefined).html;
}

let index: string | undefined;

export function guideIndexPage(): string {
  index ??= htmlPage({
    title: 'Guides',
    content: `${docsBar()}\n<main>\n<h1>Guides</h1>\n${START}\n${shelves()}\n</main>`,
  });
  return index;
}

const START = `<p>Begin with <a href="/docs/integrators">ten minutes for integrators</a>, with <a href="/docs/payments">a payment</a>, or with
<a href="/docs/cards">a card</a>. Every operation is in the <a href="/docs">API reference</a>, every error in the <a href="/docs/errors">list of errors</a>, its remedy behind its code.</p>`;

function shelves(): string {
  const shelved = new Set(SHELVES.flatMap(({ guides }) => guides));
  const rest = [...FILES.keys()].filter((name) => !shelved.has(name) && !name.startsWith('decisions/'));
  return [...SHELVES, { title: 'About the product itself', guides: rest }]
    .map(({ title, guides }) => {
      const known = guides.filter((name) => FILES.has(name));
      const items = known.map(
        (name) => `<dt><a href="/docs/${name}">${titleOf(name)}</a></dt><dd>${aboutOf(name)}</dd>`,
      );
      return `<h2>${title}</h2>\n<dl>${items.join('\n')}</dl>`;
    })
    .join('\n');
}
