import { eventsOf } from '../../../api/event-document.ts';
import { reportApi } from './report-routes.ts';

export const reportEvents = eventsOf(reportApi, {
  summary: { 'report.succeeded': 'A report was written' },
  when: { 'report.succeeded': 'Its file is whole, and can be downloaded.' },
});
