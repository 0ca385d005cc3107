/** Deletes a token: it pays nothing any more, and is shown no more. Payments that it paid keep its id. */
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { storedAs } from '../../idempotency/stored-view.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { type Change, changeOf } from '../../ledger/resources/change-of.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { publicId, type Uuid } from '../../values/ids.ts';
import { writeJson } from '../../values/json.ts';
import { paymentTokenResource } from './payment-token-resource.ts';

export function deleteToken(input: Change & { readonly tokenId: Uuid }): Command<Stored | Refusal> {
  return changeOf(paymentTokenResource, { ...input, id: input.tokenId, action: 'delete' }, (draft, token) => {
    const deleted = advance(draft, paymentTokenResource, token, { status: 'deleted' });
    const view = {
      id: publicId('paymentToken', token.id),
      object: 'payment_token',
      livemode: draft.livemode,
      deleted: true,
    };
    return storedAs(paymentTokenResource, deleted, { status: 200, body: writeJson(view) });
  });
}
