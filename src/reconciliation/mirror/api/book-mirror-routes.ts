/** What of all books is mirrored in the operator's. */

import { apiOf } from '../../../api/api-resource.ts';
import { listRoute, readRoute } from '../../../api/read-routes.ts';
import { routesSince } from '../../../api/route.ts';
import { reference } from '../../../api/schemas/fields.ts';
import { bookMirrorResource } from '../book-mirror-resource.ts';
import { listBookMirrors } from '../book-mirror-table.ts';
import * as schemas from './book-mirror-schemas.ts';

export const bookMirrorApi = apiOf(bookMirrorResource, {
  path: '/v1/transactions/book_mirrors',
  tag: 'Reconciliation',
  type: 'BookMirror',
  names: { types: 'BookMirrors', one: 'a mirrored range', many: 'mirrored ranges' },
  schema: schemas.bookMirror,
  scopes: { read: 'reconciliations:read' },
});

const list = listRoute(bookMirrorApi, {
  filters: { book: reference('book', 'Ranges of this book.').optional() },
  rows: (db, { bookId, query, page }) => listBookMirrors(db, { bookId, ofBook: query.book }, page),
});

export const bookMirrorRoutes = routesSince('0.4.0', [list, readRoute(bookMirrorApi)]);
