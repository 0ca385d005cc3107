/** Files of the payers' pages. htmx is its npm package's: what runs in production installs it. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { PageAsset } from '../../../api/page.ts';
import { CHECKOUT_CSS } from '../checkout-css.ts';

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#1d4ed8"/>
<rect x="6" y="9" width="20" height="14" rx="2" fill="#fff"/><path d="M6 14h20" stroke="#1d4ed8" stroke-width="3"/></svg>`;

let htmx: Promise<Buffer> | undefined;

function readHtmx(): Promise<Buffer> {
  htmx ??= readFile(createRequire(import.meta.url).resolve('htmx.org/dist/htmx.min.js'));
  return htmx;
}

export const CHECKOUT_ASSETS: readonly PageAsset[] = [
  { path: '/checkout/assets/checkout.css', contentType: 'text/css; charset=utf-8', body: () => CHECKOUT_CSS },
  { path: '/checkout/assets/htmx.js', contentType: 'text/javascript; charset=utf-8', body: readHtmx },
  { path: '/checkout/assets/icon.svg', contentType: 'image/svg+xml', body: () => ICON },
];
