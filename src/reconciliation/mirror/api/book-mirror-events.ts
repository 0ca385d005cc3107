import { eventsOf } from '../../../api/event-document.ts';
import { bookMirrorApi } from './book-mirror-routes.ts';

export const bookMirrorEvents = eventsOf(bookMirrorApi, {
  summary: { 'book_mirror.posted': 'A pool was mirrored' },
  when: { 'book_mirror.posted': "Lines of a book's pool account, of one day, were booked in the operator's book." },
});
