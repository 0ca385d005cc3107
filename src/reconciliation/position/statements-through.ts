/** Days of the operator's book are closed once a posted statement of every bank account reaches them: what the bank booked on them is in the books. */
import type { PeriodBlocker } from '../../group/group.ts';
import { publicId } from '../../values/ids.ts';
import { listAccountsBehind } from './position-store.ts';

/** As many are shown. */
const SHOWN = 20;

export const statementsThrough: PeriodBlocker = {
  type: 'bank_statements_missing',
  async find(pool, bookId, through) {
    const behind = await listAccountsBehind(pool, bookId, { through, limit: SHOWN });
    if (behind.length === 0) return undefined;
    const [{ id, statedThrough }] = behind as [(typeof behind)[number]];
    const last = statedThrough === null ? 'none is posted' : `the last one ends on ${statedThrough}`;
    return {
      detail: `No posted statement of ${publicId('bankAccount', id)} reaches ${through}: ${last}. Take it with \`npm run reconcile\`, or have held ones decided, then close again.`,
      bank_accounts: behind.map((one) => publicId('bankAccount', one.id)),
    };
  },
};
