/** Routes that follow from a resource's declaration: of a resource, of its child with ids of its own, and of its lines. */
import request from 'supertest';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ApiResource, Listed } from '../../../src/api/api-resource.ts';
import { childrenRoute, listRoute, readRoute, timelineRoute } from '../../../src/api/read-routes.ts';
import type { RouteRequest } from '../../../src/api/route.ts';
import { simulationRoute } from '../../../src/api/simulations.ts';
import { actionRoute, createRoute, removeRoute, updateRoute } from '../../../src/api/write-routes.ts';
import { BEFORE_ALL_IDS, newId, publicId, type Uuid } from '../../../src/values/ids.ts';
import { createTestApp, KEYS } from '../http/test-app.ts';

interface Row {
  readonly id: Uuid;
  /** The box that it lies in. */
  readonly boxId: Uuid;
}
interface Line {
  readonly sequence: bigint;
}

const [box, otherBox, thing] = [newId(), newId(), newId()];
const rows: readonly Row[] = [
  { id: box, boxId: box },
  { id: otherBox, boxId: otherBox },
  { id: thing, boxId: box },
];
const find = async (_db: unknown, _bookId: Uuid, id: Uuid) => rows.find((row) => row.id === id);

const boxes: ApiResource<Row> = {
  path: '/v1/boxes',
  tag: 'Accounts',
  type: 'Box',
  names: { types: 'Boxes', one: 'a box', many: 'boxes' },
  declared: null,
  cursor: 'account',
  schema: z.object({}),
  scopes: { read: 'accounts:read', write: 'accounts:write' },
  find,
  view: ({ id }, { livemode }) => ({ id: publicId('account', id), livemode }),
};
const things: ApiResource<Row> = {
  ...boxes,
  path: '/v1/boxes/:id/things',
  type: 'Thing',
  names: { types: 'Things', one: 'a thing', many: 'things' },
  cursor: 'hold',
  view: ({ id }) => ({ id: publicId('hold', id) }),
  parent: { resource: boxes, param: 'thing', idOf: ({ boxId }) => boxId },
};
const lines: Listed<Line> = {
  path: '/v1/boxes/:id/lines',
  type: 'Line',
  declared: null,
  cursor: 'sequence',
  schema: z.object({}),
  view: ({ sequence }) => ({ sequence }),
};

const echo = async ({ params, ifMatch, body }: RouteRequest) => ({ status: 200, json: { params, ifMatch, body } });
const declared = { summary: 'It changes', handle: echo };

const routes = [
  createRoute(boxes, { ...declared, responses: {} }),
  readRoute(boxes),
  listRoute(boxes, {
    filters: {},
    // Looked at more rows than it shows, and stopped at the last.
    rows: async (_db, { page }) => ({ rows: rows.slice(0, page.limit), hasMore: true, reached: thing }),
  }),
  updateRoute(boxes, { ...declared, body: z.strictObject({ name: z.string() }) }),
  actionRoute(boxes, 'shut', { ...declared, errors: ['account_not_empty'] }),
  timelineRoute(boxes),
  childrenRoute(boxes, things, {
    operation: 'listBoxThings',
    summary: 'List things of a box',
    filters: {},
    rows: async (_db, { parentId, page }) => {
      const inside = rows.filter(({ id, boxId }) => boxId === parentId && id !== parentId);
      return { rows: inside.slice(0, page.limit), hasMore: true };
    },
  }),
  childrenRoute(boxes, lines, {
    operation: 'listBoxLines',
    summary: 'List the lines of a box',
    filters: {},
    rows: async (_db, { page }) => ({ rows: [{ sequence: 7n }].slice(0, page.limit), hasMore: true }),
  }),
  readRoute(things),
  actionRoute(things, 'take_out', { ...declared, operation: 'takeOut', scope: 'journal:read', ifMatch: false }),
  timelineRoute(things),
  simulationRoute({ ...declared, path: '/v1/simulations/boxes', operation: 'simulateBox', responses: {} }),
  createRoute(things, { ...declared, responses: {} }),
  removeRoute(boxes, { ...declared, responses: {} }),
];

