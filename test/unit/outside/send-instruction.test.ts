/** An instruction on its way: what each answer of the party leads to, and that it is never guessed. */
import { beforeEach, expect, test } from 'vitest';
import {
  inquireInstruction,
  type Sender,
  type SendOutcome,
  submitInstruction,
} from '../../../src/outside/instructions/send-instruction.ts';
import type { NotFound, Party } from '../../../src/outside/party/party.ts';
import type { Instant } from '../../../src/values/clock.ts';
import { type AcquirerAnswer, MemoryAcquirer } from '../../support/memory-acquirer.ts';

interface Payment {
  readonly endToEndId: string;
  readonly sentAt: Instant;
}

const BOOK = 'book';
const now = () => Date.now();
let acquirer: MemoryAcquirer;
let payment: Payment;
let taken: SendOutcome<AcquirerAnswer>[];

beforeEach(() => {
  acquirer = new MemoryAcquirer();
  payment = { endToEndId: 'one', sentAt: now() };
  taken = [];
});

function sender(
  given: Partial<Sender<Payment, AcquirerAnswer>> = {},
  party: Partial<Party> = {},
): Sender<Payment, AcquirerAnswer> {
  return {
    party: () => Object.assign(Object.create(acquirer), party) as Party,
    endToEndId: ({ endToEndId }) => endToEndId,
    sentAt: ({ sentAt }) => sentAt,
    submit: ({ endToEndId }, notAfter) => acquirer.authorize({ originator: BOOK, endToEndId, amount: 900n, notAfter }),
    inquire: ({ endToEndId }) => acquirer.inquire(BOOK, endToEndId),
    maySendAgain: async () => true,
    take: async (_, outcome) => void taken.push(outcome),
    ...given,
  };
}

test('an answer is taken as it came', async () => {
  await submitInstruction(sender(), payment);
  expect(taken).toMatchObject([{ call: 'submit', result: 'answer', answer: { status: 'authorized' } }]);
});

test('no answer is unknown, and an inquiry settles it', async () => {
  acquirer.next = { status: 'authorized', silent: true };
  await submitInstruction(sender(), payment);
  await inquireInstruction(sender(), payment, now);
  expect(taken).toMatchObject([
    { call: 'submit', result: 'unknown', raw: { error: 'The acquirer broke off' } },
    { call: 'inquire', result: 'answer', answer: { status: 'authorized' } },
  ]);
});

test('what the party never got is submitted again, under its id and within its first time', async () => {
  const limits: Instant[] = [];
  const { submit } = sender();
  const timed = sender({
    submit: (one, notAfter) => {
      limits.push(notAfter);
      return submit(one, notAfter);
    },
  });
  await inquireInstruction(timed, payment, now);
  expect(taken).toMatchObject([{ call: 'submit', result: 'answer', answer: { endToEndId: 'one' } }]);
  expect(limits).toEqual([payment.sentAt + acquirer.notFoundFinalAfterMs]);
});

test.each`
  why                                    | given                                  | party                    | ageMs          | never
  ${'the group may not send it again'}   | ${{ maySendAgain: async () => false }} | ${{}}                    | ${0}           | ${false}
  ${'the party promises no idempotence'} | ${{}}                                  | ${{ idempotent: false }} | ${0}           | ${false}
  ${"the party's time is over"}          | ${{}}                                  | ${{}}                    | ${16 * 60_000} | ${true}
`('is not submitted again where $why', async ({ given, party, ageMs, never }) => {
  let submitted = false;
  const { submit } = sender();
  const counted: Sender<Payment, AcquirerAnswer>['submit'] = (one, notAfter) => {
    submitted = true;
    return submit(one, notAfter);
  };
  await inquireInstruction(sender({ ...given, submit: counted }, party), { ...payment, sentAt: now() - ageMs }, now);
  expect(taken).toMatchObject([{ call: 'inquire', result: 'not_found', never }]);
  expect(submitted).toBe(false);
});

test('"not found" about another id is unknown', async () => {
  const about = { status: 'not_found', endToEndId: 'another', raw: {} } satisfies NotFound;
  await inquireInstruction(sender({ inquire: async () => about }), payment, now);
  expect(taken).toMatchObject([{ call: 'inquire', result: 'unknown' }]);
});
