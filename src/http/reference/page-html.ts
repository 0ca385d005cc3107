/** The frame of small HTML pages for people: one stylesheet, no script by default, nothing loaded from other hosts. */

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** HTML of a name in code. A line may break behind the separators in it, so that a column of names is no wider than a phone. */
export function codeHtml(name: string): string {
  return `<code>${escapeHtml(name).replace(/[_/.](?=\w)/g, '$&<wbr>')}</code>`;
}

/** A table that scrolls by itself where the page is narrower. */
export function wideTable(table: string): string {
  return `<div class="wide" tabindex="0">${table}</div>\n`;
}

export function htmlPage(page: {
  title: string;
  content: string;
  stylesheets?: readonly string[];
  scripts?: readonly string[];
}): string {
  const stylesheets = (page.stylesheets ?? ['/docs/assets/page.css']).map(
    (href) => `<link rel="stylesheet" href="${href}">`,
  );
  const scripts = (page.scripts ?? []).map((src) => `<script src="${src}" defer></script>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.title)} · Countinghouse</title>
<link rel="icon" href="/docs/assets/icon.svg">
${[...stylesheets, ...scripts].join('\n')}
</head>
<body>
${page.content}
</body>
</html>
`;
}

/** Leads from every page of the documentation to the others. */
export function docsBar(): string {
  return `<nav class="bar"><a href="/docs/guides">Guides</a> <a href="/docs">API reference</a> <a href="/docs/errors">Errors</a></nav>`;
}

/** Of the bar alone, for the reference, which brings its own style and leaves this much room (`--scalar-custom-header-height`). */
const BAR_CSS = `.bar { box-sizing: border-box; height: 2.75rem; display: flex; gap: 1.25rem; align-items: center; padding: 0 1rem;
  font: 15px/1.5 system-ui, sans-serif; border-bottom: 1px solid #8884; white-space: nowrap; overflow-x: auto; }
.bar a { color: inherit; text-decoration: none; }
.bar a:hover, .bar a:focus-visible { text-decoration: underline; }
`;

export const REFERENCE_CSS = `:root { color-scheme: light dark; --scalar-custom-header-height: 2.75rem; }
body { margin: 0; }
.bar { position: sticky; top: 0; z-index: 10; background: Canvas; color: CanvasText; }
${BAR_CSS}`;

export const PAGE_CSS = `:root { color-scheme: light dark; --line: #d4d4d8; --quiet: #52525b; --code: #f4f4f5; --link: #1d4ed8; }
@media (prefers-color-scheme: dark) { :root { --line: #3f3f46; --quiet: #a1a1aa; --code: #27272a; --link: #93c5fd; } }
body { font: 16px/1.6 system-ui, sans-serif; margin: 0; overflow-wrap: break-word; }
main { max-width: 60rem; margin: 1.5rem auto 4rem; padding: 0 1rem; }
h1 { font-size: 1.6rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin-top: 2.2rem; }
h3 { font-size: 1.05rem; margin-top: 1.8rem; }
a { color: var(--link); }
pre { background: var(--code); padding: .8rem 1rem; border-radius: .4rem; overflow-x: auto; line-height: 1.45; }
pre code { background: none; padding: 0; font-size: .85em; }
.output { color: var(--quiet); font-size: .9em; margin-top: -.6rem; }
/* A shadow at the edge behind which a table goes on: the covers scroll with the table, the shadows do not. */
.wide { overflow-x: auto; margin: 1rem 0; background:
  linear-gradient(to right, Canvas 40%, transparent) left / 2.5rem 100% no-repeat local,
  linear-gradient(to left, Canvas 40%, transparent) right / 2.5rem 100% no-repeat local,
  linear-gradient(to right, #8888, transparent) left / .8rem 100% no-repeat scroll,
  linear-gradient(to left, #8888, transparent) right / .8rem 100% no-repeat scroll; }
.contents { border: 1px solid var(--line); border-radius: .4rem; padding: .5rem 1rem; margin: 1rem 0; }
.contents ul { margin: .5rem 0; padding-left: 1.2rem; }
dt { margin-top: .8rem; }
dd p { margin: 0; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid var(--line); }
@media (max-width: 30rem) { table { font-size: .85em; } th, td { padding-right: .5rem; } }
code { background: var(--code); padding: .1rem .3rem; border-radius: .2rem; font-size: .9em; }
main nav, dd { color: var(--quiet); }
dd { margin: 0 0 .8rem; }
${BAR_CSS}`;
