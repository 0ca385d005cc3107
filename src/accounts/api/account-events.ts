import type { EventDocument } from '../../api/event-document.ts';
import { declaredAccount } from '../index.ts';
import { account } from './account-schemas.ts';

export const accountEvents: EventDocument = {
  names: declaredAccount.events,
  object: account,
  schemaName: 'AccountEvent',
};
