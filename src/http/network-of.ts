import ipaddr from 'ipaddr.js';

/** The network that one client controls, for limits: an IPv4 address, or the /64 of an IPv6 address. Anything else is itself. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : (parsed as ipaddr.IPv6).parts.slice(0, 4).join(':');
}
