import type { Resource, Shown } from '../../ledger/resources/resource.ts';
import { ENDPOINT_TRANSITIONS, endpointActions, endpointView, TEST_EVENT, type WebhookEndpoint } from './endpoint.ts';
import { webhookEndpoints } from './endpoint-table.ts';

export const endpointResource: Resource<WebhookEndpoint, Shown> = {
  name: 'webhook_endpoint',
  noun: 'endpoint',
  table: webhookEndpoints,
  parent: null,
  events: ['webhook_endpoint.disabled', 'webhook_endpoint.secret_rotated', TEST_EVENT],
  books: false,
  changed: (endpoint, change) => ({ ...endpoint, ...change }),
  transitions: ENDPOINT_TRANSITIONS,
  allowedActions: endpointActions,
  whyNot: ({ status }, action) => `An endpoint that is ${status} does not allow ${action}.`,
  isGone: ({ status }) => status === 'deleted',
  view: (endpoint, { livemode, wall }) => endpointView(endpoint, { livemode, wall }),
};
