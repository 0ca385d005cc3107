import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { returnUrlFault } from '../../../src/payments/payment/return-url.ts';
import { isUrl } from '../../../src/values/url.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** Far beyond the calls after which V8 compiles one anew. */
const CALLS = 50_000;

test.each(['https://bücher.example/', 'https://متجر.الاردن/', 'https://shop.example/zurück'])(
  '%s is a URL the first time and every other time',
  (url) => {
    let refused = 0;
    for (let call = 0; call < CALLS; call++) if (!isUrl(url) || returnUrlFault(url) !== undefined) refused++;
    expect(refused).toBe(0);
  },
);

test('a text that is none is no URL', () => {
  expect(['', 'shop.example', 'https://', 'https://a b/'].filter(isUrl)).toEqual([]);
});

test('nothing else asks URL.canParse', () => {
  const found = ['src', 'scripts'].flatMap((folder) => {
    const paths = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
    const sources = paths.filter((path) => path.endsWith('.ts') && path !== join('values', 'url.ts'));
    return sources.filter((path) => readFileSync(join(ROOT, folder, path), 'utf8').includes('canParse'));
  });
  expect(found).toEqual([]);
});
