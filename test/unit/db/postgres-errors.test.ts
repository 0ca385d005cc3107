import { describe, expect, test } from 'vitest';
import { CommitUnconfirmed, classifyFailure, RowCountMismatch } from '../../../src/db/postgres-errors.ts';

const failure = (code: string, message = 'failed') => Object.assign(new Error(message), { code });

describe('classifying an error of Postgres', () => {
  test.each`
    code       | kind           | what
    ${'08000'} | ${'transient'} | ${'connection exception'}
    ${'08006'} | ${'transient'} | ${'connection failure'}
    ${'40001'} | ${'transient'} | ${'serialization failure'}
    ${'40P01'} | ${'transient'} | ${'deadlock'}
    ${'53100'} | ${'transient'} | ${'disk full'}
    ${'53300'} | ${'transient'} | ${'too many connections'}
    ${'57014'} | ${'transient'} | ${'statement timeout'}
    ${'57P01'} | ${'transient'} | ${'terminated by an administrator'}
    ${'57P03'} | ${'transient'} | ${'starting up'}
    ${'58030'} | ${'transient'} | ${'input or output error'}
    ${'25006'} | ${'transient'} | ${'read-only transaction'}
    ${'25P02'} | ${'transient'} | ${'in a failed transaction: what failed it came before'}
    ${'25P03'} | ${'transient'} | ${'idle in transaction for too long'}
    ${'55P03'} | ${'transient'} | ${'lock not available'}
    ${'22001'} | ${'refused'}   | ${'value too long'}
    ${'22021'} | ${'refused'}   | ${'NUL in a text'}
    ${'22P02'} | ${'refused'}   | ${'no value of its type'}
    ${'23503'} | ${'refused'}   | ${'foreign key'}
    ${'23505'} | ${'refused'}   | ${'unique'}
    ${'23514'} | ${'refused'}   | ${'check'}
    ${'42501'} | ${'refused'}   | ${'privilege'}
    ${'42P01'} | ${'refused'}   | ${'no such table'}
    ${'25001'} | ${'other'}     | ${'a transaction is active already'}
    ${'28P01'} | ${'other'}     | ${'wrong password'}
    ${'3D000'} | ${'other'}     | ${'no such database'}
    ${'55000'} | ${'other'}     | ${'not in the state it must be in'}
    ${'XX000'} | ${'other'}     | ${'internal error'}
  `('$code ($what) is $kind', ({ code, kind }) => {
    expect(classifyFailure(failure(code))).toBe(kind);
  });
});

describe('classifying an error of the connection', () => {
  test.each(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN'])(
    '%s is transient',
    (code) => {
      expect(classifyFailure(failure(code))).toBe('transient');
    },
  );

  test.each([
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'Query read timeout',
    'Client has encountered a connection error and is not queryable',
  ])('the driver\'s message "%s" is transient', (message) => {
    expect(classifyFailure(new Error(message))).toBe('transient');
  });

  test('an aggregate of several addresses is transient if one of them is', () => {
    expect(classifyFailure(new AggregateError([failure('ECONNREFUSED'), failure('EACCES')]))).toBe('transient');
    expect(classifyFailure(new AggregateError([failure('EACCES')]))).toBe('other');
  });
});

test.each<[string, unknown, string]>([
  ['a COMMIT that was answered ROLLBACK', new CommitUnconfirmed('ROLLBACK'), 'transient'],
  ['a row that was not written', new RowCountMismatch({ statement: 's', expected: 1 }), 'other'],
  ['a bug', new TypeError('x is undefined'), 'other'],
  ['no error at all', 'thrown text', 'other'],
])('%s', (_, error, kind) => {
  expect(classifyFailure(error)).toBe(kind);
});
