/**
 * Objects that every request creates keep one hidden class in V8 (docs/decisions/hidden-classes.md). V8 itself reports
 * the class. An object that grows behind a spread, or becomes a hash table, works as well but costs many times more.
 */

import { once as onceEvent } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import express from 'express';
import { expect, test } from 'vitest';
import { createHttpServer } from '../../src/http/connections/http-server.ts';
import { once } from '../../src/idempotency/once.ts';
import { PLAIN_FINGERPRINTS } from '../support/fingerprints.ts';
import { PayoutScene } from '../support/memory-payouts.ts';
import { momentAt } from '../support/moment.ts';

setFlagsFromString('--allow-natives-syntax');
const haveSameShape = new Function('one', 'other', 'return %HaveSameMap(one, other)') as (
  one: object,
  other: object,
) => boolean;
const isFast = new Function('object', 'return %HasFastProperties(object)') as (object: object) => boolean;

/** The first objects generalize the types of the fields. All later ones are alike. */
const FIRST = 20;

/**
 * So many later pairs are compared. A garbage collection may end what V8 learned, so that one object in the middle gets a class of its
 * own: two pairs.
 */
const PAIRS = 10;

test('an accepted payout: command, outcome, answer and every row', () => {
  const scene = new PayoutScene();
  const fingerprint = Buffer.alloc(32);
  const accepted = Array.from({ length: FIRST + PAIRS + 1 }, (_, index) => {
    const key = `key-${index}`;
    const accepting = scene.accepting({ amount: 1n, fee: 0n, idempotencyKey: key });
    const command = once(accepting, {
      key,
      fingerprint,
      fingerprints: PLAIN_FINGERPRINTS,
      publicUrl: 'http://localhost',
    });
    const outcome = command.decide(scene.memory.state([command]), momentAt(1_790_000_000_000 + index));
    const { answer, book, events, rows, appends } = outcome;
    return [command, accepting, outcome, answer, book, ...events, ...rows.map(({ row }) => row as object), ...appends];
  });
  const later = accepted.slice(FIRST);
  expect(later[0]).toHaveLength(11);
  const alike = later[0]!.map(
    (_, place) => later.slice(1).filter((objects, at) => haveSameShape(objects[place]!, later[at]![place]!)).length,
  );
  expect(alike.filter((pairs) => pairs < PAIRS - 2)).toEqual([]);
});

test('a payout on its way: a step leaves its row alike, in whatever order resources take theirs', () => {
  const scene = new PayoutScene();
  const rows = Array.from({ length: FIRST + 2 }, () => {
    const pending = scene.accepted({ amount: 1n, fee: 0n });
    const processing = scene.reserve(pending);
    return [processing, scene.settle(processing, { status: 'paid' })];
  });
  const [one, other] = rows.slice(-2) as [object[], object[]];
  expect(one.map((row, index) => haveSameShape(row, other[index]!) && isFast(row))).toEqual([true, true]);
});

test('the request and response objects of Express', async () => {
  const fast: boolean[] = [];
  const app = express();
  app.use((request, response) => {
    response.writeHead(200, ['Content-Length', '2']);
    response.end('ok');
    fast.push(isFast(request), isFast(response));
  });
  const server = createHttpServer(app, { publicUrl: () => '' });
  server.listen(0, '127.0.0.1');
  await onceEvent(server, 'listening');
  const { port } = server.address() as AddressInfo;
  for (let count = 0; count < FIRST; count++) await (await fetch(`http://127.0.0.1:${port}/`)).text();
  server.close();
  expect(fast.slice(-2)).toEqual([true, true]);
});
