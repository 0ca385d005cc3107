/** Which refusals of a decision are kept under an idempotency key: by type, and by the guard of once() where a type was evaded. */
import { expect, test } from 'vitest';
import { openAccount } from '../../../src/accounts/account/open-account.ts';
import { ERRORS, type ErrorCode } from '../../../src/errors/errors.ts';
import { isKept } from '../../../src/errors/kept.ts';
import type { Stored } from '../../../src/idempotency/idempotency-key.ts';
import { idempotencyKeys } from '../../../src/idempotency/idempotency-table.ts';
import { once } from '../../../src/idempotency/once.ts';
import type { Command, Refusal } from '../../../src/ledger/command/command.ts';
import { Draft } from '../../../src/ledger/command/draft.ts';
import { WITHDRAWN } from '../../../src/money/withdrawn-currencies.ts';
import { newId } from '../../../src/values/ids.ts';
import { PLAIN_FINGERPRINTS } from '../../support/fingerprints.ts';
import { MemoryBook } from '../../support/memory-book.ts';

const CODES = Object.keys(ERRORS) as ErrorCode[];

/** Under the key `k`. */
const asked = (command: Command<Stored | Refusal>) =>
  once(command, {
    key: 'k',
    fingerprint: Buffer.from('f'),
    fingerprints: PLAIN_FINGERPRINTS,
    publicUrl: 'https://api.test',
  });

function refusing(refused: ErrorCode): Command<Stored | Refusal> {
  const origin = { id: newId(), name: 'test.refuse', requestId: newId() };
  return {
    ...origin,
    touches: [],
    decide: (state, moment) => new Draft(state, origin, moment).finish({ refused: refused as Refusal['refused'] }),
  };
}

test('a decision cannot refuse with a request error, a missing right or a fault of ours', () => {
  const allowed: Refusal = { refused: 'insufficient_funds' };
  // @ts-expect-error: a status that is never kept.
  const request: Refusal = { refused: 'currency_unsupported' };
  // @ts-expect-error: likewise.
  const right: Refusal = { refused: 'permission_denied' };
  // @ts-expect-error: likewise.
  const fault: Refusal = { refused: 'service_unavailable' };
  const statusOf = ({ refused }: Refusal) => ERRORS[refused].status;
  expect([allowed, request, right, fault].map((refusal) => isKept(statusOf(refusal)))).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

test.each(CODES)('what is refused as %s is kept only if a repetition may get it again', (code) => {
  const book = new MemoryBook();
  const { status } = ERRORS[code];
  expect(book.answer(asked(refusing(code)))).toMatchObject({ status, replayed: false });
  expect(book.rows(idempotencyKeys).get('k')?.status).toBe(isKept(status) ? status : undefined);
});

test.each([...WITHDRAWN.keys()])('%s, a withdrawn currency, takes no key', (currency) => {
  const book = new MemoryBook();
  book.now = Date.parse('2026-06-01T00:00:00Z');
  const request = {
    name: 'Any',
    overdraftLimit: 0n,
    externalId: null,
    metadata: {},
    requestId: newId(),
    actor: 'test',
  };
  const open = (of: string) => book.answer(asked(openAccount({ ...request, currency: of })));
  expect(() => open(currency)).toThrow(expect.objectContaining({ code: 'currency_unsupported' }));
  expect(book.rows(idempotencyKeys).get('k')).toBeUndefined();
  expect(open('EUR')).toMatchObject({ status: 201, replayed: false });
  expect(open(currency)).toMatchObject({ status: 201, replayed: true });
});
