/** What a request for a card becomes: its processor found, name and addresses sealed. */
import type { SecretBox } from '../../db/secret-box.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import type { Mode } from '../../ledger/book/book.ts';
import { maskName } from '../../outside/masks/mask-name.ts';
import type { Cardholder } from '../../processors/processor.ts';
import type { Processors } from '../../processors/processors.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import type { CardType } from '../card/card.ts';
import { type Shipping, sealCardholder, sealShipping } from '../card/cardholder.ts';
import { requireContent } from '../controls/content-errors.ts';
import type { ControlsContent } from '../controls/controls-content.ts';
import { issueCard } from './issue-card.ts';

export interface IssuingRuntime {
  readonly processors: Pick<Processors, 'ofMode'>;
  readonly secretBox: SecretBox;
}

export interface CardInput extends Asked {
  readonly mode: Mode;
  readonly accountId: Uuid;
  readonly type: CardType;
  readonly cardholder: Cardholder;
  readonly shipping: Shipping | null;
  readonly controls: ControlsContent | null;
  readonly externalId: string | null;
  readonly metadata: Record<string, string>;
}

export const requestCard: UseCase<IssuingRuntime, CardInput> = {
  prepare({ processors, secretBox }, input) {
    const { bookId, cardholder, shipping, controls, type } = input;
    refuseShipping(type, shipping);
    if (controls !== null) requireContent(controls, '/controls');
    const cardId = newId();
    const of = { bookId, cardId };
    const command = issueCard({
      cardId,
      bookId,
      accountId: input.accountId,
      type,
      processor: processors.ofMode(input.mode)?.name ?? null,
      cardholderSealed: sealCardholder(secretBox, cardholder, of),
      cardholderMasked: maskName(cardholder.name),
      cardholderReference: cardholder.reference,
      shippingSealed: shipping === null ? null : sealShipping(secretBox, shipping, of),
      controls,
      externalId: input.externalId,
      metadata: input.metadata,
      idempotencyKey: input.idempotencyKey,
      requestId: input.requestId,
      actor: input.actor,
    });
    return Promise.resolve({ command });
  },
};

/** A card that is made of plastic is sent somewhere, and no other is. */
export function refuseShipping(type: CardType, shipping: Shipping | null): void {
  const param = '/shipping';
  if (type === 'physical' && shipping === null)
    throw new ApiError('parameter_missing', { param, detail: 'A physical card is sent: say where.' });
  if (type !== 'physical' && shipping !== null)
    throw new ApiError('parameter_invalid', { param, detail: 'Only physical cards are sent.' });
}
