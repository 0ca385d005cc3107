/** Where a payer is led back to: a public page over https, or, in test mode, the machine of whoever tries it. */

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

export function isLoopbackUrl(url: string): boolean {
  return URL.canParse(url) && LOOPBACK.includes(new URL(url).hostname);
}

/** `https://bank.example@shop.example/`: a payer reads another host than the one that they are led to. */
export function hasUser(url: string): boolean {
  return URL.canParse(url) && (new URL(url).username !== '' || new URL(url).password !== '');
}

/** How a page's policy names where its form may lead. It has no notation for IPv6 addresses, which only test mode leads to. */
export function formTarget(url: string): string {
  const { origin, hostname, protocol } = new URL(url);
  return hostname.startsWith('[') ? protocol : origin;
}
