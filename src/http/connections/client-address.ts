/**
 * The client's address, for the limit on invalid keys, the addresses that a key allows, and the log. Behind trusted
 * proxies the address comes from X-Forwarded-For: the last one in the header that is not a trusted proxy. The client
 * itself may have written the addresses before it. Each is read as a node of RFC 7239, section 6: some gateways write a
 * port behind it, and some `unknown`.
 */
import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import proxyAddress from 'proxy-addr';

export type ClientAddress = (request: IncomingMessage) => string;

/**
 * The address of a client that a trusted proxy names in a way that nobody can read. It is on no list and is never blocked: it
 * may be every client of that proxy. It is not the proxy's own address either, which a list may allow.
 */
export const NOBODY = 'unknown';

/** How a proxy named a client without an address. */
export type UnreadableKind =
  /** RFC 7239, 6.2. */
  | 'unknown'
  /** RFC 7239, 6.3: a name that begins with `_`. */
  | 'obfuscated'
  /** None of the forms of the standard. */
  | 'malformed';

const addressOfPeer: ClientAddress = (request) => request.socket.remoteAddress ?? '';

/**
 * `trusted`: addresses, networks such as 10.0.0.0/8, and `loopback`, `linklocal`, `uniquelocal`. Throws on anything
 * else. `onUnreadable` is called with what stands in the place of a client's address.
 */
export function createClientAddress(
  trusted: readonly string[],
  onUnreadable: (kind: UnreadableKind, node: string) => void = () => undefined,
): ClientAddress {
  if (trusted.length === 0) return addressOfPeer;
  const isTrusted = proxyAddress.compile([...trusted]);
  return (request) => {
    let address = addressOfPeer(request);
    const nodes = String(request.headers['x-forwarded-for'] ?? '').split(',');
    for (let at = nodes.length - 1; at >= 0 && isTrusted(address, 0); at--) {
      const node = nodes[at]!.trim();
      // An element of a list may be empty (RFC 9110, 5.6.1).
      if (node === '') continue;
      const read = addressOfNode(node);
      if (read === undefined) {
        onUnreadable(kindOf(node), node);
        return NOBODY;
      }
      address = read;
    }
    return address;
  };
}

/**
 * `node` of RFC 7239, 6: an address, IPv6 in brackets, and a port that may be a name. A node with a colon is quoted.
 */
const NODE = /^(?:\[([^\]]*)\]|([^:]*))(?::(?:\d{1,5}|_[A-Za-z0-9._-]+))?$/;

function addressOfNode(quoted: string): string | undefined {
  const node = unquoted(quoted);
  // As proxies wrote it before the standard: without brackets, and so without a port.
  if (isIPv6(node)) return node;
  const [, bracketed, bare] = NODE.exec(node) ?? [];
  if (bracketed !== undefined) return isIPv6(bracketed) ? bracketed : undefined;
  return bare !== undefined && isIPv4(bare) ? bare : undefined;
}

function kindOf(quoted: string): UnreadableKind {
  const name = NODE.exec(unquoted(quoted))?.[2];
  if (name?.toLowerCase() === 'unknown') return 'unknown';
  return name?.startsWith('_') ? 'obfuscated' : 'malformed';
}

function unquoted(node: string): string {
  return node.length > 1 && node.startsWith('"') && node.endsWith('"') ? node.slice(1, -1) : node;
}
