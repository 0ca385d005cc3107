/** What the text of a URL of a database or a Redis shows before anybody connects. A message repeats nothing of the URL. */

export const RAW_CREDENTIALS =
  'expects the characters @ / # ? % of its user and password percent-encoded (%40 %2F %23 %3F %25), and no fragment';

const ONE_HOST = 'expects one host; an address that follows the primary comes from a proxy, a pooler or DNS';

/** Why a URL of Postgres cannot be meant as it is read. Undefined for one that can. */
export function databaseUrlFault(url: string): string | undefined {
  const fault = credentialsFault(url);
  if (fault !== undefined) return fault;
  const { authority, query } = partsOf(url);
  const hosts = [authority.slice(authority.lastIndexOf('@') + 1), ...new URLSearchParams(query).getAll('host')];
  return hosts.some((host) => host.includes(',')) ? ONE_HOST : undefined;
}

/** The URL, as the setting or the option of that name has it. Throws an error that names it where it cannot be meant as it is read. */
export function databaseUrlOf(name: string, url: string): string {
  const fault = databaseUrlFault(url);
  if (fault !== undefined) throw new Error(`${name}: ${fault}`);
  return url;
}

const DATABASES = ['DATABASE_URL', 'DATABASE_OWNER_URL', 'QUEUE_DATABASE_URL', 'SIGNER_DATABASE_URL'] as const;

/** Of a script, which connects without the whole configuration: throws for a URL that cannot be meant as it is read, whether it is used or not. */
export function requireUrls(environment: NodeJS.ProcessEnv): void {
  for (const name of DATABASES) databaseUrlOf(name, environment[name] ?? '');
  for (const url of (environment.REDIS_URL ?? '').split(',')) {
    const fault = credentialsFault(url.trim());
    if (fault !== undefined) throw new Error(`REDIS_URL: ${fault}`);
  }
}

/** Why it is not clear where user and password end: readers of URLs differ in that. */
export function credentialsFault(url: string): string | undefined {
  const { authority, path, query } = partsOf(url);
  const isCut = !authority.includes('@') && (path.includes('@') || query.includes('@'));
  const isAmbiguous = isCut || authority.split('@').length > 2 || url.includes('#') || !isDecodable(authority);
  return isAmbiguous ? RAW_CREDENTIALS : undefined;
}

function partsOf(url: string): { authority: string; path: string; query: string } {
  const [, authority = '', path = '', query = ''] = /^[a-z]+:\/\/([^/?#]*)([^?]*)\??(.*)$/is.exec(url) ?? [];
  return { authority, path, query };
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
