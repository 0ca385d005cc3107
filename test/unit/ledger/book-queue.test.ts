/** The two machines of a book's queue in the committer, and what the queue remembers of its book. */
import { describe, expect, test } from 'vitest';
import { BookQueue, type BookQueueState, type NextBatch, type Waiting } from '../../../src/ledger/commit/book-queue.ts';
import { newId } from '../../../src/values/ids.ts';

const PASSED = Number.NEGATIVE_INFINITY;

interface Options {
  readonly deadline?: number;
  readonly shareable?: boolean;
  readonly behind?: number;
  readonly reject?: (error: unknown) => void;
}

function waiting(options: Options = {}) {
  const { deadline = Number.POSITIVE_INFINITY, shareable = true, behind, reject = () => {} } = options;
  const id = newId();
  const never = () => {
    throw new Error('This command is not decided');
  };
  const command = { id, name: 'test', requestId: id, touches: [], decide: never, ...(behind && { behind }) };
  return { command, deadline, shareable, resolve: never, reject } satisfies Waiting;
}

const opened = () => new BookQueue(newId());

/** A queue with one command, in each state. */
const IN_STATE: Record<BookQueueState, () => BookQueue> = {
  idle: opened,
  ready() {
    const queue = opened();
    queue.arrive(waiting());
    return queue;
  },
  taken() {
    const queue = IN_STATE.ready();
    queue.takeAlone();
    return queue;
  },
};

/** What callers do with a queue, by name. */
const STEPS: Record<string, (queue: BookQueue) => void> = {
  arrive: (queue) => queue.arrive(waiting()),
  'drop expired': (queue) => queue.dropExpired(),
  'take alone': (queue) => queue.takeAlone(),
  'take shared': (queue) => queue.takeShared(),
  'take batch': (queue) => void queue.takeBatch(1),
  'take all, release': (queue) => {
    queue.takeBatch(9);
    queue.release();
  },
  release: (queue) => queue.release(),
  'put back': (queue) => queue.putBack([waiting()]),
  decided: (queue) => queue.decided({ after: newId(), batchId: newId() }),
  committed: (queue) => queue.committed({ after: newId(), batchId: newId() }),
  skip: (queue) => queue.skip([waiting()]),
  isolate: (queue) => queue.isolate([waiting()]),
  'isolate for a time': (queue) => queue.isolateFor([waiting()], 60_000),
  suspect: (queue) => queue.suspect(),
  'suspect twice': (queue) => {
    queue.suspect();
    queue.suspect();
  },
  'failed alone': (queue) => queue.failedAlone(1, { tookTooLong: false }),
  'committed alone': (queue) => queue.committedAlone(),
  'back off': (queue) => queue.backOff([waiting()], 1_000),
  rejoin: (queue) => queue.rejoin(),
  'end turn': (queue) => queue.endTurn(),
};

