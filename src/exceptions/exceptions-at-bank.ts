/** What a bank shows of money at it that two persons have given to an account: the credit, or whatever it came back of. */
import { type AtBank, against, type BankWord } from '../group/at-bank.ts';
import type { AccountLine } from '../ledger/account/account-line-store.ts';
import type { Credit } from '../outside/credits/credit.ts';
import { inboundCredits } from '../outside/credits/credit-table.ts';
import type { ResourceName } from '../values/ids.ts';
import { exceptions } from './exception-table.ts';

const GIVEN_CREDIT = 'given_credit';

export const exceptionsAtBank: AtBank = {
  resources: ['exception'],
  async words(db, { bookId, operatorBookId }, lines) {
    const found = await exceptions.load(db, bookId, [...new Set(lines.map(({ resourceId }) => resourceId))]);
    const given = [...found.values()].filter(({ resource }) => resource === GIVEN_CREDIT);
    const credits = await inboundCredits.load(db, operatorBookId, [
      ...new Set(given.map(({ resourceId }) => resourceId)),
    ]);
    return new Map(
      lines.flatMap((line): [bigint, BankWord][] => {
        const exception = found.get(line.resourceId);
        if (exception === undefined) return [];
        const { resource, resourceId } = exception;
        if (resource === GIVEN_CREDIT) return [[line.line, wordOf(line, credits.get(resourceId))]];
        return [[line.line, { as: { resource: resource as ResourceName, resourceId } }]];
      }),
    );
  },
};

function wordOf(line: AccountLine, credit: Credit | undefined): BankWord {
  const { bookedOn: on = null, bankReference = null, endToEndId = null } = credit ?? {};
  return against(line, { code: 'unallocated' }, { party: null, on, bankReference, endToEndId });
}
