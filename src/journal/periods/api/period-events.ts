import { eventsOf } from '../../../api/event-document.ts';
import { periodApi } from './period-routes.ts';

export const periodEvents = eventsOf(periodApi, {
  summary: {
    'period.closed': 'Days of the book are closed',
    'period.refused': 'Days of the book were not closed',
    'period.reopened': 'Closed days were opened again',
  },
  when: {
    'period.closed': 'What came since the last close is verified, and the days stay closed.',
    'period.refused': 'Verification found something, which the period names: the days are open again.',
    'period.reopened': 'Another person opened days that this period closed.',
  },
});
