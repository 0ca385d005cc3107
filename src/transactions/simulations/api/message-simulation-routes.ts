/** Test mode: messages of a processor, with the references filled in. */
import type { z } from 'zod';
import { dryRunQuery } from '../../../api/dry-run.ts';
import { type Route, routesSince } from '../../../api/route.ts';
import { askedBy } from '../../../api/run-use-case.ts';
import { simulationRoute } from '../../../api/simulations.ts';
import { simulatedReference } from '../../../outside/sandboxes/simulated-reference.ts';
import * as messages from '../../recording/api/message-of-body.ts';
import { ASKED, authorizationExample, TAKEN } from '../../recording/api/message-routes.ts';
import * as schemas from '../../recording/api/message-schemas.ts';
import { takeMessage } from '../../recording/api/take-message.ts';
import type { ReceivedMessage } from '../../recording/received-message.ts';

interface References {
  readonly message_reference: string;
  readonly network_reference: string;
}

interface Simulated<Body extends z.ZodType> {
  readonly name: string;
  readonly operation: string;
  readonly summary: string;
  readonly body: Body;
  readonly bodyExample: unknown;
  /** What asks for a decision. */
  readonly isDryRunnable?: true;
  messageOf(of: messages.Of, body: z.output<Body> & References): ReceivedMessage;
}

const DESCRIPTION =
  'As the processor would send it. A `message_reference` or `network_reference` that is left out is derived from the Idempotency-Key, so a repeat names the same; without a key each request has its own.';

function simulated<Body extends z.ZodType>({ name, messageOf, isDryRunnable, ...declared }: Simulated<Body>): Route {
  return simulationRoute({
    ...declared,
    path: `/v1/simulations/${name}`,
    description: DESCRIPTION,
    ...(isDryRunnable && { query: dryRunQuery }),
    responses: isDryRunnable ? ASKED : TAKEN,
    errors: [
      ...(['amount_not_integer', 'amount_below_minimum', 'amount_above_maximum'] as const),
      ...(['currency_unsupported', 'currency_mismatch', 'resource_not_found', 'limit_exceeded'] as const),
    ],
    handle(request) {
      const asked = askedBy(request);
      const body = request.body as z.output<Body> & Partial<References>;
      const filled = {
        ...body,
        message_reference: body.message_reference ?? simulatedReference(asked, 'message_reference'),
        network_reference: body.network_reference ?? simulatedReference(asked, 'network_reference'),
      };
      return takeMessage(request, messageOf({ ...asked, purchaseId: null }, filled));
    },
  });
}

const { message_reference: _, network_reference: networkReference, ...AUTHORIZATION } = authorizationExample;
const { card, merchant, currency } = AUTHORIZATION;

export const messageSimulationRoutes: readonly Route[] = routesSince('0.4.0', [
  simulated({
    name: 'card_authorizations',
    operation: 'simulateCardAuthorization',
    summary: 'Simulate an authorization of a card',
    body: schemas.simulateAuthorization,
    bodyExample: AUTHORIZATION,
    isDryRunnable: true,
    messageOf: messages.authorizationMessage,
  }),
  simulated({
    name: 'card_increments',
    operation: 'simulateCardIncrement',
    summary: 'Simulate an increment of an authorization',
    body: schemas.simulateIncrement,
    bodyExample: { network_reference: networkReference, amount: 1_500 },
    isDryRunnable: true,
    messageOf: messages.incrementMessage,
  }),
  simulated({
    name: 'card_advices',
    operation: 'simulateCardAdvice',
    summary: 'Simulate an advice of the network',
    body: schemas.simulateAdvice,
    bodyExample: {
      ...{ card, merchant, currency },
      advice: { reason: 'stand_in', of: 'authorization', decision: 'approved', approved_amount: 4_000 },
    },
    messageOf: messages.adviceMessage,
  }),
  simulated({
    name: 'card_reversals',
    operation: 'simulateCardReversal',
    summary: 'Simulate a reversal',
    body: schemas.simulateReversal,
    bodyExample: { network_reference: networkReference },
    messageOf: messages.reversalMessage,
  }),
  simulated({
    name: 'card_clearings',
    operation: 'simulateCardClearing',
    summary: 'Simulate a clearing',
    body: schemas.simulateClearing,
    bodyExample: { network_reference: networkReference, amount: 4_000, currency },
    messageOf: messages.clearingMessage,
  }),
  simulated({
    name: 'card_forced_posts',
    operation: 'simulateCardForcedPost',
    summary: 'Simulate a clearing of what was never authorized',
    body: schemas.simulateForcedPost,
    bodyExample: { card, merchant, amount: 4_000, currency },
    messageOf: messages.clearingMessage,
  }),
  simulated({
    name: 'card_refunds',
    operation: 'simulateCardRefund',
    summary: 'Simulate a refund to a card',
    body: schemas.simulateRefund,
    bodyExample: { card, merchant, amount: 1_000, currency },
    messageOf: messages.refundMessage,
  }),
]);
