import type { EventDocument } from '../../api/event-document.ts';
import { accountResource } from '../index.ts';
import { account } from './account-schemas.ts';

export const accountEvents: EventDocument = {
  names: accountResource.events,
  object: account,
  schemaName: 'AccountEvent',
};
