import { expect, test } from 'vitest';
import { RESOURCES } from '../../../src/groups.ts';
import { eventRoutes } from '../../../src/webhooks/events/api/event-routes.ts';
import { eventFilter } from '../../../src/webhooks/events/api/event-schemas.ts';

const listQuery = eventRoutes(RESOURCES).find(({ operation }) => operation === 'listEvents')!.query!;

test.each`
  given                | suggestion
  ${'payout.payed'}    | ${' Did you mean payout.paid?'}
  ${'payout_paid'}     | ${' Did you mean payout.paid?'}
  ${'payouts.*'}       | ${' Did you mean payout.*?'}
  ${'acount.frozen'}   | ${' Did you mean account.frozen?'}
  ${'**'}              | ${''}
  ${''}                | ${''}
  ${'weather.changed'} | ${''}
`('a filter $given is refused with the nearest:$suggestion', ({ given, suggestion }) => {
  expect(eventFilter.safeParse(given).error!.issues[0]!.message).toBe(
    `Expects the name of an event (payout.paid), a group (payout.*) or *.${suggestion}`,
  );
  expect(listQuery.safeParse({ type: ['payout.*', given] }).error!.issues[0]!.message).toBe(
    `Expects names of events (payout.paid), groups (payout.*) or *.${suggestion}`,
  );
});
