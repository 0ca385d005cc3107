import { expect, test } from 'vitest';
import { parameterName, parseQuery } from '../../../src/http/input/query-string.ts';

test.each`
  target                                     | query
  ${'/x'}                                    | ${{}}
  ${'/x?'}                                   | ${{}}
  ${'/x?&&'}                                 | ${{}}
  ${'/x?a=1'}                                | ${{ a: '1' }}
  ${'/x?a'}                                  | ${{ a: '' }}
  ${'/x?a=1&a=2&a=3'}                        | ${{ a: ['1', '2', '3'] }}
  ${'/x?a[]=1'}                              | ${{ a: ['1'] }}
  ${'/x?a[]=1&a[]=2'}                        | ${{ a: ['1', '2'] }}
  ${'/x?a%5B%5D=1&a=2&a[]=3'}                | ${{ a: ['1', '2', '3'] }}
  ${'/x?metadata[a[]]=1'}                    | ${{ metadata: { 'a[]': '1' } }}
  ${'/x?[]=1'}                               | ${{ '[]': '1' }}
  ${'/x?a=b=c'}                              | ${{ a: 'b=c' }}
  ${'/x?a=b+c%20d'}                          | ${{ a: 'b c d' }}
  ${'/x?created_at[gte]=1&created_at[lt]=2'} | ${{ created_at: { gte: '1', lt: '2' } }}
  ${'/x?created_at%5Bgte%5D=1'}              | ${{ created_at: { gte: '1' } }}
  ${'/x?metadata[a.b]=1&metadata[a.b]=2'}    | ${{ metadata: { 'a.b': ['1', '2'] } }}
  ${'/x?toString=1'}                         | ${{ toString: '1' }}
`('$target is read as $query', ({ target, query }) => {
  const parsed = parseQuery(target);
  expect(parsed.fieldErrors).toEqual([]);
  expect(JSON.parse(JSON.stringify(parsed.query))).toEqual(query);
});

test.each`
  target               | param
  ${'/x?a=%zz'}        | ${'a'}
  ${'/x?%zz=a'}        | ${'%zz'}
  ${'/x?a=%ED%A0%80'}  | ${'a'}
  ${'/x?a=%00'}        | ${'a'}
  ${'/x?a%00=1'}       | ${'a\u0000'}
  ${'/x?a=1&a[b]=2'}   | ${'a[b]'}
  ${'/x?a[b]=2&a=1'}   | ${'a'}
  ${'/x?a[b]=2&a[]=1'} | ${'a[]'}
  ${'/x?a[]=1&a[b]=2'} | ${'a[b]'}
`('$target has a field error at $param', ({ target, param }) => {
  expect(parseQuery(target).fieldErrors.map((fieldError) => fieldError.param)).toEqual([param]);
});

test.each(['__proto__', '__proto__[]', '__proto__[a]', 'metadata[__proto__]', 'metadata[a[__proto__]]'])(
  'nothing can be named %s',
  (name) => {
    const { query, fieldErrors } = parseQuery(`/x?${name}=1&${name}=2`);
    const refused = { code: 'parameter_unknown', param: name, detail: 'Nothing can be named __proto__.' };
    expect([Object.keys(query), fieldErrors]).toEqual([[], [refused, refused]]);
  },
);

test('a name with and without a member says so', () => {
  expect(parseQuery('/x?a=1&a[b]=2').fieldErrors[0]!.detail).toBe(
    'Given with a member in brackets and without one: only one of them can be meant.',
  );
});

test('more than 100 parameters are refused before they are read', () => {
  expect(parseQuery(`/x?${'a&'.repeat(99)}a`).query.a).toHaveLength(100);
  const { query, fieldErrors } = parseQuery(`/x?${'a=%zz&'.repeat(100)}a`);
  expect(query).toEqual({});
  expect(fieldErrors).toMatchObject([{ param: '', detail: 'The query has more than 100 parameters.' }]);
});

test('a parameter has its name as written', () => {
  expect(parameterName(['limit'])).toBe('limit');
  expect(parameterName(['status', 1])).toBe('status');
  expect(parameterName(['metadata', 'order'])).toBe('metadata[order]');
});
