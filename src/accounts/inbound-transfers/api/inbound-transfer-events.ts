import { eventsOf } from '../../../api/event-document.ts';
import { inboundTransferApi } from './inbound-transfer-routes.ts';

export const inboundTransferEvents = eventsOf(inboundTransferApi, {
  summary: {
    'inbound_transfer.received': 'A transfer arrived',
    'inbound_transfer.returned': 'A transfer was taken back',
  },
  when: {
    'inbound_transfer.received':
      'Money arrived from outside, and is on its account. `account.updated` of the account stands beside it.',
    'inbound_transfer.returned':
      'The bank took back what it had credited. The account may be below its floor by it: the entry is `floor_overridden` then, and an exception `recalled_below_zero` is open.',
  },
});
