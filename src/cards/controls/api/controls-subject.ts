import { ApiError } from '../../../errors/errors.ts';
import type { Uuid } from '../../../values/ids.ts';
import type { SubjectInput } from '../request-controls.ts';

/** Whose controls a body names. */
export interface Named {
  readonly card?: Uuid | undefined;
  readonly account?: Uuid | undefined;
  readonly program?: true | undefined;
}

/** Throws ApiError unless one of them is named. */
export function subjectOf({ card, account, program }: Named): SubjectInput {
  const given = [card, account, program].filter((one) => one !== undefined);
  if (given.length !== 1)
    throw new ApiError(given.length === 0 ? 'parameter_missing' : 'parameter_invalid', {
      param: given.length === 0 ? '/card' : '/program',
      detail: 'Expects one of `card`, `account` and `program`.',
    });
  if (card !== undefined) return { scope: 'card', cardId: card, param: '/card' };
  if (account !== undefined) return { scope: 'account', accountId: account, param: '/account' };
  return { scope: 'program' };
}
