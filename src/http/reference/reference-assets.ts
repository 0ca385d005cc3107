/**
 * Files of the pages for people. The reference itself is Scalar's, from its npm package: a compiler's dependency, not the product's,
 * so that what runs in production installs none of its two hundred packages. `npm run build` copies the one file that browsers
 * need (scripts/copy-assets.ts); without a build, it is read where npm put it.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { PAGE_CSS, REFERENCE_CSS } from './page-html.ts';

export interface Asset {
  readonly contentType: string;
  readonly body: string | Buffer;
}

const JAVASCRIPT = 'text/javascript; charset=utf-8';

/** Where the build puts Scalar's file, beside this one. */
export const BUILT_REFERENCE = 'assets/api-reference.js';

/** Scalar's file in its npm package. Undefined where the package is not installed. */
export function installedReference(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve('@scalar/api-reference/browser/standalone.js');
  } catch {
    return undefined;
  }
}

/** Undefined where neither the build nor npm brought it: the page then shows that. */
export const REFERENCE_FILE = [fileURLToPath(new URL(BUILT_REFERENCE, import.meta.url)), installedReference()].find(
  (file) => file !== undefined && existsSync(file),
);

/** Samples are shown for curl, Node and Python; of Scalar's others, none. */
const OTHER_SAMPLES = {
  ...Object.fromEntries(
    'c clojure csharp dart fsharp go http java js julia kotlin objc ocaml php powershell r ruby rust swift'
      .split(' ')
      .map((language) => [language, true]),
  ),
  shell: ['httpie', 'wget'],
  node: ['axios', 'ofetch', 'undici'],
  python: ['aiohttp', 'httpx_async', 'httpx_sync', 'python3'],
};

/**
 * Starts the reference. The policy allows no inline script, so the starter is a file of its own. The key is asked for, and never
 * part of a script: pages of other origins can run scripts from here, and cannot read answers.
 */
const STARTER = `window.addEventListener('load', async () => {
  const { key } = await fetch('/docs/sandbox-key').then((answer) => answer.json()).catch(() => ({}));
  Scalar.createApiReference('#reference', {
    url: '/openapi.json',
    theme: 'default',
    layout: 'modern',
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    hideClientButton: true,
    defaultOpenAllTags: false,
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    hiddenClients: ${JSON.stringify(OTHER_SAMPLES)},
    authentication: {
      preferredSecurityScheme: 'apiKey',
      securitySchemes: { apiKey: { token: key ?? '' } },
    },
  });
});
`;

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#18181b"/>
<path d="M8 10h16M8 16h16M8 22h10" stroke="#fafafa" stroke-width="3" stroke-linecap="round"/></svg>`;

const OWN: ReadonlyMap<string, Asset> = new Map([
  ['start.js', { contentType: JAVASCRIPT, body: STARTER }],
  ['page.css', { contentType: 'text/css; charset=utf-8', body: PAGE_CSS }],
  ['reference.css', { contentType: 'text/css; charset=utf-8', body: REFERENCE_CSS }],
  ['icon.svg', { contentType: 'image/svg+xml', body: ICON }],
]);

/** Read once: it is 3.6 MB, and everybody who asks shares it, however slowly they read their answers. */
let reference: Promise<Buffer> | undefined;

/** A fixed list of names: no path from a client reaches the file system. */
export async function findAsset(name: string): Promise<Asset | undefined> {
  if (name !== 'api-reference.js' || REFERENCE_FILE === undefined) return OWN.get(name);
  reference ??= readFile(REFERENCE_FILE);
  return { contentType: JAVASCRIPT, body: await reference };
}
