/** A payer with a browser that runs no script: opens pages, fills in forms, follows redirects while they stay here. */
import { request } from 'undici';

export interface ShownPage {
  readonly url: string;
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  /** The URL of another host that a redirect led to: the payer has left. */
  readonly left?: string;
}

export interface Payer {
  open(url: string, headers?: Record<string, string>): Promise<ShownPage>;
  /** Sends the page's form with its hidden fields. */
  submit(page: ShownPage, fields: Record<string, string>): Promise<ShownPage>;
}

const REDIRECTS_MAX = 5;

/** `baseUrl`: where the product listens; `publicUrl`: its name. `address`: the payer's, as a proxy says it. */
export function payerOf(baseUrl: string, { publicUrl, address }: { publicUrl: string; address: string }): Payer {
  const hosts = [baseUrl, publicUrl].map((url) => new URL(url).host);
  const always = { 'x-forwarded-for': address };

  async function visit(
    target: URL,
    options: { method: 'GET' | 'POST'; body?: string; headers: Record<string, string> },
    redirects = 0,
  ): Promise<ShownPage> {
    const url = new URL(target.pathname + target.search, baseUrl);
    const answer = await request(url, { ...options, headers: { ...always, ...options.headers } });
    const text = await answer.body.text();
    const page = { url: url.href, status: answer.statusCode, headers: answer.headers, text };
    const { location } = answer.headers;
    if (typeof location !== 'string' || redirects === REDIRECTS_MAX) return page;
    const next = new URL(location, url);
    if (!hosts.includes(next.host)) return { ...page, left: next.href };
    return visit(next, { method: 'GET', headers: {} }, redirects + 1);
  }

  return {
    open: (url, headers = {}) => visit(new URL(url), { method: 'GET', headers }),
    submit(page, fields) {
      const body = new URLSearchParams({ ...hiddenFields(page.text), ...fields }).toString();
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      return visit(new URL(page.url), { method: 'POST', body, headers });
    },
  };
}

function hiddenFields(html: string): Record<string, string> {
  const inputs = html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
  return Object.fromEntries([...inputs].map(([, name, value]) => [name, value]));
}
