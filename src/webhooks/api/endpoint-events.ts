import type { EventDocument } from '../../api/event-document.ts';
import { endpointResource } from '../index.ts';
import { webhook } from './webhook-schemas.ts';

export const endpointEvents: EventDocument = {
  names: endpointResource.events,
  object: webhook,
  schemaName: 'WebhookEndpointEvent',
};
