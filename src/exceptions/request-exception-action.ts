/** What a request about an exception becomes: exception and people are read, the command decides the rest. */
import type { Pool } from '../db/pool.ts';
import { ApiError } from '../errors/errors.ts';
import type { OnceRuntime } from '../idempotency/run-once.ts';
import type { Asked, Prepared, UseCase } from '../idempotency/use-case.ts';
import type { Principal } from '../organisations/authenticate.ts';
import { findPersonOf } from '../organisations/person-store.ts';
import type { Uuid } from '../values/ids.ts';
import type { Exception } from './exception.ts';
import { exceptions } from './exception-table.ts';
import { approveException, assignException, explainException } from './handle-exception.ts';
import { moveException } from './move-exception.ts';

type Runtime = OnceRuntime & { pool: Pool };

export interface ExceptionRequest extends Asked {
  readonly exceptionId: Uuid;
  readonly ifMatch?: number;
}

async function findException(pool: Pool, { bookId, exceptionId }: ExceptionRequest): Promise<Exception> {
  const exception = await exceptions.find(pool, bookId, exceptionId);
  if (!exception) throw new ApiError('resource_not_found', { param: 'id' });
  return exception;
}

export interface AssignRequest extends ExceptionRequest {
  readonly organisationId: Uuid;
  readonly personId: Uuid;
}

/** A person may leave after the assignment: a repeat of the request is answered from its key. */
export const requestAssign: UseCase<Runtime, AssignRequest> = {
  keyFirst: true,
  async prepare({ pool }, input): Promise<Prepared> {
    await findException(pool, input);
    const person = await findPersonOf(pool, input.organisationId, input.personId);
    if (person?.kind !== 'person' || person.endedAt !== null)
      throw new ApiError('resource_not_found', {
        param: '/person',
        detail: 'There is no such person in this organisation, or the person has ended.',
      });
    return { command: assignException(input) };
  },
};

/**
 * What a request asks that only a person does: explain, move, approve. Four eyes are those of two people, and whose a
 * service's key is nobody can tell.
 */
export interface PersonsRequest extends ExceptionRequest {
  readonly ownerKind: Principal['ownerKind'];
}

function requirePerson({ ownerKind }: PersonsRequest): void {
  if (ownerKind === 'person') return;
  throw new ApiError('permission_denied', {
    detail: 'Only a person does this, and the key belongs to a service. Use a key that belongs to a person.',
  });
}

export const requestExplanation: UseCase<Runtime, PersonsRequest & { readonly reason: string }> = {
  keyFirst: true,
  async prepare({ pool }, input): Promise<Prepared> {
    await findException(pool, input);
    requirePerson(input);
    return { command: explainException(input) };
  },
};

export const requestMove: UseCase<Runtime, PersonsRequest & { readonly accountId: Uuid }> = {
  keyFirst: true,
  async prepare({ pool }, input): Promise<Prepared> {
    const exception = await findException(pool, input);
    requirePerson(input);
    return { command: moveException({ ...input, exception }) };
  },
};

export interface ApproveRequest extends PersonsRequest {
  /** The version that the person has looked at. */
  readonly version: number;
}

export const requestApproval: UseCase<Runtime, ApproveRequest> = {
  keyFirst: true,
  async prepare({ pool }, input): Promise<Prepared> {
    const { version, waiting } = await findException(pool, input);
    requirePerson(input);
    const { ifMatch = input.version } = input;
    if (ifMatch !== input.version)
      throw new ApiError('version_mismatch', {
        param: '/version',
        detail: 'If-Match names another one.',
        facts: { version },
      });
    return { command: approveException({ ...input, waiting, ifMatch }) };
  },
};
