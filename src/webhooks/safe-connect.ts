/**
 * Connections to webhook endpoints, guarded against being led into our own network (SSRF). The guard is the connector
 * itself: a literal address is checked before it is dialed; a name is resolved here, each of its addresses is checked,
 * and only those that were checked are dialed. So nothing changes between the look and the step, whatever the name's
 * server says next (DNS rebinding), and no other way to the socket exists. Redirects are never followed: undici does not.
 */
import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, Pool } from 'undici';
import type { Mode } from '../ledger/book.ts';
import { portOf } from './endpoint-url.ts';
import { type HostNames, NameNotFound } from './host-names.ts';
import { type AllowList, isPublicAddress, unbracketed } from './public-address.ts';

/** Resolves a name to all its addresses (host-names.ts); `opened` where the operator has opened it. Tests give their own. */
export type ResolveName = (
  host: string,
  options: { opened: boolean },
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/** By the addresses that the names have, never at once: a socket expects to be called back after it has returned. */
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
  /** Live books: https only, and no exceptions. */
  mode: Mode;
  /** Places that test books may reach although they are not public. */
  allow: AllowList;
  connectTimeoutMs: number;
  resolve: ResolveName;
}

/** The endpoint leads where webhooks do not go. */
export class AddressForbidden extends Error {
  override name = 'AddressForbidden';
  readonly code = 'ADDRESS_FORBIDDEN';
}

/** An agent whose every connection goes through the guard. One for test books and one for live books. */
export function createSafeAgent(options: SafeAgentOptions): Agent {
  return new Agent({
    // No pipelining: an event that is slow to be answered must not hold up another.
    pipelining: 1,
    factory: (origin, poolOptions) =>
      new Pool(origin, { ...poolOptions, connect: safeConnector(new URL(origin), options) }),
  });
}

/** One for each origin, since what may be dialed depends on its host and port. */
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
    // Undici expects to be called back after it has returned.
    if (fault) process.nextTick(callback, fault, null);
    else connect(target, callback);
  };

  function refuseTarget(): AddressForbidden | undefined {
    if (mode === 'live' && origin.protocol !== 'https:') return new AddressForbidden('Live mode sends by https only');
    // The socket never looks a literal up: it must be judged here.
    if (isIP(host) !== 0 && !permits(host)) return new AddressForbidden(`${host} is not a public address`);
    return undefined;
  }
}

/** The socket's own lookup: it dials what this hands on and nothing else. One bad address spoils the name. */
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
