/** The rules between members of a request for a payment. The rules of a single member are in its schema. */
import { ApiError } from '../../errors/errors.ts';
import type { Mode } from '../../ledger/book/book.ts';
import type { SourceType } from '../payment/payment.ts';
import { isLoopbackUrl } from '../payment/return-url.ts';

export interface RequestedTogether {
  readonly mode: Mode;
  readonly source: { readonly type: SourceType };
  readonly initiator: 'customer' | 'merchant';
  readonly storeFor?: string | undefined;
  readonly returnUrl?: string | null | undefined;
  readonly cancelUrl?: string | null | undefined;
}

/** Sources with a card of their own. One that is kept already is kept by its token. */
const STORES_CARDS: readonly SourceType[] = ['card', 'checkout'];
/** Sources that pay while the payer is away: for the others the payer opens a page, approves a request, or presents a card. */
const NEEDS_NO_PAYER: readonly SourceType[] = ['card', 'token'];

/** Throws ApiError `parameter_invalid` at the member that does not fit the others. */
export function refuseContradictions(input: RequestedTogether): void {
  const { mode, source, initiator, storeFor, returnUrl, cancelUrl } = input;
  if (storeFor !== undefined && !STORES_CARDS.includes(source.type))
    refuse('/store_for', 'Only a card whose number the payer gives for this payment is kept for a customer.');
  if (initiator === 'merchant' && !NEEDS_NO_PAYER.includes(source.type))
    refuse(
      '/initiator',
      `The payer has to act for a source of type ${source.type}: \`merchant\` takes a card or a token.`,
    );
  if (mode === 'test') return;
  for (const [param, url] of [
    ['/return_url', returnUrl],
    ['/cancel_url', cancelUrl],
  ] as const)
    if (url && isLoopbackUrl(url)) refuse(param, 'Only test mode leads a payer back to the machine that they sit at.');
}

function refuse(param: string, detail: string): never {
  throw new ApiError('parameter_invalid', { param, detail });
}
