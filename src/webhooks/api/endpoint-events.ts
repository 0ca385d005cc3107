import type { EventDocument } from '../../api/event-document.ts';
import { TEST_EVENT } from '../endpoint.ts';
import { declaredEndpoint } from '../index.ts';
import { webhook } from './webhook-schemas.ts';

const isTest = (name: string) => name === TEST_EVENT;
const shown = { object: webhook, schemaName: 'WebhookEndpointEvent' };

export const endpointEvents: EventDocument = {
  ...shown,
  names: declaredEndpoint.events.filter((name) => !isTest(name)),
};

export const testEvents: EventDocument = { ...shown, names: declaredEndpoint.events.filter(isTest) };
