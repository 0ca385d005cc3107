/** A payer with a browser that runs no script: opens pages, fills in forms, follows redirects while they stay here. */
import { request } from 'undici';

export interface ShownPage {
  readonly url: string;
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  /** The URL of another host that a redirect led to: the payer has left. */
  readonly left?: string;
  /** How many redirects led here. */
  readonly redirects: number;
}

export interface Payer {
  open(url: string, headers?: Record<string, string>): Promise<ShownPage>;
  /** Sends the page's form with its hidden fields. */
  submit(page: ShownPage, fields: Record<string, string>, headers?: Record<string, string>): Promise<ShownPage>;
}

const REDIRECTS_MAX = 5;

/** `baseUrl`: where the product listens, whatever its public name is. */
export function payerOf(baseUrl: string): Payer {
  const here = new URL(baseUrl);
  const isHere = ({ hostname }: URL) => hostname === here.hostname;

  async function visit(
    target: URL,
    options: { method: 'GET' | 'POST'; body?: string; headers: Record<string, string> },
    redirects = 0,
  ): Promise<ShownPage> {
    const url = new URL(target.pathname + target.search, here);
    const answer = await request(url, options);
    const text = await answer.body.text();
    const page = { url: url.href, status: answer.statusCode, headers: answer.headers, text, redirects };
    const { location } = answer.headers;
    if (typeof location !== 'string' || redirects === REDIRECTS_MAX) return page;
    const next = new URL(location, url);
    if (!isHere(next)) return { ...page, left: next.href };
    const { 'content-type': _, ...headers } = options.headers;
    return visit(next, { method: 'GET', headers }, redirects + 1);
  }

  return {
    open: (url, headers = {}) => visit(new URL(url), { method: 'GET', headers }),
    submit(page, fields, headers = {}) {
      const body = new URLSearchParams({ ...hiddenFields(page.text), ...fields }).toString();
      const type = { 'content-type': 'application/x-www-form-urlencoded' };
      return visit(new URL(page.url), { method: 'POST', body, headers: { ...headers, ...type } });
    },
  };
}

function hiddenFields(html: string): Record<string, string> {
  const inputs = html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
  return Object.fromEntries([...inputs].map(([, name, value]) => [name, value]));
}
