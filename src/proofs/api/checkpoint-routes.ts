import { z } from 'zod';
import { found } from '../../api/answers.ts';
import type { ApiResource } from '../../api/api-resource.ts';
import { listRoute, readRoute } from '../../api/read-routes.ts';
import { type RouteRequest, route } from '../../api/route.ts';
import { reference } from '../../api/schemas/fields.ts';
import { ApiError } from '../../errors/errors.ts';
import { findEntry } from '../../ledger/journal/journal-read-store.ts';
import { publicId, type Uuid } from '../../values/ids.ts';
import { type Checkpoint, checkpointView } from '../checkpoint.ts';
import { findCheckpoint, findCheckpointBefore, findNewestCheckpoint, listCheckpoints } from '../checkpoint-store.ts';
import { proveConsistency, proveInclusion } from '../prove.ts';
import { checkpoint, consistencyProof, inclusionProof } from './checkpoint-schemas.ts';

const checkpointApi: ApiResource<Checkpoint> = {
  path: '/v1/journal/checkpoints',
  tag: 'Journal',
  type: 'Checkpoint',
  names: { types: 'Checkpoints', one: 'a checkpoint', many: 'checkpoints' },
  declared: null,
  cursor: 'checkpoint',
  schema: checkpoint,
  scopes: { read: 'journal:read' },
  find: findCheckpoint,
  view: checkpointView,
};

const list = listRoute(checkpointApi, {
  description: 'Signed statements of what the journal was. Keep them where this service cannot reach them.',
  filters: {},
  rows: (db, { bookId, page }) => listCheckpoints(db, bookId, page),
});

const read = readRoute(checkpointApi, { answer: 'It never changes.' });

const consistency = route({
  method: 'get',
  path: '/v1/journal/checkpoints/:id/consistency',
  operation: 'proveConsistency',
  tag: 'Journal',
  summary: "Retrieve a checkpoint's consistency proof",
  description:
    'Proves that it continues an older one: between the two, entries and events were only added. A `from` that is the newer of the two is refused with `parameter_invalid`.',
  scope: 'journal:read',
  params: { id: 'checkpoint' },
  query: z.strictObject({
    from: reference(
      'checkpoint',
      'An older checkpoint, such as the last one that you kept. Without it, the one right before; of the first checkpoint of a book, itself, with empty paths.',
    ).optional(),
  }),
  responses: {
    200: {
      description:
        'Check it offline: both signatures by the public key that you pinned, and both paths by RFC 6962, 2.1.2.',
      schema: consistencyProof,
    },
  },
  async handle(request) {
    const { runtime, query } = request;
    const second = await checkpointOf(request, request.params.id!);
    const first =
      query.from === undefined
        ? ((await findCheckpointBefore(runtime.pool, second)) ?? second)
        : await checkpointOf(request, query.from, 'from');
    if (first.treeSize > second.treeSize || first.eventTreeSize > second.eventTreeSize) {
      const detail = `${publicId('checkpoint', first.id)} is the newer of the two: ask for its consistency with the other.`;
      throw new ApiError('parameter_invalid', { param: 'from', detail });
    }
    return { status: 200, json: await proveConsistency(runtime.pool, { first, second }) };
  },
});

const proof = route({
  method: 'get',
  path: '/v1/journal/entries/:id/proof',
  operation: 'proveInclusion',
  tag: 'Journal',
  summary: "Retrieve a journal entry's inclusion proof",
  description: 'Proves that the entry is in a checkpoint.',
  scope: 'journal:read',
  params: { id: 'entry' },
  query: z.strictObject({
    checkpoint: reference('checkpoint', 'Of those that you keep; without it, the newest.').optional(),
  }),
  responses: {
    200: {
      description:
        'Check it offline: the hash of the entry, the path from it to the root by RFC 6962, 2.1.1, and the signature of the checkpoint by the public key that you pinned.',
      schema: inclusionProof,
    },
  },
  errors: ['state_conflict'],
  async handle(request) {
    const { runtime, principal, query } = request;
    const entry = found(await findEntry(runtime.pool, principal.bookId, request.params.id!));
    const covering =
      query.checkpoint === undefined
        ? await findNewestCheckpoint(runtime.pool, principal.bookId)
        : await checkpointOf(request, query.checkpoint, 'checkpoint');
    if (!covering || covering.treeSize < entry.sequence) throw notCovered(entry.sequence, covering);
    return { status: 200, json: await proveInclusion(runtime.pool, { entry, checkpoint: covering }) };
  },
});

async function checkpointOf({ runtime, principal }: RouteRequest, id: Uuid, param = 'id') {
  return found(await findCheckpoint(runtime.pool, principal.bookId, id), param);
}

function notCovered(sequence: bigint, covering: Checkpoint | undefined): ApiError {
  const what = covering
    ? `Checkpoint ${publicId('checkpoint', covering.id)} covers ${covering.treeSize} entries, and this one is number ${sequence}.`
    : 'The book has no checkpoint yet.';
  return new ApiError('state_conflict', {
    detail: `${what} Try again after the next checkpoint: one is signed at intervals while the book changes.`,
    retryable: true,
    facts: { current_status: 'not_covered', allowed_actions: [], entry_sequence: sequence },
  });
}

export const checkpointRoutes = [list, read, consistency, proof];
