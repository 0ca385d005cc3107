/** Keys that are voided, also while their request is under way. */
import { idempotencyKeys } from '../../../../src/idempotency/idempotency-table.ts';
import { voidKey } from '../../../../src/idempotency/once.ts';
import { wishesOf } from '../clients.ts';
import type { SchedulePart, Wish, WishKind } from '../part.ts';

interface Void extends Wish {
  readonly do: 'void';
  readonly key: string;
}

const voiding: WishKind<Void> = {
  do: 'void',
  weight: 1,
  draw: ({ intents }, random) => ({ do: 'void', key: `key-${random.below(intents.length + 2)}` }),
  async carryOut({ committer, pool }, { bookId, requestId, actor }, { key }) {
    await committer.submit(bookId, voidKey({ key, requestId, actor }));
    const record = (await idempotencyKeys.find(pool, bookId, key))!;
    return { status: record.voidedAt === null ? 200 : 204, body: record.body ?? '' };
  },
};

export const keysPart: SchedulePart = {
  kinds: [voiding],
  /** A voided key makes nothing. */
  async faultsOf({ clients }) {
    const voided = wishesOf<Void>(clients, 'void').filter(({ answers }) => answers[0]?.status === 204);
    const keys = new Set(voided.map(({ wish }) => wish.key));
    return clients.intents
      .filter(({ key, answers }) => keys.has(key) && answers[0]?.resourceId !== undefined)
      .map(({ key, wish }) => `${key} is void, and yet its request to ${wish.do} made something`);
  },
};