const { app } = createTestApp({ routes });
const get = (path: string, key: string = KEYS.test) => request(app).get(path).set('Authorization', `Bearer ${key}`);
const post = (path: string) => request(app).post(path).set('Authorization', `Bearer ${KEYS.test}`);
const [boxId, otherBoxId, thingId] = [publicId('account', box), publicId('account', otherBox), publicId('hold', thing)];
const nobody = { box: publicId('account', BEFORE_ALL_IDS), thing: publicId('hold', BEFORE_ALL_IDS) };

test.each`
  at    | operation             | method      | path                                      | scope                  | params                              | ifMatch
  ${0}  | ${'createBox'}        | ${'post'}   | ${'/v1/boxes'}                            | ${'accounts:write'}    | ${undefined}                        | ${undefined}
  ${1}  | ${'getBox'}           | ${'get'}    | ${'/v1/boxes/:id'}                        | ${'accounts:read'}     | ${{ id: 'account' }}                | ${undefined}
  ${2}  | ${'listBoxes'}        | ${'get'}    | ${'/v1/boxes'}                            | ${'accounts:read'}     | ${undefined}                        | ${undefined}
  ${3}  | ${'updateBox'}        | ${'patch'}  | ${'/v1/boxes/:id'}                        | ${'accounts:write'}    | ${{ id: 'account' }}                | ${true}
  ${4}  | ${'shutBox'}          | ${'post'}   | ${'/v1/boxes/:id/shut'}                   | ${'accounts:write'}    | ${{ id: 'account' }}                | ${true}
  ${5}  | ${'getBoxTimeline'}   | ${'get'}    | ${'/v1/boxes/:id/timeline'}               | ${'accounts:read'}     | ${{ id: 'account' }}                | ${undefined}
  ${6}  | ${'listBoxThings'}    | ${'get'}    | ${'/v1/boxes/:id/things'}                 | ${'accounts:read'}     | ${{ id: 'account' }}                | ${undefined}
  ${7}  | ${'listBoxLines'}     | ${'get'}    | ${'/v1/boxes/:id/lines'}                  | ${'accounts:read'}     | ${{ id: 'account' }}                | ${undefined}
  ${8}  | ${'getThing'}         | ${'get'}    | ${'/v1/boxes/:id/things/:thing'}          | ${'accounts:read'}     | ${{ id: 'account', thing: 'hold' }} | ${undefined}
  ${9}  | ${'takeOut'}          | ${'post'}   | ${'/v1/boxes/:id/things/:thing/take_out'} | ${'journal:read'}      | ${{ id: 'account', thing: 'hold' }} | ${false}
  ${10} | ${'getThingTimeline'} | ${'get'}    | ${'/v1/boxes/:id/things/:thing/timeline'} | ${'accounts:read'}     | ${{ id: 'account', thing: 'hold' }} | ${undefined}
  ${11} | ${'simulateBox'}      | ${'post'}   | ${'/v1/simulations/boxes'}                | ${'simulations:write'} | ${undefined}                        | ${undefined}
  ${12} | ${'createThing'}      | ${'post'}   | ${'/v1/boxes/:id/things'}                 | ${'accounts:write'}    | ${{ id: 'account' }}                | ${undefined}
  ${13} | ${'deleteBox'}        | ${'delete'} | ${'/v1/boxes/:id'}                        | ${'accounts:write'}    | ${{ id: 'account' }}                | ${true}
`('$operation is $method $path', ({ at, operation, method, path, scope, params, ifMatch }) => {
  const { [at as number]: made } = routes;
  expect(made).toMatchObject({ operation, method, path, scope });
  expect([made?.params, made?.ifMatch]).toEqual([params, ifMatch]);
});

