/**
 * Connections to endpoints of integrators, guarded against server-side request forgery (SSRF). The agent itself is the
 * guard. It checks a literal address before it dials. It resolves a name, checks each address, and dials only checked
 * addresses. So a name's server cannot change the address after the check (DNS rebinding), and no other way to the
 * socket exists. No redirect is followed.
 */
import type { LookupAddress } from 'node:dns';
import type { ClientRequest } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import type { Mode } from '../../ledger/book/book.ts';
import { type AllowList, isPublicAddress, unbracketed } from '../../values/public-address.ts';
import { portOf } from './endpoint-url.ts';
import { type HostNames, NameNotFound } from './host-names.ts';
import { createAgents, destroyAgents, type HttpPost, httpPost } from './http-post.ts';

/**
 * Resolves a name to all its addresses (host-names.ts). `opened` for names that the operator has opened. Tests replace
 * it.
 */
export type ResolveName = (
  host: string,
  options: { opened: boolean },
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/** Resolves by `names`. The callback is never called before the function returns: a socket requires that. */
export function resolveBy(names: HostNames): ResolveName {
  return (host, { opened }, callback) => {
    const resolving = opened ? names.resolveOpened(host) : names.resolve(host);
    resolving.then(
      (addresses) => callback(null, addresses),
      (error: Error) => callback(error, []),
    );
  };
}

export interface SafeAgentOptions {
  /** Live books allow https only, and no opened hosts. */
  mode: Mode;
  /** Hosts and ports that test books may reach although they are not public. */
  allow: AllowList;
  resolve: ResolveName;
}

/** Nothing is sent to the endpoint's address. */
export class AddressForbidden extends Error {
  override name = 'AddressForbidden';
  readonly code = 'ADDRESS_FORBIDDEN';
}

/** Guards every connection. Test books and live books need one each. */
export interface SafeAgent {
  /** Throws AddressForbidden. The same error ends a request whose name leads to a forbidden address. */
  post(post: Omit<HttpPost, 'lookup'>): ClientRequest;
  destroy(): void;
}

export function createSafeAgent({ mode, allow, resolve }: SafeAgentOptions): SafeAgent {
  const agents = createAgents();
  return {
    // A connection that is kept was checked for the same host and port.
    post(post) {
      const url = new URL(post.url);
      const host = unbracketed(url.hostname);
      const port = portOf(url);
      if (mode === 'live' && url.protocol !== 'https:') throw new AddressForbidden('Live mode sends by https only');
      const opened = mode === 'test' && allow.permits(host, port);
      const permits = (address: string) =>
        isPublicAddress(address) || opened || (mode === 'test' && allow.permits(address, port));
      // The socket never looks up a literal address, so it is checked here.
      if (isIP(host) !== 0 && !permits(host)) throw new AddressForbidden(`${host} is not a public address`);
      return httpPost(agents, { ...post, lookup: safeLookup(resolve, { opened, permits }) });
    },
    destroy: () => destroyAgents(agents),
  };
}

/**
 * The lookup of the socket: the socket dials only the addresses returned here. One forbidden address forbids the name.
 */
function safeLookup(
  resolve: ResolveName,
  { opened, permits }: { opened: boolean; permits: (address: string) => boolean },
): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { opened }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const forbidden = addresses.find(({ address }) => !permits(address));
      if (forbidden)
        return callback(new AddressForbidden(`${host} leads to ${forbidden.address}, which is not public`), '', 0);
      const first = addresses[0];
      if (!first) return callback(new NameNotFound(`${host} has no address`), '', 0);
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
