/** Idempotency keys: voided. Kept by the book, since every request with a key passes there. */

import type { Stored } from '../../../../src/idempotency/idempotency-key.ts';
import { idempotencyKeys } from '../../../../src/idempotency/idempotency-table.ts';
import { voidKey } from '../../../../src/idempotency/once.ts';
import { BY, draws, kind, type Part } from '../../part.ts';

export const keysPart: Part = {
  tables: [idempotencyKeys],
  kinds: [
    kind({
      do: 'void',
      weight: 1,
      draw: { voided: draws.anyKey },
      ask: (_, { voided }) => ({ voided: `key-${voided}` }),
      expect(book, { voided }) {
        const known = book.keys.get(voided);
        if (known !== undefined && known !== 'voided') return { status: known.said.status };
        book.keys.set(voided, 'voided');
        return { status: 0 };
      },
      command: (_, { voided }) => voidKey({ key: voided, ...BY }),
      saidOf(answer) {
        const { voided_at: voidedAt, response_status: status } = JSON.parse((answer as Stored).body.text);
        return { status: voidedAt === null ? status : 0 };
      },
    }),
  ],
};