describe('where the commands of a book are', () => {
  test.each`
    from       | step                    | to
    ${'idle'}  | ${'arrive'}             | ${'ready'}
    ${'idle'}  | ${'drop expired'}       | ${'idle'}
    ${'idle'}  | ${'take alone'}         | ${'throws'}
    ${'idle'}  | ${'take shared'}        | ${'throws'}
    ${'idle'}  | ${'take batch'}         | ${'throws'}
    ${'idle'}  | ${'release'}            | ${'throws'}
    ${'idle'}  | ${'put back'}           | ${'throws'}
    ${'idle'}  | ${'decided'}            | ${'throws'}
    ${'ready'} | ${'arrive'}             | ${'ready'}
    ${'ready'} | ${'drop expired'}       | ${'ready'}
    ${'ready'} | ${'take alone'}         | ${'taken'}
    ${'ready'} | ${'take shared'}        | ${'taken'}
    ${'ready'} | ${'take batch'}         | ${'throws'}
    ${'ready'} | ${'release'}            | ${'throws'}
    ${'ready'} | ${'put back'}           | ${'throws'}
    ${'ready'} | ${'decided'}            | ${'throws'}
    ${'ready'} | ${'committed'}          | ${'throws'}
    ${'ready'} | ${'skip'}               | ${'throws'}
    ${'ready'} | ${'isolate'}            | ${'throws'}
    ${'ready'} | ${'isolate for a time'} | ${'throws'}
    ${'ready'} | ${'suspect'}            | ${'throws'}
    ${'ready'} | ${'failed alone'}       | ${'throws'}
    ${'ready'} | ${'committed alone'}    | ${'throws'}
    ${'ready'} | ${'back off'}           | ${'throws'}
    ${'ready'} | ${'rejoin'}             | ${'throws'}
    ${'ready'} | ${'end turn'}           | ${'throws'}
    ${'taken'} | ${'arrive'}             | ${'taken'}
    ${'taken'} | ${'drop expired'}       | ${'taken'}
    ${'taken'} | ${'take alone'}         | ${'throws'}
    ${'taken'} | ${'take shared'}        | ${'throws'}
    ${'taken'} | ${'take batch'}         | ${'taken'}
    ${'taken'} | ${'put back'}           | ${'taken'}
    ${'taken'} | ${'release'}            | ${'ready'}
    ${'taken'} | ${'take all, release'}  | ${'idle'}
  `(
    '$from, $step: $to',
    ({ from, step, to }: { from: BookQueueState; step: string; to: BookQueueState | 'throws' }) => {
      const queue = IN_STATE[from]();
      if (to === 'throws') {
        expect(() => STEPS[step]!(queue)).toThrow();
        expect(queue).toMatchObject({ state: from, nextBatch: 'any', size: from === 'idle' ? 0 : 1, failures: 0 });
      } else {
        STEPS[step]!(queue);
        expect(queue.state).toBe(to);
      }
    },
  );

  test('once the deadlines of all commands have passed, nothing waits', () => {
    const refused: unknown[] = [];
    const queue = opened();
    queue.arrive(waiting({ deadline: PASSED, reject: (error) => refused.push(error) }));
    const later = waiting();
    queue.arrive(later);
    queue.dropExpired(new Error('the cause'));
    expect(queue).toMatchObject({ state: 'ready', size: 1 });
    expect(refused).toMatchObject([{ code: 'service_unavailable', cause: { message: 'the cause' } }]);
    queue.takeAlone();
    expect(queue.takeBatch(9)).toEqual([later]);
    queue.putBack([waiting({ deadline: PASSED })]);
    queue.dropExpired();
    expect(queue).toMatchObject({ state: 'taken', size: 0 });
    queue.release();
    queue.arrive(waiting({ deadline: PASSED }));
    queue.dropExpired();
    expect(queue.state).toBe('idle');
  });
});

