import { actorOf, found, isKnownRequest, runCommand } from '../../api/answers.ts';
import type { RouteRequest } from '../../api/route.ts';
import { simulationRoute } from '../../api/simulations.ts';
import type { Instant } from '../../clock.ts';
import { ApiError } from '../../errors.ts';
import { momentOf } from '../../ledger/batch.ts';
import type { Book } from '../../ledger/book.ts';
import { loadBook } from '../../ledger/book-store.ts';
import { advanceClock, clockView } from '../advance-clock.ts';
import { type Duration, laterBy } from '../duration.ts';
import * as schemas from './clock-schemas.ts';

async function readClock({ runtime, principal }: RouteRequest): Promise<{ book: Book; now: Instant }> {
  const book = found(await loadBook(runtime.pool, principal.bookId));
  return { book, now: momentOf(runtime.clock, book).book };
}

const read = simulationRoute({
  method: 'get',
  path: '/v1/simulations/clock',
  operation: 'getClock',
  summary: 'Read the clock of the test book',
  responses: { 200: { description: 'As it is now.', schema: schemas.clock } },
  async handle(request) {
    const { book, now } = await readClock(request);
    return { status: 200, json: clockView(book, now) };
  },
});

const advance = simulationRoute({
  path: '/v1/simulations/clock/advance',
  operation: 'advanceClock',
  summary: "Advance the test book's own time",
  description:
    "The book goes from due moment to due moment, in order; what falls due on the way happens then. Meanwhile the book is read as always, and every write is refused with `state_conflict`. What is dated or expires goes by the book's own time; ids, retries, inquiries, deliveries, keys and limits by that of the world.",
  body: schemas.advance,
  bodyExample: { by: 'P2D' },
  responses: { 202: { description: 'On its way.', schema: schemas.clock } },
  errors: ['state_conflict'],
  async handle(request) {
    const { body, principal, requestId } = request;
    if (!(await isKnownRequest(request))) await refuseTarget(request, body);
    const command = advanceClock({
      bookId: principal.bookId,
      targetFrom: (now) => targetOf(now, body),
      requestId,
      actor: actorOf(principal),
    });
    return runCommand(request, command);
  },
});

interface Target {
  readonly by?: Duration | undefined;
  readonly to?: Instant | undefined;
}

function targetOf(now: Instant, { by, to }: Target): Instant {
  return by === undefined ? to! : laterBy(now, by);
}

async function refuseTarget(request: RouteRequest, asked: Target): Promise<void> {
  const { now } = await readClock(request);
  const target = targetOf(now, asked);
  const param = asked.by === undefined ? '/to' : '/by';
  if (target < now) throw new ApiError('parameter_invalid', { param, detail: 'A clock never runs backwards.' });
  if (!(target <= schemas.LAST_TARGET))
    throw new ApiError('parameter_invalid', { param, detail: 'Expects a time before the year 9000.' });
}

export const clockRoutes = [read, advance];