test('a route keeps what it does, with which resource', () => {
  expect(routes.map(({ of }) => of && [of.kind, of.resource.type, of.action])).toEqual([
    ['create', 'Box', undefined],
    ['read', 'Box', undefined],
    ['list', 'Box', undefined],
    ['update', 'Box', undefined],
    ['action', 'Box', 'shut'],
    ['timeline', 'Box', undefined],
    ['children', 'Thing', undefined],
    ['children', 'Line', undefined],
    ['read', 'Thing', undefined],
    ['action', 'Thing', 'take_out'],
    ['timeline', 'Thing', undefined],
    undefined,
    ['create', 'Thing', undefined],
    ['remove', 'Box', undefined],
  ]);
});

test('an action may be refused by the status, and by what it names', () => {
  expect(routes[4]?.errors).toEqual(['state_conflict', 'account_not_empty']);
});

test('a simulation is for test books alone', async () => {
  expect((await post('/v1/simulations/boxes')).status).toBe(200);
  const live = await request(app).post('/v1/simulations/boxes').set('Authorization', `Bearer ${KEYS.live}`);
  expect(live.body.code).toBe('test_mode_only');
});

test('a write needs a scope for writes', () => {
  const readOnly = { ...boxes, scopes: { read: 'accounts:read' } } as const;
  expect(() => actionRoute(readOnly, 'shut', declared)).toThrow('Box has no scope for writes');
});

test('one object is shown, with the mode of its book', async () => {
  expect((await get(`/v1/boxes/${boxId}`)).body).toEqual({ id: boxId, livemode: false });
  expect((await get(`/v1/boxes/${boxId}`, KEYS.live)).body).toEqual({ id: boxId, livemode: true });
});

test.each`
  path                                                    | param
  ${`/v1/boxes/${nobody.box}`}                            | ${'id'}
  ${`/v1/boxes/${nobody.box}/timeline`}                   | ${'id'}
  ${`/v1/boxes/${nobody.box}/things`}                     | ${'id'}
  ${`/v1/boxes/${nobody.box}/lines`}                      | ${'id'}
  ${`/v1/boxes/${boxId}/things/${nobody.thing}`}          | ${'thing'}
  ${`/v1/boxes/${otherBoxId}/things/${thingId}`}          | ${'thing'}
  ${`/v1/boxes/${otherBoxId}/things/${thingId}/timeline`} | ${'thing'}
`('$path is not found: $param', async ({ path, param }) => {
  expect((await get(path)).body).toMatchObject({ code: 'resource_not_found', param });
});

test('a child is read under its parent', async () => {
  expect((await get(`/v1/boxes/${boxId}/things/${thingId}`)).body).toEqual({ id: thingId });
});

test.each`
  path                           | data | cursor
  ${'/v1/boxes'}                 | ${2} | ${publicId('account', thing)}
  ${`/v1/boxes/${boxId}/things`} | ${1} | ${thingId}
  ${`/v1/boxes/${boxId}/lines`}  | ${1} | ${'7'}
`('the list $path reads on from $cursor', async ({ path, data, cursor }) => {
  const { body } = await get(`${path}?limit=2`);
  expect(body).toMatchObject({ object: 'list', url: path, has_more: true, next_cursor: cursor });
  expect(body.data).toHaveLength(data);
});

test('an action of a child knows both ids', async () => {
  const { body } = await post(`/v1/boxes/${boxId}/things/${thingId}/take_out`);
  expect(body.params).toEqual({ id: box, thing });
});

test('an update has the version and the body', async () => {
  const { body } = await request(app)
    .patch(`/v1/boxes/${boxId}`)
    .set('Authorization', `Bearer ${KEYS.test}`)
    .set('If-Match', '"3"')
    .send({ name: 'Small' });
  expect(body).toMatchObject({ ifMatch: 3, body: { name: 'Small' } });
});
