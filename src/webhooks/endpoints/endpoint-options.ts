/** What an endpoint's owner chooses of how it is delivered to: order, rate, headers, signatures. */
import type { SealedPlace, SecretBox } from '../../db/secret-box.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';
import { newSigningPair } from '../../values/standard-webhooks.ts';
import type { Signature, WebhookEndpoint } from './endpoint.ts';
import { headersPlace, maskedHeaders } from './endpoint-headers.ts';

export const RATE_PER_SECOND_MAX = 1_000;

/** Omitted: as it is, and by default in a new endpoint. */
export interface EndpointOptions {
  readonly ordered?: boolean;
  /** Null: as many as the endpoint takes. */
  readonly ratePerSecond?: number | null;
  /** In plain text, all of them. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signatures?: readonly Signature[];
}

/** The columns of an endpoint that its options decide. */
export type OptionColumns = Pick<
  WebhookEndpoint,
  'ordered' | 'ratePerSecond' | 'headers' | 'headersSealed' | 'signatures' | 'signingKeySealed' | 'publicKey'
>;

export const NO_OPTIONS: OptionColumns = {
  ordered: false,
  ratePerSecond: null,
  headers: null,
  headersSealed: null,
  signatures: ['v1'],
  signingKeySealed: null,
  publicKey: null,
};

export function signingKeyPlace(bookId: BookId, endpointId: Uuid): SealedPlace {
  return { bookId, table: 'webhook_endpoints', column: 'signing_key_sealed', rowId: endpointId };
}

/**
 * Seals what is secret of the options, and returns how they change an endpoint. Without `v1a` the key pair ends; with it, an
 * endpoint that has one keeps it.
 */
export function changeOfOptions(
  { ordered, ratePerSecond, headers, signatures }: EndpointOptions,
  { bookId, endpointId, secretBox }: { bookId: BookId; endpointId: Uuid; secretBox: SecretBox },
): (before: OptionColumns) => Partial<OptionColumns> {
  const isEmpty = headers !== undefined && Object.keys(headers).length === 0;
  const ofHeaders: Partial<OptionColumns> =
    headers === undefined
      ? {}
      : {
          headers: isEmpty ? null : maskedHeaders(headers),
          headersSealed: isEmpty ? null : secretBox.seal(JSON.stringify(headers), headersPlace(bookId, endpointId)),
        };
  const pair = signatures?.includes('v1a') ? newSigningPair() : null;
  const signingKeySealed = pair && secretBox.seal(pair.privateKey, signingKeyPlace(bookId, endpointId));
  return (before) => ({
    ...(ordered !== undefined && { ordered }),
    ...(ratePerSecond !== undefined && { ratePerSecond }),
    ...ofHeaders,
    ...(signatures !== undefined && { signatures: [...new Set(signatures)] }),
    ...(signatures !== undefined &&
      (pair === null || before.signingKeySealed === null) && { signingKeySealed, publicKey: pair?.publicKey ?? null }),
  });
}
