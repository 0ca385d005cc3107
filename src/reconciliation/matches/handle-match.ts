/** People's requests about matches. */
import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import type { Asked, Prepared, UseCase } from '../../idempotency/use-case.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Principal } from '../../organisations/authenticate.ts';
import type { Uuid } from '../../values/ids.ts';
import { requirePersonsKey } from '../accounts/operators-book.ts';
import type { ExpectedItem } from '../items/expected-item.ts';
import { expectedItems } from '../items/expected-item-table.ts';
import { type BankLine, openAmount } from '../lines/bank-line.ts';
import { bankLines } from '../lines/bank-line-table.ts';
import { readCreditsOfLines } from '../lines/credit-of-line-store.ts';
import type { DifferenceTo } from '../rules/bank-account-rules.ts';
import type { BankMatch } from './bank-match.ts';
import { bankMatches } from './bank-match-table.ts';
import { readFilesOf } from './candidate-store.ts';
import { approveMatch, proposeMatch, rejectMatch, undoMatch } from './match-by-hand.ts';
import { moveLargeMatch } from './move-large-match.ts';
import { signedOpen } from './take-parts.ts';

export type MatchRequestRuntime = OnceRuntime & { readonly pool: Pool };

interface PersonsRequest extends Asked {
  readonly ownerKind: Principal['ownerKind'];
}

interface ProposalRequest extends PersonsRequest {
  readonly lineIds: readonly Uuid[];
  readonly itemIds: readonly Uuid[];
  readonly differenceTo: DifferenceTo | undefined;
  readonly reason: string;
}

/** All that is open of each line and item. Whether they still are, the command sees. */
export const requestProposal: UseCase<MatchRequestRuntime, ProposalRequest> = {
  keyFirst: true,
  async prepare({ pool }, input): Promise<Prepared> {
    requirePersonsKey(input);
    const { bookId, lineIds, itemIds } = input;
    const lines = inOrder(await bankLines.load(pool, bookId, lineIds), lineIds, '/lines');
    const items = inOrder(await expectedItems.load(pool, bookId, itemIds), itemIds, '/items');
    const currency = requireOneCurrency(lines, items);
    const sum = (amounts: readonly bigint[]) => amounts.reduce((all, one) => all + one, 0n);
    const difference = sum(lines.map(openAmount)) - sum(items.map(signedOpen));
    return {
      command: proposeMatch({
        ...{ ...input, currency, difference, comparedAccountId: requireOneComparison(lines, items) },
        differenceTo: requireAccountFor(difference, input.differenceTo),
        credits: await readCreditsOfLines(pool, bookId, lines),
        lines: lines.map((line) => ({ id: line.id, amount: String(openAmount(line)) })),
        items: items.map((item) => ({
          ...{ id: item.id, amount: String(signedOpen(item)), accountId: item.clearingAccountId },
        })),
      }),
    };
  },
};

function inOrder<Row>(found: ReadonlyMap<Uuid, Row>, ids: readonly Uuid[], param: string): Row[] {
  return ids.map((id, index) => {
    const row = found.get(id);
    if (row === undefined) throw new ApiError('resource_not_found', { param: `${param}/${index}` });
    return row;
  });
}

function requireOneCurrency(lines: readonly BankLine[], items: readonly ExpectedItem[]): string {
  const [currency, other] = [...new Set([...lines, ...items].map((one) => one.currency))] as [string, string?];
  if (other === undefined) return currency;
  throw new ApiError('currency_mismatch', {
    param: '/items',
    detail: `The lines and items are in ${currency} and ${other}. Currencies never meet.`,
    facts: { account_currency: currency },
  });
}

/** What is compared with an account of the book is matched with lines of that account alone. */
function requireOneComparison(lines: readonly BankLine[], items: readonly ExpectedItem[]): Uuid | null {
  const of = [
    ...lines.map(({ comparedAccountId }) => comparedAccountId),
    ...items.map(({ clearing, clearingAccountId }) => (clearing === 'account' ? clearingAccountId : null)),
  ];
  const [accountId, other] = [...new Set(of)];
  if (other === undefined) return accountId!;
  throw new ApiError('parameter_invalid', {
    param: '/items',
    detail: 'The lines and items are of different accounts. Name those of one account.',
  });
}