describe('which batch may take them next', () => {
  /** A ready queue, by its next batch. */
  const WITH_NEXT: Record<NextBatch, () => BookQueue> = {
    any: IN_STATE.ready,
    waiting() {
      const queue = IN_STATE.ready();
      queue.takeShared();
      queue.skip(queue.takeBatch(1));
      queue.release();
      return queue;
    },
    isolated() {
      const queue = IN_STATE.ready();
      queue.takeShared();
      queue.isolate(queue.takeBatch(1));
      queue.release();
      return queue;
    },
  };

  test.each`
    from          | taken            | step                    | to
    ${'any'}      | ${'take shared'} | ${'committed'}          | ${'any'}
    ${'any'}      | ${'take shared'} | ${'skip'}               | ${'waiting'}
    ${'any'}      | ${'take shared'} | ${'isolate'}            | ${'isolated'}
    ${'any'}      | ${'take shared'} | ${'isolate for a time'} | ${'any'}
    ${'any'}      | ${'take shared'} | ${'suspect'}            | ${'any'}
    ${'any'}      | ${'take shared'} | ${'suspect twice'}      | ${'isolated'}
    ${'any'}      | ${'take alone'}  | ${'back off'}           | ${'any'}
    ${'any'}      | ${'take alone'}  | ${'rejoin'}             | ${'any'}
    ${'any'}      | ${'take alone'}  | ${'end turn'}           | ${'any'}
    ${'waiting'}  | ${'take shared'} | ${'committed'}          | ${'any'}
    ${'waiting'}  | ${'take shared'} | ${'skip'}               | ${'throws'}
    ${'waiting'}  | ${'take shared'} | ${'isolate'}            | ${'isolated'}
    ${'waiting'}  | ${'take shared'} | ${'isolate for a time'} | ${'waiting'}
    ${'waiting'}  | ${'take shared'} | ${'suspect'}            | ${'waiting'}
    ${'waiting'}  | ${'take shared'} | ${'suspect twice'}      | ${'isolated'}
    ${'waiting'}  | ${'take alone'}  | ${'arrive'}             | ${'any'}
    ${'isolated'} | ${'arrive'}      | ${'take shared'}        | ${'throws'}
    ${'isolated'} | ${'take alone'}  | ${'isolate'}            | ${'throws'}
    ${'isolated'} | ${'take alone'}  | ${'skip'}               | ${'throws'}
    ${'isolated'} | ${'take alone'}  | ${'failed alone'}       | ${'isolated'}
    ${'isolated'} | ${'take alone'}  | ${'committed alone'}    | ${'isolated'}
    ${'isolated'} | ${'take alone'}  | ${'back off'}           | ${'isolated'}
    ${'isolated'} | ${'take alone'}  | ${'rejoin'}             | ${'any'}
    ${'isolated'} | ${'take alone'}  | ${'end turn'}           | ${'any'}
  `(
    '$from, $taken, $step: $to',
    ({ from, taken, step, to }: { from: NextBatch; taken: string; step: string; to: NextBatch | 'throws' }) => {
      const queue = WITH_NEXT[from]();
      expect(queue.nextBatch).toBe(from);
      STEPS[taken]!(queue);
      if (to === 'throws') expect(() => STEPS[step]!(queue)).toThrow();
      else STEPS[step]!(queue);
      expect(queue.nextBatch).toBe(to === 'throws' ? from : to);
    },
  );

  test('an isolated book is isolated until a batch of its own puts nothing back', () => {
    const queue = WITH_NEXT.isolated();
    expect(queue.isIsolated).toBe(true);
    queue.takeAlone();
    queue.backOff(queue.takeBatch(1), 1_000);
    expect(queue.isIsolated).toBe(true);
    expect([queue.backsOff(performance.now()), queue.backsOff(performance.now() + 2_000)]).toEqual([true, false]);
    queue.rejoin();
    expect(queue.isIsolated).toBe(false);
  });

  test.each`
    durationMs | isolated
    ${60_000}  | ${true}
    ${-1}      | ${false}
  `('a book of which a command was refused is isolated for $durationMs ms: $isolated', ({ durationMs, isolated }) => {
    const queue = IN_STATE.ready();
    queue.takeShared();
    queue.isolateFor(queue.takeBatch(1), durationMs);
    queue.release();
    expect(queue).toMatchObject({ state: 'ready', isIsolated: isolated });
  });

  test('a command that must not share a batch isolates its book until it has its answer', () => {
    const queue = opened();
    const alone = waiting({ shareable: false });
    queue.arrive(waiting());
    expect(queue.isIsolated).toBe(false);
    queue.arrive(alone);
    expect(queue).toMatchObject({ isIsolated: true, unanswered: 2 });
    queue.takeAlone();
    queue.takeBatch(2);
    expect(queue).toMatchObject({ isIsolated: true, unanswered: 2, size: 0 });
    queue.answered(alone);
    expect(queue).toMatchObject({ isIsolated: false, unanswered: 1 });
  });
});

