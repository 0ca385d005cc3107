import { type EventDocument, eventsOf } from '../../../api/event-document.ts';
import { TEST_EVENT } from '../endpoint.ts';
import { endpointApi } from './webhook-routes.ts';

const ofEndpoint = eventsOf(endpointApi, {
  summary: {
    'webhook_endpoint.disabled': 'A webhook endpoint was disabled',
    'webhook_endpoint.secret_rotated': 'A webhook endpoint has a new secret',
  },
  when: {
    'webhook_endpoint.disabled':
      'An endpoint was disabled: on request, because it answered 410, or because nothing arrived for days. The endpoint itself does not get this event.',
    'webhook_endpoint.secret_rotated': 'An endpoint has a new secret; the one before signs beside it for a while.',
  },
});

const isTest = (name: string) => name === TEST_EVENT;

export const endpointEvents: EventDocument = {
  ...ofEndpoint,
  names: ofEndpoint.names.filter((name) => !isTest(name)),
};

export const testEvents: EventDocument = {
  names: ofEndpoint.names.filter(isTest),
  object: ofEndpoint.object,
  schemaName: 'WebhookTestEvent',
  summary: { [TEST_EVENT]: 'A test event was asked for' },
  when: {
    [TEST_EVENT]:
      'Somebody asked for a test event (`POST /v1/webhooks/{id}/test`). The endpoint alone gets it, whatever its filter.',
  },
};
