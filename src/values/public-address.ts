/**
 * Decides which addresses webhooks may be sent to: only those that are certainly public. Every special range of the
 * IANA registries (RFC 6890) is refused: private, loopback, link-local, shared (CGNAT), translations of IPv4 into IPv6
 * (mapped, NAT64, 6to4, Teredo), multicast and reserved. This protects the network in which the application runs.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Public addresses that lead to a service of the cloud's host: Azure's virtual IP. */
const HOST_SERVICES = new Set(['168.63.129.16']);

/**
 * 2000::/3, all that IANA has assigned as global unicast (RFC 4291, 2.4). Refuses `::a.b.c.d` and later assignments.
 */
const GLOBAL_UNICAST_TOP_BITS = 0b001;

/** `address` as a resolver or a socket writes it. Any other text is not public. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv6)
    return parsed.parts[0]! >> 13 === GLOBAL_UNICAST_TOP_BITS && parsed.zoneId === undefined;
  return !HOST_SERVICES.has(parsed.toString());
}

/** Names without a dot, and names that no public resolver answers (RFC 6761, 6762, 8375, and ICANN's `internal`). */
export function isLocalName(host: string): boolean {
  const name = host.replace(/\.$/, '').toLowerCase();
  return !name.includes('.') || /\.(localhost|local|internal|home\.arpa)$/.test(name);
}

/** Hosts and ports that the operator has opened for webhooks of test books although they are not public. */
export interface AllowList {
  /** `host` is a name or an address, IPv6 with or without brackets. */
  permits(host: string, port: number): boolean;
}

/** Parses `host:port` and `host:*` entries, such as `127.0.0.1:*`, `[::1]:4000`, `receiver.internal:8443`. */
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

/** The canonical text of a host: lower case; addresses without brackets and in their shortest form. */
function canonicalHost(host: string): string {
  const bare = unbracketed(host).toLowerCase();
  return isIP(bare) === 0 ? bare : ipaddr.parse(bare).toString();
}

/** The host as a socket takes it. A URL writes IPv6 addresses in brackets. */
export function unbracketed(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}
