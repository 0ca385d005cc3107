/** The frame of small HTML pages for people: one stylesheet, no script by default, nothing loaded from other hosts. */

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
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

export const PAGE_CSS = `:root { color-scheme: light dark; --line: #d4d4d8; --quiet: #52525b; --code: #f4f4f5; }
@media (prefers-color-scheme: dark) { :root { --line: #3f3f46; --quiet: #a1a1aa; --code: #27272a; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid var(--line); }
code { background: var(--code); padding: .1rem .3rem; border-radius: .2rem; font-size: .9em; }
nav, dt { color: var(--quiet); }
dd { margin: 0 0 .8rem; }
`;
