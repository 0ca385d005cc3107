/**
 * The client's address, for the limit on invalid keys, the addresses that a key allows, and the log. Behind trusted
 * proxies the address comes from X-Forwarded-For: the last one in the header that is not a trusted proxy. The client
 * itself may have written the addresses before it.
 */
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import proxyAddress from 'proxy-addr';

export type ClientAddress = (request: IncomingMessage) => string;

const addressOfPeer: ClientAddress = (request) => request.socket.remoteAddress ?? '';

/**
 * `trusted`: addresses, networks such as 10.0.0.0/8, and `loopback`, `linklocal`, `uniquelocal`. Throws on anything
 * else.
 */
export function createClientAddress(trusted: readonly string[]): ClientAddress {
  if (trusted.length === 0) return addressOfPeer;
  const isTrusted = proxyAddress.compile([...trusted]);
  return (request) => {
    const address = request.headers['x-forwarded-for'] ? proxyAddress(request, isTrusted) : addressOfPeer(request);
    // A proxy may write something other than an address; the peer's address is used then.
    return ipaddr.isValid(address) ? address : addressOfPeer(request);
  };
}
