/** What commands that call the API share: their exit codes, and where the API and its key are found. */
import { dataDirectory, readCredentials } from '../src/embedded/environment.ts';

export const CLEAN = 0;
export const FOUND = 1;
export const REFUSED = 2;
export const COULD_NOT_RUN = 3;

/** Why a command ends without what it was to do, for whoever called it. */
export class Failed extends Error {
  constructor(
    readonly exitCode: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * The key in COUNTINGHOUSE_API_KEY, and the API: the given URL, COUNTINGHOUSE_URL, or what `npm start` runs; without a slash at its end. Throws
 * Failed where one is missing: `keyNeeded` names the key that it must be.
 */
export function apiOf(
  { url }: { readonly url?: string },
  { keyNeeded }: { readonly keyNeeded: string },
): { readonly key: string; readonly base: string } {
  const { COUNTINGHOUSE_API_KEY: key, COUNTINGHOUSE_URL } = process.env;
  if (!key) throw new Failed(REFUSED, `Set COUNTINGHOUSE_API_KEY to ${keyNeeded}.`);
  const base = url ?? COUNTINGHOUSE_URL ?? readCredentials(dataDirectory())?.base_url;
  if (base === undefined)
    throw new Failed(REFUSED, 'Name the API: --url or COUNTINGHOUSE_URL. Or run `npm start` first.');
  return { key, base: base.replace(/\/+$/, '') };
}
