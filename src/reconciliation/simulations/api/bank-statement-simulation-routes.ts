/** Statements of the sandbox's bank. */
import { z } from 'zod';
import { actorOf, runCommand, storedAnswer } from '../../../api/answers.ts';
import { type RouteAnswer, type RouteRequest, routesSince } from '../../../api/route.ts';
import { day, exampleId, reference } from '../../../api/schemas/fields.ts';
import { simulationRoute } from '../../../api/simulations.ts';
import { NOISES } from '../../../rails/stated-by-sandbox.ts';
import { type AskedStatement, askStatement, writeStatement } from '../simulate-statement.ts';

const simulateBankStatement = z
  .strictObject({
    bank_account: reference('bankAccount', 'Of the operator: whose statement it is.'),
    on: day
      .optional()
      .meta({ description: 'The last day that it states. Without it, today in the book.', example: '2026-11-30' }),
    noise: z
      .array(z.enum(NOISES))
      .max(NOISES.length, `Expects at most ${NOISES.length} kinds of noise.`)
      .optional()
      .meta({
        description:
          'What makes it harder to explain: `fee` a charge of the bank, `merged` two payouts as one line that names neither, `late` the last movement is left to the next statement, `cut_reference` the end-to-end id of a payout is cut off, `reversed` a line booked by mistake and its reversal. What finds nothing to change is left out.',
        example: ['fee', 'late'],
      }),
  })
  .meta({ id: 'SimulateBankStatement' });

const MEDIA = 'application/xml';
/** Characters of a piece that is sent. */
const PIECE = 65_536;

const statement = simulationRoute({
  path: '/v1/simulations/bank_statements',
  operation: 'simulateBankStatement',
  summary: "Simulate a bank's statement",
  description:
    'The sandbox writes a camt.053 of what its rail paid and got back, what its acquirer settled, and what simulations let arrive, in the currency of the bank account and since its opening: at most 5,000 movements, oldest first. Each stands on one statement, and a statement opens where the one before it closed. `npm run reconcile` takes the file. The same Idempotency-Key gets the same file again.',
  idempotency: 'optional',
  body: simulateBankStatement,
  bodyExample: { bank_account: exampleId('bankAccount'), noise: ['fee', 'late'] },
  responses: { 201: { description: 'The file.', schema: z.string(), files: [MEDIA], isFile: true } },
  errors: ['resource_not_found', 'state_conflict', 'service_unavailable'],
  async handle(request) {
    const { body, principal, requestId } = request;
    const command = askStatement({
      ...{ bookId: principal.bookId, bankAccountId: body.bank_account, on: body.on, noise: body.noise ?? [] },
      ...{ requestId, actor: actorOf(principal) },
    });
    return withFile(request, await runCommand(request, command));
  },
  replay: (request, answer) => withFile(request, storedAnswer(answer)),
});

/** The file in place of what is kept under the key. */
async function withFile(request: RouteRequest, kept: RouteAnswer): Promise<RouteAnswer> {
  if (kept.status !== 201) return kept;
  const { principal, requestId, idempotencyKey, runtime } = request;
  const { bookId } = principal;
  const asked = JSON.parse(kept.text!) as AskedStatement;
  const key = idempotencyKey === null ? requestId : `${bookId} ${idempotencyKey}`;
  const { number, file } = await writeStatement(runtime, { bookId, key, asked });
  const name = `statement-${number}.xml`;
  const headers = kept.replayed ? ['Idempotent-Replayed', 'true'] : [];
  return { status: 201, headers, file: { contentType: `${MEDIA}; charset=utf-8`, name, content: inPieces(file) } };
}

async function* inPieces(text: string): AsyncGenerator<string> {
  for (let from = 0; from < text.length; from += PIECE) yield text.slice(from, from + PIECE);
}

export const bankStatementSimulationRoutes = routesSince('0.4.0', [statement]);
