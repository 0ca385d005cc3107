import { eventsOf } from '../../../api/event-document.ts';
import { acquirerReportApi } from './acquirer-report-routes.ts';

export const acquirerReportEvents = eventsOf(acquirerReportApi, {
  summary: { 'acquirer_report.posted': 'A report of an acquirer was posted' },
  when: { 'acquirer_report.posted': "It is booked in the operator's book, and a bank is to show what it pays." },
});
