import { describe, expect, test } from 'vitest';
import {
  createdAtFilter,
  currencyFilter,
  externalIdFilter,
  listAnswer,
  listQuery,
  metadataFilter,
  oneOrMore,
} from '../../../src/api/pages.ts';
import { fieldErrorsOf } from '../../../src/http/input/field-errors.ts';
import { parameterName, parseQuery } from '../../../src/http/input/query-string.ts';
import { newId, publicId } from '../../../src/values/ids.ts';

const schema = listQuery('payout', {
  status: oneOrMore(['pending', 'paid', 'failed'], 'States.'),
  created_at: createdAtFilter,
  metadata: metadataFilter,
  external_id: externalIdFilter,
  currency: currencyFilter,
});

function read(text: string) {
  const { query } = parseQuery(`/x?${text}`);
  const result = schema.safeParse(query);
  if (result.success) return { query: result.data };
  const refused = fieldErrorsOf(result.error, { schema, input: query }, parameterName);
  return { faults: refused.map(({ code, param }) => `${code} ${param}`) };
}

const id = newId();
const payout = publicId('payout', id);

describe('a list query', () => {
  test.each`
    text                                              | query
    ${''}                                             | ${{ limit: 20 }}
    ${'limit=1'}                                      | ${{ limit: 1 }}
    ${'limit=100'}                                    | ${{ limit: 100 }}
    ${`starting_after=${payout}`}                     | ${{ limit: 20, starting_after: id }}
    ${`ending_before=${payout}`}                      | ${{ limit: 20, ending_before: id }}
    ${'status=paid'}                                  | ${{ limit: 20, status: ['paid'] }}
    ${'status[]=paid'}                                | ${{ limit: 20, status: ['paid'] }}
    ${'status[]=paid&status[]=failed'}                | ${{ limit: 20, status: ['paid', 'failed'] }}
    ${'status=paid,failed'}                           | ${{ limit: 20, status: ['paid', 'failed'] }}
    ${'status=paid&status=failed&status=paid'}        | ${{ limit: 20, status: ['paid', 'failed'] }}
    ${'created_at[gte]=2026-03-01T00:00:00Z'}         | ${{ limit: 20, created_at: { gte: Date.UTC(2026, 2, 1) } }}
    ${'created_at[lt]=2026-03-01T00:00:00.5%2B03:00'} | ${{ limit: 20, created_at: { lt: Date.UTC(2026, 1, 28, 21, 0, 0, 500) } }}
    ${'metadata[order]=77&metadata[a.b]=x%26y'}       | ${{ limit: 20, metadata: { order: '77', 'a.b': 'x&y' } }}
    ${'external_id=inv-17&currency=JOD'}              | ${{ limit: 20, external_id: 'inv-17', currency: 'JOD' }}
  `('$text is read', ({ text, query }) => {
    expect(JSON.parse(JSON.stringify(read(text).query))).toEqual(query);
  });

  test.each`
    text                                                  | fault
    ${'limit=0'}                                          | ${'parameter_invalid limit'}
    ${'limit=101'}                                        | ${'parameter_invalid limit'}
    ${'limit=1e1'}                                        | ${'parameter_invalid limit'}
    ${'limit='}                                           | ${'parameter_invalid limit'}
    ${'limit=1&limit=2'}                                  | ${'parameter_invalid limit'}
    ${'limit[]=1'}                                        | ${'parameter_invalid limit'}
    ${'starting_after[]=po_1'}                            | ${'parameter_invalid starting_after'}
    ${'created_at[]=2026-03-01T00:00:00Z'}                | ${'parameter_invalid created_at'}
    ${'metadata[]=x'}                                     | ${'parameter_invalid metadata'}
    ${'status[]=open'}                                    | ${'parameter_invalid status'}
    ${'limit[x]=1'}                                       | ${'parameter_invalid limit'}
    ${'starting_after=po_1'}                              | ${'cursor_invalid starting_after'}
    ${`starting_after=${publicId('account', id)}`}        | ${'cursor_invalid starting_after'}
    ${'ending_before='}                                   | ${'cursor_invalid ending_before'}
    ${`starting_after=${payout}&ending_before=${payout}`} | ${'parameter_invalid ending_before'}
    ${'status=open'}                                      | ${'parameter_invalid status'}
    ${'status=paid,'}                                     | ${'parameter_invalid status'}
    ${'status[x]=paid'}                                   | ${'parameter_invalid status'}
    ${'created_at=2026-03-01'}                            | ${'parameter_invalid created_at'}
    ${'created_at[gte]=2026-03-01'}                       | ${'parameter_invalid created_at[gte]'}
    ${'created_at[gte]=2026-02-30T00:00:00Z'}             | ${'parameter_invalid created_at[gte]'}
    ${'created_at[gt]=2026-03-01T00:00:00Z'}              | ${'parameter_unknown created_at[gt]'}
    ${'metadata[order]=1&metadata[order]=2'}              | ${'parameter_invalid metadata[order]'}
    ${'metadata=1'}                                       | ${'parameter_invalid metadata'}
    ${'external_id='}                                     | ${'parameter_invalid external_id'}
    ${'currency=jod'}                                     | ${'currency_unsupported currency'}
    ${'page=2'}                                           | ${'parameter_unknown page'}
    ${'foo[bar]=2'}                                       | ${'parameter_unknown foo'}
  `('$text is refused: $fault', ({ text, fault }) => {
    expect(read(text).faults).toEqual([fault]);
  });
});

test.each`
  ids           | hasMore  | backwards | next
  ${['c', 'b']} | ${true}  | ${false}  | ${'b'}
  ${['c', 'b']} | ${false} | ${false}  | ${null}
  ${['c', 'b']} | ${true}  | ${true}   | ${'c'}
  ${[]}         | ${false} | ${false}  | ${null}
`('a page of $ids (more: $hasMore, backwards: $backwards) reads on at $next', ({ ids, hasMore, backwards, next }) => {
  const data = (ids as string[]).map((one) => ({ id: one }));
  expect(listAnswer({ data, hasMore, backwards, url: '/v1/x', cursorOf: (item) => item.id })).toEqual({
    object: 'list',
    data,
    has_more: hasMore,
    next_cursor: next,
    url: '/v1/x',
  });
});
