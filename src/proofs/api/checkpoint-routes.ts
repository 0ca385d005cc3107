import { z } from 'zod';
import { found } from '../../api/answers.ts';
import { listQuery, pageAnswer, pageRequest, readList } from '../../api/pages.ts';
import { type RouteRequest, route } from '../../api/route.ts';
import { reference } from '../../api/schemas/fields.ts';
import { listOf } from '../../api/schemas/shown.ts';
import { ApiError } from '../../errors.ts';
import { publicId, type Uuid } from '../../ids.ts';
import { findEntry } from '../../ledger/journal-read-store.ts';
import { type Checkpoint, checkpointView } from '../checkpoint.ts';
import { findCheckpoint, findCheckpointBefore, findNewestCheckpoint, listCheckpoints } from '../checkpoint-store.ts';
import { proveConsistency, proveInclusion } from '../prove.ts';
import { checkpoint, consistencyProof, inclusionProof } from './checkpoint-schemas.ts';

const list = route({
  method: 'get',
  path: '/v1/journal/checkpoints',
  operation: 'listCheckpoints',
  tag: 'Journal',
  summary: 'List checkpoints',
  description: 'Signed statements of what the journal was. Keep them where this service cannot reach them.',
  scope: 'journal:read',
  query: listQuery('checkpoint', {}),
  responses: { 200: { description: 'Newest first.', schema: listOf(checkpoint, 'Checkpoint') } },
  async handle(request) {
    const { principal, query } = request;
    const page = await readList(request, (db) => listCheckpoints(db, principal.bookId, pageRequest(query)));
    return pageAnswer(page, { query, url: '/v1/journal/checkpoints' }, checkpointView);
  },
});

const read = route({
  method: 'get',
  path: '/v1/journal/checkpoints/:id',
  operation: 'getCheckpoint',
  tag: 'Journal',
  summary: 'Read a checkpoint',
  scope: 'journal:read',
  params: { id: 'checkpoint' },
  responses: { 200: { description: 'It never changes.', schema: checkpoint } },
  async handle(request) {
    return { status: 200, json: checkpointView(await checkpointOf(request, request.params.id!)) };
  },
});

const consistency = route({
  method: 'get',
  path: '/v1/journal/checkpoints/:id/consistency',
  operation: 'proveConsistency',
  tag: 'Journal',
  summary: 'Prove that a checkpoint continues another',
  scope: 'journal:read',
  params: { id: 'checkpoint' },
  query: z.strictObject({
    from: reference('checkpoint', 'An older checkpoint; without it, the one before.').optional(),
  }),
  responses: { 200: { description: 'To be checked with `npm run verify`.', schema: consistencyProof } },
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
  summary: 'Prove that an entry is in a checkpoint',
  scope: 'journal:read',
  params: { id: 'entry' },
  query: z.strictObject({
    checkpoint: reference('checkpoint', 'Of those that you keep; without it, the newest.').optional(),
  }),
  responses: { 200: { description: 'To be checked with `npm run verify`.', schema: inclusionProof } },
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
    detail: `${what} Try again after the next checkpoint, or make one now: npm run checkpoint.`,
    retryable: true,
    facts: { current_status: 'not_covered', allowed_actions: [], entry_sequence: sequence },
  });
}

export const checkpointRoutes = [list, read, consistency, proof];
