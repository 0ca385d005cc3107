/** Looks a destination up before it is paid. */
import { z } from 'zod';
import { isLive } from '../../../api/answers.ts';
import { route, routesSince } from '../../../api/route.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { formatInstantOrNull } from '../../../values/clock.ts';
import type { CliqInput } from '../cliq.ts';
import type { IbanInput } from '../iban.ts';
import { resolveDestination } from '../resolve-destination.ts';
import type { WalletInput } from '../wallet.ts';
import { inputOf, resolvableRequest } from './destination-schemas.ts';

const resolveBody = z.strictObject({ destination: resolvableRequest }).meta({ id: 'ResolveDestination' });

const nameMasked = z
  .string()
  .nullable()
  .meta({ description: 'Masked by the rail; null where it tells none.', example: 'S***** P****' });

const resolution = z
  .object({
    object: z.literal('destination_resolution'),
    livemode: shown.livemode,
    name_masked: nameMasked,
    providers: z.array(z.string()).meta({
      description: 'Where the alias is registered with several. Name one of them, and send the request again.',
    }),
    verification: z
      .object({
        result: shown.oneOf(['match', 'close_match', 'no_match', 'unavailable'], {
          description:
            'Whether the name that was given is that of the account. Whatever it is, a payout is still possible.',
        }),
        name_masked: nameMasked,
      })
      .nullable()
      .meta({ description: 'Null where no name was given.' }),
    resolution: z.string().nullable().meta({
      description:
        'For `destination.resolution` of a payout to the same destination: it pins the account that was found. Null where an alias leads to no single account, and for what is no alias.',
    }),
    expires_at: shown.time('Until when the resolution holds.').nullable(),
  })
  .meta({ id: 'DestinationResolution', description: 'What a rail found behind a destination.' });

const resolve = route({
  method: 'post',
  path: '/v1/payouts/resolve',
  operation: 'resolveDestination',
  tag: 'Payouts',
  summary: 'Look up a destination',
  description:
    'Asks the rails that may carry a payout there: who is behind an alias, whether a name is that of an account. Nothing moves. At most 10 a second.',
  scope: 'payouts:write',
  readsOnly: true,
  isLookup: true,
  body: resolveBody,
  bodyExample: { destination: { type: 'cliq', alias: 'SHOP1' } },
  responses: { 200: { description: 'What was found.', schema: resolution } },
  errors: ['alias_not_found', 'rail_unavailable', 'card_number_not_allowed'],
  async handle({ runtime, principal, body }) {
    const destination = inputOf(body.destination) as CliqInput | IbanInput | WalletInput;
    const { bookId, mode } = principal;
    const found = await resolveDestination(runtime, { bookId, mode, destination });
    const { nameMasked: name_masked, verification: result, expiresAt } = found;
    return {
      status: 200,
      json: {
        object: 'destination_resolution',
        livemode: isLive(principal),
        name_masked,
        providers: found.providers,
        verification: result && { result, name_masked },
        resolution: found.resolution,
        expires_at: formatInstantOrNull(expiresAt),
      },
    };
  },
});

export const resolveRoutes = routesSince('0.4.0', [resolve]);
