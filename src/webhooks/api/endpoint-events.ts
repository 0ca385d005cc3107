import type { EventDocument } from '../../api/event-document.ts';
import { declaredEndpoint } from '../index.ts';
import { webhook } from './webhook-schemas.ts';

export const endpointEvents: EventDocument = {
  names: declaredEndpoint.events,
  object: webhook,
  schemaName: 'WebhookEndpointEvent',
};
