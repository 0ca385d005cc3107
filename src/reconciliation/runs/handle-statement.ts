/** People's requests about held statements. What an approval releases is posted behind its commit. */
import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import type { Asked, Prepared, UseCase } from '../../idempotency/use-case.ts';
import type { Principal } from '../../organisations/authenticate.ts';
import type { Uuid } from '../../values/ids.ts';
import { requirePersonsKey } from '../accounts/operators-book.ts';
import { readProgress, sumLines } from '../lines/bank-line-store.ts';
import { bankStatements } from '../statements/bank-statement-table.ts';
import { approveDecision, proposeDecision } from '../statements/decide-statement.ts';
import { type PostRuntime, postStatement } from './post-statement.ts';
import { releaseOthers } from './release-others.ts';

export type StatementRuntime = OnceRuntime & PostRuntime & { readonly pool: Pool };

interface StatementRequest extends Asked {
  readonly statementId: Uuid;
  readonly ifMatch?: number;
  readonly ownerKind: Principal['ownerKind'];
}

async function findStatement(pool: Pool, { bookId, statementId }: StatementRequest) {
  const statement = await bankStatements.find(pool, bookId, statementId);
  if (!statement) throw new ApiError('resource_not_found', { param: 'id' });
  return statement;
}

interface DecisionRequest extends StatementRequest {
  readonly decision: 'accept' | 'reject';
  readonly reason: string;
}

export const requestDecision: UseCase<StatementRuntime, DecisionRequest> = {
  keyFirst: true,
  async prepare({ pool }, input): Promise<Prepared> {
    const { bankAccountId } = await findStatement(pool, input);
    requirePersonsKey(input);
    return { command: proposeDecision({ ...input, bankAccountId }) };
  },
};

interface ApprovalRequest extends StatementRequest {
  /** The version that the person has looked at. */
  readonly version: number;
}

export const requestApproval: UseCase<StatementRuntime, ApprovalRequest> = {
  keyFirst: true,
  async prepare(runtime, input): Promise<Prepared> {
    const { pool } = runtime;
    const { bookId, statementId, actor } = input;
    const statement = await findStatement(pool, input);
    requirePersonsKey(input);
    const { ifMatch = input.version } = input;
    if (ifMatch !== input.version)
      throw new ApiError('version_mismatch', {
        param: '/version',
        detail: 'If-Match names another one.',
        facts: { version: statement.version },
      });
    const { kept } = await readProgress(pool, bookId, statementId);
    const linesSum = await sumLines(pool, bookId, statementId);
    return {
      command: approveDecision({ ...input, statement, kept, linesSum, ifMatch }),
      async follow() {
        const approved = (await bankStatements.find(pool, bookId, statementId))!;
        if (!approved.released) return;
        await postStatement(runtime, { bookId, statement: approved, actor });
        await releaseOthers(runtime, { bookId, bankAccountId: approved.bankAccountId });
      },
    };
  },
};
