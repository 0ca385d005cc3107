import { eventsOf } from '../../../api/event-document.ts';
import { holdApi } from './hold-routes.ts';

export const holdEvents = eventsOf(holdApi, {
  summary: {
    'hold.created': 'A hold was placed',
    'hold.increased': 'A hold was increased',
    'hold.released': 'A hold was released',
    'hold.expired': 'A hold expired',
    'hold.captured': 'A hold was captured',
  },
  when: {
    'hold.created': 'An amount of an account was held.',
    'hold.increased': 'A hold was increased.',
    'hold.released': 'A hold was released, whole or in part.',
    'hold.expired': 'A hold expired; what remained of it is available again.',
    'hold.captured': 'An entry took what a hold set aside, whole or in part.',
  },
});
