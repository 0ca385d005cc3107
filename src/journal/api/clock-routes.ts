import { found } from '../../api/answers.ts';
import { askedBy, runUseCase } from '../../api/run-use-case.ts';
import { simulationRoute } from '../../api/simulations.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import { momentOf } from '../../ledger/commit/batch.ts';
import { clockView, requestClockAdvance } from '../advance-clock.ts';
import * as schemas from './clock-schemas.ts';

const read = simulationRoute({
  method: 'get',
  path: '/v1/simulations/clock',
  operation: 'getClock',
  summary: 'Retrieve the clock',
  responses: { 200: { description: 'As it is now.', schema: schemas.clock } },
  async handle({ runtime, principal }) {
    const book = found(await loadBook(runtime.pool, principal.bookId));
    return { status: 200, json: clockView(book, momentOf(runtime.clock, book).book) };
  },
});

const advance = simulationRoute({
  path: '/v1/simulations/clock/advance',
  operation: 'advanceClock',
  summary: 'Advance the clock',
  description:
    "Moves the test book's own time forward. The book goes from due moment to due moment, in order; what falls due on the way happens then. Meanwhile the book is read as always, and every write is refused with `state_conflict`. What is dated or expires goes by the book's own time; ids, retries, inquiries, deliveries, keys and limits by that of the world.",
  body: schemas.advance,
  bodyExample: { by: 'P2D' },
  responses: { 202: { description: 'On its way.', schema: schemas.clock } },
  errors: ['state_conflict'],
  handle: (request) => runUseCase(request, requestClockAdvance, { ...askedBy(request), ...request.body }),
});

export const clockRoutes = [read, advance];
