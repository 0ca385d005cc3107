/** An email address of a payer: kept and passed on as it is given. */
import { isIP } from 'node:net';
import { isUrl } from '../../values/url.ts';
import { isPublicHost } from './return-url.ts';

/** Dot-atom of RFC 5321, 4.1.2. */
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+(?:\.[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+)*$/;
/** RFC 5321, 4.5.3.1. */
const LOCAL_PART_MAX = 64;
export const EMAIL_LENGTH_MAX = 254;
/** A top level is no number, and no dot stands behind it. */
const TOP_LEVEL = /\.(?!\d+$)[^.]+$/;
/** What would end the host of a URL, be decoded in it, or be dropped from it unseen (a soft hyphen, a zero-width space). */
const NOT_IN_HOST = /[\s/?#@:\\[\]%\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/** Whether mail may be sent there: a local part of RFC 5321's dot-atom, and a public host in Unicode or punycode. */
export function isEmailAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || text.length > EMAIL_LENGTH_MAX || local.length > LOCAL_PART_MAX) return false;
  if (!LOCAL_PART.test(local) || NOT_IN_HOST.test(domain) || !isUrl(`https://${domain}`)) return false;
  const { hostname } = new URL(`https://${domain}`);
  return isIP(hostname) === 0 && TOP_LEVEL.test(hostname) && isPublicHost(hostname);
}