function requireAccountFor(difference: bigint, to: DifferenceTo | undefined): DifferenceTo | null {
  if (difference === 0n) return null;
  if (to === 'credit_losses' && difference > 0n)
    throw new ApiError('parameter_invalid', {
      param: '/difference_to',
      detail: `The lines come to ${difference} more than the items, in minor units: nothing is lost. Name another account, or undo the match that booked the loss and match its line with these.`,
    });
  if (to !== undefined) return to;
  throw new ApiError('parameter_missing', {
    param: '/difference_to',
    detail: `The lines come to ${difference} more than the items, in minor units. State the account that takes the difference.`,
  });
}

interface MatchRequest extends PersonsRequest {
  readonly matchId: Uuid;
  readonly ifMatch?: number;
}

async function findMatch(pool: Pool, { bookId, matchId }: MatchRequest): Promise<BankMatch> {
  const match = await bankMatches.find(pool, bookId, matchId);
  if (!match) throw new ApiError('resource_not_found', { param: 'id' });
  return match;
}

interface ApprovalRequest extends MatchRequest {
  /** The version that the person has looked at. */
  readonly version: number;
}

export const requestMatchApproval: UseCase<MatchRequestRuntime, ApprovalRequest> = {
  keyFirst: true,
  async prepare({ pool }, input): Promise<Prepared> {
    const match = await findMatch(pool, input);
    requirePersonsKey(input);
    const { bookId, ifMatch = input.version } = input;
    if (ifMatch !== input.version)
      throw new ApiError('version_mismatch', {
        param: '/version',
        detail: 'If-Match names another one.',
        facts: { version: match.version },
      });
    const ids = match.lines.map(({ id }) => id);
    const lines = [...(await bankLines.load(pool, bookId, ids)).values()];
    const files = await readFilesOf(pool, bookId, [...new Set(lines.map(({ statementId }) => statementId))]);
    const evidence = new Map(lines.map(({ id, statementId }) => [id, files.get(statementId)!]));
    const items = await expectedItems.load(
      pool,
      bookId,
      match.items.map(({ id }) => id),
    );
    const exceptionIds = [...lines, ...items.values()].flatMap(({ exceptionId }) => exceptionId ?? []);
    const credits = await readCreditsOfLines(pool, bookId, lines);
    return { command: approveMatch({ ...input, match, exceptionIds, evidence, credits, ifMatch }) };
  },
};

export const requestMatchRejection: UseCase<MatchRequestRuntime, MatchRequest> = {
  keyFirst: true,
  async prepare({ pool }, input): Promise<Prepared> {
    const match = await findMatch(pool, input);
    requirePersonsKey(input);
    return { command: rejectMatch({ ...input, match }) };
  },
};

/** The bank accounts of its lines. A line that is compared with an account of the book is of no bank account. */
async function accountsOf(pool: Pool, bookId: BookId, { lines }: BankMatch): Promise<Uuid[]> {
  const ids = lines.map(({ id }) => id);
  const found = await bankLines.load(pool, bookId, ids);
  return [...new Set([...found.values()].flatMap(({ bankAccountId }) => bankAccountId ?? []))];
}

export const requestUndoing: UseCase<MatchRequestRuntime, MatchRequest & { readonly reason: string }> = {
  keyFirst: true,
  async prepare(runtime, input): Promise<Prepared> {
    const { pool } = runtime;
    const match = await findMatch(pool, input);
    requirePersonsKey(input);
    return {
      command: undoMatch({ ...input, match, bankAccountIds: await accountsOf(pool, input.bookId, match) }),
      // What is not ended here, the next run ends.
      follow: async () => moveLargeMatch(runtime, input, match.id),
    };
  },
};