describe('what is remembered of the book', () => {
  test('commands are taken in order of arrival, and those put back are first again', () => {
    const queue = opened();
    const [a, b, c, d] = [waiting(), waiting(), waiting(), waiting({ deadline: 7 })];
    for (const each of [a, b, c]) queue.arrive(each);
    queue.takeAlone();
    const batch = queue.takeBatch(2);
    expect(batch).toEqual([a, b]);
    queue.arrive(d);
    expect(queue.earliestDeadline()).toBe(7);
    queue.putBack(batch);
    expect(queue.takeBatch(9)).toEqual([a, b, c, d]);
    expect(queue.earliestDeadline()).toBe(Number.POSITIVE_INFINITY);
  });

  test('the book is undisturbed while each batch follows the last one of this process', () => {
    const queue = IN_STATE.taken();
    const [one, two, theirs, three, four] = [newId(), newId(), newId(), newId(), newId()];
    const seen = [
      { after: newId(), batchId: one },
      { after: one, batchId: two },
      { after: theirs, batchId: three },
      { after: three, batchId: four },
    ].map((batch) => {
      queue.decided(batch);
      return queue.isUndisturbed;
    });
    expect(seen).toEqual([false, true, false, true]);
  });

  test('an isolated batch that takes too long halves the next one, and each success lets it grow by a quarter', () => {
    const queue = IN_STATE.taken();
    const sizes = [
      () => queue.failedAlone(80, { tookTooLong: true }),
      () => queue.failedAlone(40, { tookTooLong: false }),
      () => queue.committedAlone(),
      () => queue.failedAlone(1, { tookTooLong: true }),
      () => queue.committedAlone(),
    ].map((step) => {
      step();
      return [queue.isolatedBatchMax, queue.failures];
    });
    expect(sizes).toEqual([
      [40, 1],
      [40, 2],
      [50, 0],
      [1, 1],
      [2, 0],
    ]);
  });

  test.each(['committed', 'committed alone', 'end turn'])('after %s no failure counts', (step) => {
    const queue = IN_STATE.taken();
    queue.suspect();
    expect(queue.failures).toBe(1);
    STEPS[step]!(queue);
    expect(queue.failures).toBe(0);
  });
});

describe('bulk work', () => {
  const bulk = (count: number, behind = 1) => Array.from({ length: count }, () => waiting({ behind }));
  function holding(...commands: readonly Waiting[]): BookQueue {
    const queue = opened();
    for (const command of commands) queue.arrive(command);
    queue.takeAlone();
    return queue;
  }

  test('alone goes as other work does', () => {
    const items = bulk(300);
    const queue = holding(...items);
    expect(queue.takeBatch(1_000)).toEqual(items);
  });

  test('goes behind other work that arrives later, few in a batch', () => {
    const items = bulk(100);
    const single = waiting();
    const queue = holding(...items, single);
    expect(queue.takeBatch(1_000)).toEqual([single, ...items.slice(0, 32)]);
    const another = waiting();
    queue.arrive(another);
    expect(queue.takeBatch(1_000)).toEqual([another, ...items.slice(32, 64)]);
    expect(queue.size).toBe(36);
  });

  test('one command that moves many is the only one of its batch', () => {
    const [first, large, last] = [bulk(2), bulk(1, 250), bulk(2)];
    const queue = holding(...first, ...large, ...last, waiting());
    expect(queue.takeBatch(1_000).slice(1)).toEqual(first);
    expect(queue.takeBatch(1_000)).toEqual(large);
    expect(queue.takeBatch(1_000)).toEqual(last);
  });

  test('has a place in each batch, however much other work waits', () => {
    const [item] = bulk(1);
    const singles = Array.from({ length: 20 }, () => waiting());
    const queue = holding(item!, ...singles);
    expect(queue.takeBatch(10)).toEqual([...singles.slice(0, 9), item]);
    expect(queue.takeBatch(20)).toEqual(singles.slice(9));
  });

  test('joins no batch that has begun beside other work', () => {
    const items = bulk(3);
    const queue = holding(...items, waiting());
    expect(queue.takeBatch(1_000, { joins: true })).toHaveLength(1);
    expect(queue.takeBatch(1_000)).toEqual(items);
  });

  test('is first of its own again where it is put back, and refused at its deadline', () => {
    const items = [...bulk(1), waiting({ behind: 1, deadline: 7 })];
    const single = waiting();
    const queue = holding(...items, single);
    expect(queue.earliestDeadline()).toBe(7);
    queue.putBack(queue.takeBatch(1_000));
    expect(queue.takeBatch(1_000)).toEqual([single, ...items]);
    queue.putBack([waiting({ behind: 1, deadline: PASSED })]);
    queue.dropExpired();
    expect(queue).toMatchObject({ size: 0 });
    queue.release();
    expect(queue.state).toBe('idle');
  });
});
