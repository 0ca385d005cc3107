import { describe, expect, test } from 'vitest';
import { EVENT_NAMES } from '../../../src/ledger/events/event-names.ts';
import { newId } from '../../../src/values/ids.ts';
import {
  ENDPOINT_TRANSITIONS,
  type EndpointStatus,
  endpointActions,
  subscriberOf,
} from '../../../src/webhooks/endpoints/endpoint.ts';
import {
  compileEventFilters,
  EVENT_FILTERS,
  EVENT_FILTERS_MAX,
  expandEventFilters,
  isEventFilter,
} from '../../../src/webhooks/events/event-filter.ts';

test.each`
  filters                                | event                                | passes
  ${['payout.paid']}                     | ${'payout.paid'}                     | ${true}
  ${['payout.paid']}                     | ${'payout.failed'}                   | ${false}
  ${['payout.*']}                        | ${'payout.returned'}                 | ${true}
  ${['payout.*']}                        | ${'payout_batch.created'}            | ${false}
  ${['payout.*', 'account.frozen']}      | ${'account.frozen'}                  | ${true}
  ${['payout.*', 'account.frozen']}      | ${'account.closed'}                  | ${false}
  ${['*']}                               | ${'statement.ready'}                 | ${true}
  ${['hold.*', '*']}                     | ${'webhook_endpoint.disabled'}       | ${true}
  ${['card.*']}                          | ${'card_token.suspended'}            | ${false}
  ${['reconciliation.exception_opened']} | ${'exception.opened'}                | ${true}
  ${['reconciliation.exception_opened']} | ${'exception.resolved'}              | ${false}
  ${['reconciliation.*']}                | ${'exception.resolved'}              | ${true}
  ${['reconciliation.*']}                | ${'exception.updated'}               | ${false}
  ${['exception.*']}                     | ${'reconciliation.exception_opened'} | ${true}
  ${['exception.opened']}                | ${'reconciliation.exception_opened'} | ${true}
  ${['exception.updated']}               | ${'exception.opened'}                | ${false}
`('$filters passes $event: $passes', ({ filters, event, passes }) => {
  expect(compileEventFilters(filters)(event)).toBe(passes);
});

test.each`
  text              | isFilter
  ${'*'}            | ${true}
  ${'payout.*'}     | ${true}
  ${'payout.paid'}  | ${true}
  ${'payout.payed'} | ${false}
  ${'payouts.*'}    | ${false}
  ${'payout.'}      | ${false}
  ${'payout'}       | ${false}
  ${'*.paid'}       | ${false}
  ${''}             | ${false}
  ${'toString'}     | ${false}
`('"$text" is a filter: $isFilter', ({ text, isFilter }) => {
  expect(isEventFilter(text)).toBe(isFilter);
});

describe('the event names', () => {
  test('are unique, in groups, and all fit into one filter', () => {
    expect(new Set(EVENT_NAMES).size).toBe(EVENT_NAMES.length);
    expect(EVENT_NAMES.every((name) => /^[a-z_]+\.[a-z_]+$/.test(name))).toBe(true);
    expect(EVENT_NAMES).toContain('payout.paid');
    expect(EVENT_FILTERS.size).toBeLessThanOrEqual(EVENT_FILTERS_MAX);
  });

  test('a group expands to its names, and * to all names', () => {
    expect(expandEventFilters(['dispute.*', 'dispute.won'])).toEqual([
      'dispute.opened',
      'dispute.evidence_due_soon',
      'dispute.evidence_submitted',
      'dispute.accepted',
      'dispute.won',
      'dispute.lost',
      'dispute.escalated',
    ]);
    expect(expandEventFilters(['*'])).toEqual(EVENT_NAMES);
    expect(expandEventFilters(['nothing.at_all'])).toEqual([]);
  });
});

describe('an endpoint as a subscriber', () => {
  const id = newId();
  const other = newId();

  test.each`
    events              | event                                | object   | wants
    ${['payout.*']}     | ${'payout.paid'}                     | ${other} | ${true}
    ${['payout.*']}     | ${'account.created'}                 | ${other} | ${false}
    ${['payout.*']}     | ${'webhook.test'}                    | ${id}    | ${true}
    ${['*']}            | ${'webhook.test'}                    | ${other} | ${false}
    ${['webhook.test']} | ${'webhook.test'}                    | ${other} | ${false}
    ${['*']}            | ${'webhook_endpoint.disabled'}       | ${other} | ${true}
    ${['*']}            | ${'webhook_endpoint.disabled'}       | ${id}    | ${false}
    ${['*']}            | ${'webhook_endpoint.secret_rotated'} | ${id}    | ${true}
  `('with $events wants $event of another object or its own: $wants', ({ events, event, object, wants }) => {
    expect(subscriberOf({ id, events }).wants(event, object)).toBe(wants);
  });
});

test('an action is offered exactly where its status transition is allowed', () => {
  const leadsTo = { enable: 'enabled', disable: 'disabled', delete: 'deleted' } as const;
  for (const status of Object.keys(ENDPOINT_TRANSITIONS) as EndpointStatus[]) {
    for (const [action, target] of Object.entries(leadsTo)) {
      expect(endpointActions({ status }).includes(action as 'enable'), `${status}: ${action}`).toBe(
        ENDPOINT_TRANSITIONS[status].includes(target),
      );
    }
  }
});
