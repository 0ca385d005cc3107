/**
 * Connections to endpoints of integrators, guarded against server-side request forgery (SSRF). The connector itself is the
 * guard. It checks a literal address before it dials. It resolves a name, checks each address, and dials only checked
 * addresses. So a name's server cannot change the address after the check (DNS rebinding), and no other way to the
 * socket exists. Undici does not follow redirects.
 */
import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, Pool } from 'undici';
import type { Mode } from '../ledger/book.ts';
import { type AllowList, isPublicAddress, unbracketed } from '../values/public-address.ts';
import { portOf } from './endpoint-url.ts';
import { type HostNames, NameNotFound } from './host-names.ts';

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
  connectTimeoutMs: number;
  resolve: ResolveName;
}

/** Nothing is sent to the endpoint's address. */
export class AddressForbidden extends Error {
  override name = 'AddressForbidden';
  readonly code = 'ADDRESS_FORBIDDEN';
}

/** An agent that guards every connection. Test books and live books need one each. */
export function createSafeAgent(options: SafeAgentOptions): Agent {
  return new Agent({
    // No pipelining: a slow answer must not delay another event.
    pipelining: 1,
    factory: (origin, poolOptions) =>
      new Pool(origin, { ...poolOptions, connect: safeConnector(new URL(origin), options) }),
  });
}

/** One connector for each origin: the host and port decide what may be dialed. */
function safeConnector(
  origin: URL,
  { mode, allow, connectTimeoutMs, resolve }: SafeAgentOptions,
): buildConnector.connector {
  const host = unbracketed(origin.hostname);
  const port = portOf(origin);
  const opened = mode === 'test' && allow.permits(host, port);
  const permits = (address: string) =>
    isPublicAddress(address) || opened || (mode === 'test' && allow.permits(address, port));
  const connect = buildConnector({ timeout: connectTimeoutMs, lookup: safeLookup(resolve, { opened, permits }) });

  return (target, callback) => {
    const fault = refuseTarget();
    // Undici requires that the callback is called after the return.
    if (fault) process.nextTick(callback, fault, null);
    else connect(target, callback);
  };

  function refuseTarget(): AddressForbidden | undefined {
    if (mode === 'live' && origin.protocol !== 'https:') return new AddressForbidden('Live mode sends by https only');
    // The socket never looks up a literal address, so it is checked here.
    if (isIP(host) !== 0 && !permits(host)) return new AddressForbidden(`${host} is not a public address`);
    return undefined;
  }
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
