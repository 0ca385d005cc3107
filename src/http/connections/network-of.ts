import ipaddr from 'ipaddr.js';

/**
 * The network that one client controls, for limits: an IPv4 address, or the /64 of an IPv6 address. Undefined for what is no address
 * (NOBODY of client-address.ts): it may be everybody, and no limit by address counts it.
 */
export function networkOf(address: string): string | undefined {
  if (!ipaddr.isValid(address)) return undefined;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : (parsed as ipaddr.IPv6).parts.slice(0, 4).join(':');
}
