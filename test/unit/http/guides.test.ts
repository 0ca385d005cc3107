/** The guides as web pages: every one is served, every link in them leads somewhere, and nothing of the Markdown is left over. */
import request from 'supertest';
import { expect, test } from 'vitest';
import { ERRORS } from '../../../src/errors/errors.ts';
import { GUIDE_PATHS } from '../../../src/http/reference/guides.ts';
import { renderMarkdown } from '../../../src/http/reference/markdown.ts';
import { createTestApp } from './test-app.ts';

const { app } = createTestApp();
const asked = new Map<string, Promise<request.Response>>();
/** Each page once: hundreds of links lead to a few dozen pages. */
function get(path: string): Promise<request.Response> {
  const answer = asked.get(path) ?? request(app).get(path).then();
  asked.set(path, answer);
  return answer;
}
const read = async (path: string) => (await get(path)).text;
const textOf = (html: string) =>
  html.replace(/<pre[\s\S]*?<\/pre>|<code>[\s\S]*?<\/code>/g, '').replace(/<[^>]*>/g, '');

test('/ leads to the documentation, which leads to the guides', async () => {
  const first = await request(app).get('/');
  expect([first.status, first.headers.location]).toEqual([302, '/docs']);
  expect(await read('/docs')).toContain('href="/docs/guides"');
  const index = await read('/docs/guides');
  for (const path of ['/docs/integrators', '/docs/payments', '/docs/operations', '/docs/decisions'])
    expect(index).toContain(`href="${path}"`);
});

test.each(['/docs/guides', '/docs/errors', ...GUIDE_PATHS])(
  '%s is a page whose links all lead somewhere',
  async (path) => {
    const page = await get(path);
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.text).not.toMatch(/<script|<img|\u{E000}/u);
    expect(textOf(page.text)).not.toMatch(/`|\]\(|\*\*|^#|^\||-->|<!--/m);
    for (const [, href] of page.text.matchAll(/<a href="([^"]*)"/g)) {
      if (/^https:\/\//.test(href!)) continue;
      const [to, anchor] = href!.split('#');
      const target = await get(to === '' ? path : to!);
      expect(target.status, `${href} in ${path}`).toBe(200);
      if (anchor !== undefined) expect(target.text, `${href} in ${path}`).toContain(`id="${anchor}"`);
    }
  },
);

test('a guide shows what the output of its commands contains', async () => {
  expect(await read('/docs/payments')).toContain(
    '<p class="output">The output contains <code>&quot;status&quot;:&quot;captured&quot;</code></p>',
  );
});

test('no guide takes the path of another page', () => {
  for (const taken of ['assets', 'errors', 'guides', 'sandbox-key'])
    expect(GUIDE_PATHS).not.toContain(`/docs/${taken}`);
  expect(Object.keys(ERRORS).length).toBeGreaterThan(20);
});

test.each`
  markdown                                  | html
  ${'# A `b` & c\n\n# A `b` & c'}           | ${'<h1 id="a-b--c">A <code>b</code> &amp; c</h1>\n<h1 id="a-b--c-1">A <code>b</code> &amp; c</h1>'}
  ${'```sh\necho "<a>"\n```'}               | ${'<pre tabindex="0"><code>echo &quot;&lt;a&gt;&quot;</code></pre>'}
  ${'[`a` <b>](c)'}                         | ${'<p><a href="/to/c"><code>a</code> &lt;b&gt;</a></p>'}
  ${'`a_b/c.d e`'}                          | ${'<p><code>a_<wbr>b/<wbr>c.<wbr>d e</code></p>'}
  ${'<!-- expect: "a":<b> -->\n\nc'}        | ${'<p class="output">The output contains <code>&quot;a&quot;:&lt;b&gt;</code></p>\n<p>c</p>'}
  ${'[gone](nowhere) <!-- said\naside -->'} | ${'<p>gone </p>'}
  ${'![a](b.png) <script>'}                 | ${'<p>a &lt;script&gt;</p>'}
`('$markdown is rendered', ({ markdown, html }) => {
  expect(renderMarkdown(markdown, (href) => (href === 'nowhere' ? undefined : `/to/${href}`)).html.trim()).toBe(html);
});
