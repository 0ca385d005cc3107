/**
 * Turns a request to change an endpoint into a command. Text that is no URL is a request error, which is not stored
 * under a key.
 */
import type { Pool } from '../db/pool.ts';
import { ApiError } from '../errors/errors.ts';
import type { OnceRuntime } from '../idempotency/run-once.ts';
import type { Asked, UseCase } from '../idempotency/use-case.ts';
import { getEndpoint } from './endpoint-store.ts';
import { requireUrl } from './endpoint-url.ts';
import { type UpdateEndpoint, updateEndpoint } from './manage-endpoint.ts';

export type EndpointUpdateRequest = Asked & UpdateEndpoint;

export const requestEndpointUpdate: UseCase<OnceRuntime & { pool: Pool }, EndpointUpdateRequest> = {
  async prepare({ pool }, input) {
    const { bookId, endpointId, url } = input;
    const endpoint = await getEndpoint(pool, bookId, endpointId);
    if (!endpoint) throw new ApiError('resource_not_found', { param: 'id' });
    // The one that it has may stay: an earlier release may have accepted it.
    if (url !== undefined && url !== endpoint.url) requireUrl(url);
    return { command: updateEndpoint(input) };
  },
};
