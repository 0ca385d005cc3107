/**
 * The address of whoever asks, for the limit on wrong keys, the addresses that a key allows, and the log. Behind proxies of
 * ours it is what they say in X-Forwarded-For: read from its end, past those that are trusted, the first that is not. What
 * stands before it was written by whoever asks.
 */
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import proxyAddress from 'proxy-addr';

export type ClientAddress = (request: IncomingMessage) => string;

const addressOfPeer: ClientAddress = (request) => request.socket.remoteAddress ?? '';

/** `trusted`: addresses, networks as in 10.0.0.0/8, and `loopback`, `linklocal`, `uniquelocal`. Throws on anything else. */
export function createClientAddress(trusted: readonly string[]): ClientAddress {
  if (trusted.length === 0) return addressOfPeer;
  const isTrusted = proxyAddress.compile([...trusted]);
  return (request) => {
    const address = request.headers['x-forwarded-for'] ? proxyAddress(request, isTrusted) : addressOfPeer(request);
    // A proxy that writes something else than an address there says nothing about who asks.
    return ipaddr.isValid(address) ? address : addressOfPeer(request);
  };
}
