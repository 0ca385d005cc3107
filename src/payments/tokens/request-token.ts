/** What a request for a token becomes: the card exchanged, and verified where that is asked, before anything is committed. */
import { type Acquirer, CardRefused } from '../../acquirers/acquirer.ts';
import type { Acquirers } from '../../acquirers/acquirers.ts';
import type { CardInput, CardShown } from '../../acquirers/card.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import type { BookId, Mode } from '../../ledger/book/book.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import type { Clock } from '../../values/clock.ts';
import { newId } from '../../values/ids.ts';
import { exchangeCard, reachAcquirer } from '../sources/card.ts';
import type { PaymentToken, TokenVerification } from './payment-token.ts';
import { paymentTokenResource } from './payment-token-resource.ts';
import { paymentTokens } from './payment-token-table.ts';

interface TokenRuntime extends OnceRuntime {
  readonly clock: Clock;
  readonly acquirers: Pick<Acquirers, 'ofMode'>;
}

export interface TokenRequest extends Asked {
  readonly mode: Mode;
  /** Where the acquirer takes cards: always in test mode. */
  readonly card: CardInput | undefined;
  /** Where the acquirer gives tokens: one that the integrator's own page got from it. */
  readonly acquirerToken: string | undefined;
  readonly customerReference: string | null;
  readonly verify: boolean;
}

type Exchanged = Pick<PaymentToken, 'acquirerToken' | 'card'>;

/** Repeated under its key, it asks the acquirer nothing. */
export const requestToken: UseCase<TokenRuntime, TokenRequest> = {
  keyFirst: true,
  async prepare(runtime, input) {
    const acquirer = runtime.acquirers.ofMode(input.mode);
    if (!acquirer)
      throw new ApiError('acquirer_unavailable', {
        detail: 'No acquirer is configured for live tokens. Use a test key, or ask the operator to configure one.',
      });
    const exchanged = await exchange(runtime, acquirer, input);
    const verified = input.verify ? await verify(acquirer, exchanged.acquirerToken, input.bookId) : NOT_VERIFIED;
    return { command: createToken(input, { ...exchanged, ...verified, acquirer: acquirer.name }) };
  },
};

async function exchange(runtime: TokenRuntime, acquirer: Acquirer, input: TokenRequest): Promise<Exchanged> {
  const { card, acquirerToken, bookId, customerReference } = input;
  if (acquirerToken !== undefined && !acquirer.givesTokens)
    throw notThisWay('acquirer_token', 'In test mode, a token is made from a card.');
  if (acquirerToken !== undefined && card)
    throw notThisWay('acquirer_token', 'A token is made from a card or from a token of the acquirer, not from both.');
  if (card) {
    const reusable = customerReference !== null;
    const made = await exchangeCard(runtime, card, { bookId, acquirer, reusable, param: '/card' });
    return { acquirerToken: made.token, card: made.card };
  }
  if (acquirerToken === undefined)
    throw acquirer.givesTokens
      ? lacks('acquirer_token', "In live mode, a token is made from the acquirer's own.")
      : lacks('card', 'In test mode, a token is made from a card.');
  if (customerReference === null) throw lacks('customer_reference', "The acquirer's own token is kept for a customer.");
  const shown = await reachAcquirer(acquirer.cardOf(acquirerToken, { originator: bookId })).catch((error: unknown) => {
    if (!(error instanceof CardRefused)) throw error;
    throw new ApiError('token_invalid', { param: '/acquirer_token', detail: 'The acquirer has no such token.' });
  });
  // Of its number nothing is known: the same token has the same fingerprint.
  const fingerprint = runtime.fingerprints.digestOf(`token ${bookId} ${acquirerToken}`).slice(0, 32);
  return { acquirerToken, card: { ...shown, fingerprint } satisfies CardShown };
}

const lacks = (member: string, detail: string) => new ApiError('parameter_missing', { param: `/${member}`, detail });
const notThisWay = (member: string, detail: string) =>
  new ApiError('parameter_invalid', { param: `/${member}`, detail });

const NOT_VERIFIED = { verification: null, networkReference: null };

/** The issuer's word is kept with the token, also where it declines. */
async function verify(acquirer: Acquirer, token: string, bookId: BookId) {
  const { status, code, networkCode, cvc, networkReference } = await reachAcquirer(
    acquirer.verify(token, { originator: bookId }),
  );
  const verification: TokenVerification =
    status === 'succeeded'
      ? { status, decline: null, cvc }
      : { status: 'failed', decline: { code: code ?? 'generic_decline', networkCode }, cvc };
  return { verification, networkReference };
}

function createToken(
  { requestId, actor, customerReference }: TokenRequest,
  made: Exchanged & Pick<PaymentToken, 'acquirer' | 'verification' | 'networkReference'>,
): Command<Stored | Refusal> {
  const origin = { id: newId(), requestId, actor };
  const id = newId();
  const textSalt = customerReference === null ? null : newSalt();
  return {
    ...origin,
    name: 'payment_token.create',
    touches: [],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const token: PaymentToken = {
        id,
        status: made.verification?.status === 'failed' ? 'failed' : 'active',
        reusable: customerReference !== null,
        customerReference,
        textSalt,
        ...made,
        paymentId: null,
        requestId,
        version: 1,
        createdAt: moment.book,
        updatedAt: moment.book,
      };
      draft.put(paymentTokens, id, token);
      return draft.finish({ ...storedView(draft, paymentTokenResource, token), status: 201 });
    },
  };
}
