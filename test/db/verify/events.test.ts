/** Findings of `npm run verify` in events and their deliveries. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FilledDatabase, openFilledDatabase, rulesOf, type Scene } from '../../support/verify-scene.ts';

let filled: FilledDatabase;
let scene: Scene;

beforeAll(async () => {
  filled = await openFilledDatabase();
  scene = filled.scene;
});

afterAll(() => filled?.close());

const findingsAfter = (...statements: string[]) => filled.findingsAfter(...statements);

const TOLD = (name: keyof Scene['payouts'], type: string) =>
  `object_id = '${scene.payouts[name].id}' AND type = '${type}'`;

type Case = [what: string, rules: string[], statements: () => string[]];

describe('events and deliveries', () => {
  const sometime = "interval '1 hour'";

  test.each<Case>([
    [
      'an event is gone',
      ['delivery.event', 'event.sequence', 'hold.event'],
      () => [`DELETE FROM events WHERE ${TOLD('paid', 'payout.paid')}`],
    ],
    [
      'the last event is gone, by which an account tells of a transfer',
      ['delivery.event', 'event.sequence'],
      () => ['DELETE FROM events WHERE sequence = (SELECT max(sequence) FROM events)'],
    ],
    [
      'that event is gone, and the one of the payout before it',
      ['delivery.event', 'event.sequence', 'hold.event'],
      () => ['DELETE FROM events WHERE sequence >= (SELECT max(sequence) - 1 FROM events)'],
    ],
    [
      'the book knows of more events',
      ['event.sequence'],
      () => ['UPDATE books SET event_sequence = event_sequence + 1 WHERE event_sequence > 0'],
    ],
    [
      'the book knows of fewer events',
      ['event.sequence'],
      () => ['UPDATE books SET event_sequence = event_sequence - 1 WHERE event_sequence > 0'],
    ],
    [
      'the type is another',
      ['event.payload'],
      () => [`UPDATE events SET type = 'payout.failed' WHERE ${TOLD('paid', 'payout.paid')}`],
    ],
    [
      'the request is another',
      ['event.payload'],
      () => [`UPDATE events SET request_id = id WHERE ${TOLD('paid', 'payout.paid')}`],
    ],
    [
      'the body says another number',
      ['event.payload'],
      () => [
        `UPDATE events SET payload = replace(payload, '"sequence":' || sequence, '"sequence":0') WHERE ${TOLD('paid', 'payout.created')}`,
      ],
    ],
    [
      'the body is no JSON',
      ['event.payload'],
      () => [`UPDATE events SET payload = '{' WHERE ${TOLD('paid', 'payout.created')}`],
    ],
    [
      'the body is no object',
      ['event.payload'],
      () => [`UPDATE events SET payload = 'null' WHERE ${TOLD('paid', 'payout.created')}`],
    ],
    [
      'the body tells of another entry',
      ['event.entries'],
      () => [
        `UPDATE events SET payload = replace(payload, '"hash":"', '"hash":"00') WHERE ${TOLD('paid', 'payout.paid')}`,
      ],
    ],
    [
      'time runs back',
      ['event.payload', 'event.time', 'hold.event'],
      () => [`UPDATE events SET created_at = created_at - ${sometime} WHERE ${TOLD('paid', 'payout.created')}`],
    ],
    [
      'a delivery is gone',
      ['delivery.missing'],
      () => [
        `DELETE FROM webhook_deliveries WHERE event_sequence = (SELECT sequence FROM events WHERE ${TOLD('paid', 'payout.paid')})`,
      ],
    ],
    [
      'a delivery is of nothing',
      ['delivery.event'],
      () => [
        'INSERT INTO webhook_deliveries SELECT book_id, endpoint_id, 999999, status, attempts, NULL, NULL, NULL, NULL, created_at FROM webhook_deliveries WHERE event_sequence = 1',
      ],
    ],
    [
      'a delivery waits, and neither it nor its endpoint is due',
      ['delivery.forgotten'],
      () => [
        "UPDATE webhook_deliveries SET status = 'pending', due_at = NULL WHERE event_sequence = (SELECT min(event_sequence) FROM webhook_deliveries)",
      ],
    ],
    [
      'a delivery is to nobody',
      ['delivery.event', 'delivery.missing'],
      () => ['UPDATE webhook_deliveries SET endpoint_id = gen_random_uuid() WHERE event_sequence = 1'],
    ],
    [
      'the endpoint was disabled meanwhile: nobody can say',
      [],
      () => [
        'UPDATE webhook_endpoints SET version = 3 WHERE version = 1',
        'DELETE FROM webhook_deliveries WHERE event_sequence = 5',
      ],
    ],
    ...[
      { what: 'what it had never got was replayed to the endpoint since', version: 3, rules: ['delivery.missing'] },
      { what: 'the endpoint changed after a replay: nobody can say', version: 2, rules: [] },
    ].map(
      ({ what, version, rules }): Case => [
        what,
        rules,
        () => [
          'UPDATE webhook_endpoints SET version = 3 WHERE version = 1',
          `INSERT INTO webhook_replays (book_id, id, endpoint_id, kind, status, since, first_sequence, next_sequence, through_sequence,
           endpoint_version, request_id, created_at)
         SELECT book_id, id, id, 'missing', 'done', now(), 2, 9, 8, ${version}, id, now() FROM webhook_endpoints WHERE version = 3`,
          'DELETE FROM webhook_deliveries WHERE event_sequence IN (1, 5)',
        ],
      ],
    ),
    [
      'the endpoint came later: nothing wrong',
      [],
      () => [
        'UPDATE webhook_endpoints SET created_at = (SELECT created_at FROM events WHERE sequence = 5)',
        'DELETE FROM webhook_deliveries WHERE event_sequence <= 5',
      ],
    ],
    [
      'the endpoint wanted others: nothing wrong',
      [],
      () => [
        "UPDATE webhook_endpoints SET events = '{payout.*}'",
        "DELETE FROM webhook_deliveries d USING events e WHERE e.sequence = d.event_sequence AND e.type LIKE 'account.%'",
      ],
    ],
  ])('%s', async (_, rules, statements) => {
    expect(rulesOf(await findingsAfter(...statements()))).toEqual(rules);
  });
});
