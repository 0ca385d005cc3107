/**
 * Which addresses a webhook may be sent to. Only what is certainly public: every special range of the IANA registries
 * (RFC 6890) is refused, whether it is private, loopback, link-local, shared (CGNAT), a translation of IPv4 into IPv6
 * (mapped, NAT64, 6to4, Teredo), multicast or reserved. The application guards its own network: nobody can tell what
 * stands there.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Public by their number, yet answered by the cloud's own host: Azure's virtual IP. */
const HOST_SERVICES = new Set(['168.63.129.16']);

/** 2000::/3, all that IANA has given out as global unicast (RFC 4291, 2.4). Refuses `::a.b.c.d` and what comes later. */
const GLOBAL_UNICAST_TOP_BITS = 0b001;

/** `address` as a resolver or a socket writes it. Anything else is not public. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv6)
    return parsed.parts[0]! >> 13 === GLOBAL_UNICAST_TOP_BITS && parsed.zoneId === undefined;
  return !HOST_SERVICES.has(parsed.toString());
}

/** Names that no public resolver answers for (RFC 6761, 6762, 8375, and ICANN's `internal`), and names without a dot. */
export function isLocalName(host: string): boolean {
  const name = host.replace(/\.$/, '').toLowerCase();
  return !name.includes('.') || /\.(localhost|local|internal|home\.arpa)$/.test(name);
}

/** Places that the operator of this process has opened for webhooks of test books although they are not public. */
export interface AllowList {
  /** `host` is a name or an address, IPv6 with or without brackets. */
  permits(host: string, port: number): boolean;
}

/** From `host:port` and `host:*` entries, such as `127.0.0.1:*`, `[::1]:4000`, `receiver.internal:8443`. */
export function parseAllowList(entries: readonly string[]): AllowList {
  const places = new Set(
    entries.map((entry) => {
      const colon = entry.lastIndexOf(':');
      return `${canonicalHost(entry.slice(0, colon))} ${entry.slice(colon + 1)}`;
    }),
  );
  return {
    permits(host, port) {
      if (places.size === 0) return false;
      const canonical = canonicalHost(host);
      return places.has(`${canonical} *`) || places.has(`${canonical} ${port}`);
    },
  };
}

/** One text for one host: lower case, addresses without brackets and in their shortest form. */
function canonicalHost(host: string): string {
  const bare = unbracketed(host).toLowerCase();
  return isIP(bare) === 0 ? bare : ipaddr.parse(bare).toString();
}

/** The host as a socket takes it: a URL writes IPv6 addresses in brackets. */
export function unbracketed(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}
