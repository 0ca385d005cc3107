/** A delivery that is both named by a job and part of the backlog. */
import { describe, expect, test } from 'vitest';
import { Slots } from '../../../src/fairness/slots.ts';
import { newId } from '../../../src/values/ids.ts';
import type { Attempt, DeliveryInHand } from '../../../src/webhooks/deliveries/delivery.ts';
import { Outbox } from '../../../src/webhooks/outbox/outbox.ts';

const BOOK = newId();
const ENDPOINT = newId();
const ARRIVED: Attempt = {
  ...{ startedAt: 0, durationMs: 5, status: 204, error: null, response: null, retryAfterMs: null },
};

function delivery(eventSequence: bigint, behindSince: number | null = null): DeliveryInHand {
  return {
    ...{ eventSequence, endpointId: ENDPOINT, eventId: newId(), payload: '{}', texts: [], attempts: 0, retryAt: null },
    mode: 'test',
    endpoint: {
      ...{ bookId: BOOK, id: ENDPOINT, url: 'https://example.com', behindSince, failingSince: null },
      status: 'enabled',
      ...{ secretSealed: null, previousSecretSealed: null, previousSecretUntil: null },
    },
  };
}

/** An outbox whose loads the test answers, and which delivers at once. */
function openOutbox() {
  let answer: ((delivery: DeliveryInHand | undefined) => void) | undefined;
  let refuse: ((error: Error) => void) | undefined;
  const sent: bigint[] = [];
  const outbox = new Outbox(BOOK, ENDPOINT, {
    slots: new Slots(10, { guaranteed: 10 }),
    memory: new Slots(10, { guaranteed: 10 }),
    now: () => 0,
    load: () =>
      new Promise((resolve, reject) => {
        answer = resolve;
        refuse = reject;
      }),
    async send(_, { eventSequence }) {
      sent.push(eventSequence);
      return ARRIVED;
    },
    record: async () => undefined,
    onSkipped: () => undefined,
    onEmpty: () => undefined,
  });
  return { outbox, sent, answer: (one?: DeliveryInHand) => answer!(one), refuse: (error: Error) => refuse!(error) };
}

describe('a delivery named by a job and by the backlog', () => {
  test('stays in the backlog when it cannot be loaded: it may have no due time of its own', async () => {
    const { outbox, refuse } = openOutbox();
    const ended = outbox.offer({ eventSequence: 7n, endpointId: ENDPOINT });
    outbox.add([delivery(7n, 1)]);
    refuse(new Error('no connection'));
    await expect(ended).rejects.toThrow('no connection');
    expect(outbox.drain.hasUnrecorded).toBe(true);
    expect(outbox.first()).toBe(7n);
  });

  test('is not in the backlog when only a job named it', async () => {
    const { outbox, refuse } = openOutbox();
    const ended = outbox.offer({ eventSequence: 7n, endpointId: ENDPOINT });
    refuse(new Error('no connection'));
    await expect(ended).rejects.toThrow('no connection');
    expect(outbox.first()).toBeUndefined();
  });

  test('is first in the backlog while it is being loaded', () => {
    const { outbox } = openOutbox();
    void outbox.offer({ eventSequence: 7n, endpointId: ENDPOINT });
    expect(outbox.first()).toBeUndefined();
    outbox.add([delivery(7n, 1)]);
    expect(outbox.first()).toBe(7n);
  });

  test('is sent even if another process is said to drain the endpoint: the backlog is ours', async () => {
    const { outbox, answer, sent } = openOutbox();
    const ended = outbox.offer({ eventSequence: 7n, endpointId: ENDPOINT });
    outbox.add([delivery(7n, 1)]);
    answer(delivery(7n, 1));
    await ended;
    expect(sent).toEqual([7n]);
  });

  test('is left to that process when only a job named it', async () => {
    const { outbox, answer, sent } = openOutbox();
    const ended = outbox.offer({ eventSequence: 7n, endpointId: ENDPOINT });
    answer(delivery(7n, 1));
    await ended;
    expect(sent).toEqual([]);
  });
});
