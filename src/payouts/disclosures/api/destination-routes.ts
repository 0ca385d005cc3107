/** Destinations in clear. */
import { z } from 'zod';
import { actorOf, isLive } from '../../../api/answers.ts';
import { route, routesSince } from '../../../api/route.ts';
import * as shown from '../../../api/schemas/shown.ts';
import type { Scope } from '../../../organisations/api-key.ts';
import { publicId } from '../../../values/ids.ts';
import { destinationClear } from '../../destinations/api/destination-schemas.ts';
import type { DestinationRead } from '../destination-read-table.ts';
import { showDestination } from '../show-destination.ts';

interface Of {
  readonly object: DestinationRead['object'];
  readonly path: string;
  readonly operation: string;
  readonly summary: string;
  readonly description: string;
  readonly scope: Scope;
}

function inClear({ object, path, operation, summary, description, scope }: Of) {
  const schema = z
    .object({
      object: z.literal(`${object}_destination`),
      livemode: shown.livemode,
      [object]: shown.id(object),
      destination: destinationClear.meta({ description: 'In clear, but for cards: no number is ever shown.' }),
    })
    .meta({
      id: object === 'payout' ? 'PayoutDestinationInClear' : 'PayeeDestinationInClear',
      description: 'A destination in clear, for this answer alone.',
    });
  return route({
    method: 'get',
    path,
    operation,
    tag: 'Payouts',
    summary,
    description: `${description} Every read is kept, with who asked and from where. Once it is erased: 409.`,
    scope,
    params: { id: object },
    responses: { 200: { description: 'For this answer alone: keep it nowhere.', schema } },
    errors: ['state_conflict'],
    async handle({ runtime, principal, params, requestId, clientAddress: address }) {
      const destination = await showDestination(runtime, {
        bookId: principal.bookId,
        requestId,
        object,
        objectId: params.id!,
        actor: actorOf(principal),
        address,
      });
      return {
        status: 200,
        json: {
          object: `${object}_destination`,
          livemode: isLive(principal),
          [object]: publicId(object, params.id!),
          destination,
        },
      };
    },
  });
}

export const destinationRoutes = routesSince('0.4.0', [
  inClear({
    object: 'payout',
    path: '/v1/payouts/:id/destination',
    operation: 'getPayoutDestination',
    summary: 'Show the destination of a payout',
    description: 'For whoever approves it.',
    scope: 'payouts:approve',
  }),
  inClear({
    object: 'payee',
    path: '/v1/payees/:id/destination',
    operation: 'getPayeeDestination',
    summary: 'Show the destination of a payee',
    description: 'For whoever pays it.',
    scope: 'payees:read',
  }),
]);
