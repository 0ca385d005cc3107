import type { Resource, Shown } from '../ledger/rows/resource.ts';
import { ENDPOINT_TRANSITIONS, endpointActions, endpointView, type WebhookEndpoint } from './endpoint.ts';
import { webhookEndpoints } from './endpoint-table.ts';

export const endpointResource: Resource<WebhookEndpoint, Shown> = {
  name: 'webhook_endpoint',
  noun: 'endpoint',
  idKind: 'webhookEndpoint',
  table: webhookEndpoints,
  changed: (endpoint, change) => ({ ...endpoint, ...change }),
  transitions: ENDPOINT_TRANSITIONS,
  allowedActions: endpointActions,
  whyNot: ({ status }, action) => `An endpoint that is ${status} does not allow ${action}.`,
  isGone: ({ status }) => status === 'deleted',
  view: (endpoint, { livemode, wall }) => endpointView(endpoint, { livemode, wall }),
};
