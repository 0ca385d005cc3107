/**
 * What every processor must keep to (src/processors/processor.ts), as cases that both adapters pass: a processor that breaks one would
 * make cards twice, or leave us guessing.
 */
import { describe, expect, test } from 'vitest';
import { until } from '../../../scripts/harness/until.ts';
import {
  type IssueInstruction,
  type Processor,
  type ProcessorAnswer,
  type ProcessorInstruction,
  ProcessorUnreachable,
  type ReplaceInstruction,
  type Revealed,
  RevealRefused,
  type StateInstruction,
  type UnblockPinInstruction,
} from '../../../src/processors/processor.ts';
import { newId } from '../../../src/values/ids.ts';
import { toJson } from '../../../src/values/json.ts';

export interface ProcessorUnderTest {
  processor(): Processor;
  /** The processor makes a card that was pending, and tells of it by a notice. */
  decide(originator: string, reference: string): Promise<unknown>;
  /** What a cardholder sees of what was revealed: number, expiry and code, in whatever form. */
  see(revealed: Revealed): Promise<string>;
  /** Whether the processor keeps PINs. */
  readonly keepsPins: boolean;
}

const MINUTE_MS = 60_000;
const ADDRESS = { line1: 'Rainbow Street 7', city: 'Amman', postalCode: '11183', country: 'JO' };

/** An order for a card, as the group of cards gives it. */
export function issueOf(originator: string, change: Partial<IssueInstruction> = {}, reference: string | null = null) {
  const order: IssueInstruction = {
    kind: 'issue',
    originator,
    reference: newId(),
    form: 'virtual',
    currency: 'JOD',
    cardholder: { name: 'Salma Haddad', reference, billingAddress: ADDRESS },
    shipping: null,
    state: 'active',
    orderedAt: Date.now(),
    notAfter: Date.now() + MINUTE_MS,
    ...change,
  };
  return order;
}

/** The same order for a card that follows another one. */
export function replaceOf(
  { form: _, currency: __, ...making }: IssueInstruction,
  { of, reason }: Pick<ReplaceInstruction, 'of' | 'reason'>,
): ReplaceInstruction {
  return { ...making, kind: 'replace', of, reason };
}

export function describeProcessor(name: string, { processor, decide, see, keepsPins }: ProcessorUnderTest): void {
  const originator = newId();
  const submit = (instruction: ProcessorInstruction) => processor().submit(instruction);
  const inquire = (reference: string, of = originator) => processor().inquire(of, reference);
  const issue = (change: Partial<IssueInstruction> = {}, reference: string | null = null) =>
    issueOf(originator, change, reference);
  const issued = async (change: Partial<IssueInstruction> = {}, reference: string | null = null) =>
    cardOf(await submit(issue(change, reference)));
  const cardOf = (answer: ProcessorAnswer) => {
    expect(answer).toMatchObject({ status: 'succeeded', card: { network: 'visa' } });
    return answer.card!;
  };
  const replace = (of: string, reason: ReplaceInstruction['reason'], cardholder?: string): ReplaceInstruction =>
    replaceOf(issueOf(originator, {}, cardholder), { of, reason });
  const tell = (of: string, state: StateInstruction['state'], version: number): StateInstruction => ({
    ...{ kind: 'state', originator, reference: newId(), of, state, version },
    reason: state === 'closed' ? 'requested' : null,
  });
  const unblock = (of: string, change: Partial<UnblockPinInstruction> = {}): UnblockPinInstruction => ({
    ...{ kind: 'unblock_pin', originator, reference: newId(), of, notAfter: Date.now() + MINUTE_MS },
    ...change,
  });
  const reveal = (cardReference: string, what: 'details' | 'pin' = 'details') =>
    processor().reveal({ originator, cardReference, what });
  const isOpen = (cardReference: string) =>
    reveal(cardReference).then(
      () => true,
      (error: unknown) => {
        expect(error).toMatchObject({ name: RevealRefused.name, code: 'card_closed' });
        return false;
      },
    );

  describe(`${name}: cards that are made`, () => {
    test('one reference makes one card, however often and with whatever it is sent', async () => {
      const order = issue();
      const answers = await Promise.all(Array.from({ length: 10 }, () => submit(order)));
      answers.push(await submit({ ...order, currency: 'USD', state: 'frozen' }));
      expect(new Set(answers.map((answer) => toJson(answer))).size).toBe(1);
      expect(cardOf(answers[0]!)).toMatchObject({ lastFour: expect.stringMatching(/^\d{4}$/) });
      expect(answers[0]).toMatchObject({ endToEndId: order.reference });
      expect(await inquire(order.reference)).toEqual(answers[0]);
    });

    test('a physical card is sent to an address', async () => {
      const shipping = { name: 'Salma Haddad', address: ADDRESS };
      const { cardReference } = await issued({ form: 'physical', shipping, state: 'pending_activation' });
      expect(await submit(tell(cardReference, 'active', 1))).toMatchObject({ status: 'succeeded' });
    });

    test('every card has a reference of its own, which is no card number, and no number is in an answer', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => submit(issue())));
      expect(new Set(answers.map((answer) => cardOf(answer).cardReference)).size).toBe(20);
      for (const answer of answers) {
        const [number] = /\d{16}/.exec(await see(await reveal(answer.card!.cardReference)))!;
        expect(toJson(answer)).not.toContain(number);
        expect(number.slice(-4)).toBe(answer.card!.lastFour);
      }
    });

    test('a refusal has its code, and is final', async () => {
      const order = issue({}, 'REFUSED');
      const refused = { status: 'declined', code: 'cardholder_refused' };
      expect(await submit(order)).toMatchObject(refused);
      expect(await submit({ ...order, cardholder: issue().cardholder })).toMatchObject(refused);
      expect(await inquire(order.reference)).toMatchObject(refused);
      expect((await inquire(order.reference)) as ProcessorAnswer).not.toHaveProperty('card');
    });

    test.each`
      cardholder       | status
      ${'TIMEOUT'}     | ${'succeeded'}
      ${'TIMEOUTFAIL'} | ${'declined'}
    `('an answer that is lost is found by inquiry: $cardholder is $status', async ({ cardholder, status }) => {
      const order = issue({}, cardholder);
      for (let attempt = 0; attempt < 2; attempt++)
        await expect(submit(order)).rejects.toBeInstanceOf(ProcessorUnreachable);
      const answer = await inquire(order.reference);
      expect(answer).toMatchObject({ status, endToEndId: order.reference });
      if (status === 'succeeded') cardOf(answer as ProcessorAnswer);
    });

    test('an order that is lost on its way is not found, and never will be', async () => {
      const order = issue({}, 'LOST');
      await expect(submit(order)).rejects.toBeInstanceOf(ProcessorUnreachable);
      const answer = await inquire(order.reference);
      expect(answer).toMatchObject({ status: 'not_found' });
      expect((answer as { asOf: number }).asOf).toBeGreaterThan(order.notAfter);
    });

    test('an order that is pending is made later, and a notice tells so until it is acknowledged', async () => {
      const order = issue({}, 'PENDING');
      const answer = await submit(order);
      expect(answer).toMatchObject({ status: 'pending' });
      expect(answer).not.toHaveProperty('card');
      expect(await inquire(order.reference)).toMatchObject({ status: 'pending' });
      await decide(originator, order.reference);
      cardOf((await inquire(order.reference)) as ProcessorAnswer);
      const about = async () =>
        (await processor().notices(1_000)).filter(({ endToEndId }) => endToEndId === order.reference);
      const [notice] = await until(about, (notices) => notices.length > 0);
      expect(notice).toMatchObject({ originator, kind: 'succeeded', amount: null, code: null });
      expect(notice!.reference).toBe(answer.reference);
      await processor().acknowledge([notice!.id]);
      await processor().acknowledge([notice!.id]);
      expect(await about()).toEqual([]);
    });

    test('an unknown reference is not found, and known to its originator alone', async () => {
      const unheard = newId();
      expect(await inquire(unheard)).toMatchObject({ status: 'not_found', endToEndId: unheard });
      const order = issue();
      await submit(order);
      expect(await inquire(order.reference, newId())).toMatchObject({ status: 'not_found' });
    });

    test('what comes too late makes no card', async () => {
      const order = issue({ notAfter: Date.now() - MINUTE_MS });
      expect(await submit(order)).toMatchObject({ status: 'declined', code: 'too_late' });
      expect(await inquire(order.reference)).toMatchObject({ status: 'declined', code: 'too_late' });
    });
  });

  describe(`${name}: cards that follow others`, () => {
    test.each(['lost', 'stolen'] as const)('a %s card gets another number', async (reason) => {
      const before = await issued();
      const order = replace(before.cardReference, reason);
      const after = cardOf(await submit(order));
      expect(after.cardReference).not.toBe(before.cardReference);
      expect(await numberOf(after.cardReference)).not.toBe(await numberOf(before.cardReference));
      expect(cardOf(await submit(order))).toEqual(after);
    });

    test.each(['damaged', 'renewal'] as const)('a %s card keeps its number, and expires later', async (reason) => {
      const before = await issued();
      const after = cardOf(await submit(replace(before.cardReference, reason)));
      expect(after.cardReference).not.toBe(before.cardReference);
      expect(after.lastFour).toBe(before.lastFour);
      expect(monthOf(after)).toBeGreaterThan(monthOf(before));
      expect(await numberOf(after.cardReference)).toBe(await numberOf(before.cardReference));
    });

    test('the card before stays as it is, and a closed one can be followed', async () => {
      const before = await issued();
      await submit(replace(before.cardReference, 'renewal'));
      expect(await isOpen(before.cardReference)).toBe(true);
      await submit(tell(before.cardReference, 'closed', 1));
      const after = cardOf(await submit(replace(before.cardReference, 'lost')));
      expect(await isOpen(after.cardReference)).toBe(true);
      expect(await isOpen(before.cardReference)).toBe(false);
    });

    test('a card that there is not, or of another program, is followed by none', async () => {
      const { cardReference } = await issued();
      const unknown = { status: 'declined', code: 'card_unknown' };
      expect(await submit(replace('nothing', 'lost'))).toMatchObject(unknown);
      const elsewhere = { ...replace(cardReference, 'lost'), originator: newId() };
      expect(await submit(elsewhere)).toMatchObject(unknown);
    });

    test('a cardholder who is refused gets none', async () => {
      const { cardReference } = await issued();
      const order = replace(cardReference, 'renewal', 'REFUSED');
      expect(await submit(order)).toMatchObject({ status: 'declined', code: 'cardholder_refused' });
    });
  });

  describe(`${name}: states`, () => {
    test('come in any order: the newest version counts', async () => {
      const { cardReference } = await issued();
      const [frozen, active, closed] = [
        tell(cardReference, 'frozen', 1),
        tell(cardReference, 'active', 2),
        tell(cardReference, 'closed', 3),
      ];
      for (const told of [active, frozen, active])
        expect(await submit(told)).toMatchObject({ status: 'succeeded', endToEndId: told.reference });
      expect(await isOpen(cardReference)).toBe(true);
      expect(await submit(closed)).toMatchObject({ status: 'succeeded' });
      expect(await isOpen(cardReference)).toBe(false);
      // An older one that comes late changes nothing.
      expect(await submit(tell(cardReference, 'active', 2))).toMatchObject({ status: 'succeeded' });
      expect(await isOpen(cardReference)).toBe(false);
    });

    test('closed is final', async () => {
      const { cardReference } = await issued();
      await submit(tell(cardReference, 'closed', 1));
      const later = tell(cardReference, 'active', 2);
      expect(await submit(later)).toMatchObject({ status: 'declined', code: 'card_closed' });
      expect(await inquire(later.reference)).toMatchObject({ status: 'declined', code: 'card_closed' });
      expect(await submit(tell(cardReference, 'closed', 3))).toMatchObject({ status: 'succeeded' });
      expect(await isOpen(cardReference)).toBe(false);
    });

    test('a reference changes a card once, with whatever it comes again', async () => {
      const { cardReference } = await issued();
      const told = tell(cardReference, 'active', 1);
      const answers = await Promise.all(Array.from({ length: 5 }, () => submit(told)));
      answers.push(await submit({ ...told, state: 'closed', version: 2 }));
      expect(new Set(answers.map((answer) => toJson(answer))).size).toBe(1);
      expect(await inquire(told.reference)).toEqual(answers[0]);
      expect(await isOpen(cardReference)).toBe(true);
    });

    test('of a card that there is not, or of another program, are declined', async () => {
      const { cardReference } = await issued();
      const unknown = { status: 'declined', code: 'card_unknown' };
      expect(await submit(tell('nothing', 'closed', 1))).toMatchObject(unknown);
      expect(await submit({ ...tell(cardReference, 'closed', 1), originator: newId() })).toMatchObject(unknown);
      expect(await isOpen(cardReference)).toBe(true);
    });

    test('of a TIMEOUT cardholder are carried out without an answer', async () => {
      const order = issue({}, 'TIMEOUT');
      await submit(order).catch(() => undefined);
      const { cardReference } = cardOf((await inquire(order.reference)) as ProcessorAnswer);
      const told = tell(cardReference, 'closed', 1);
      await expect(submit(told)).rejects.toBeInstanceOf(ProcessorUnreachable);
      expect(await inquire(told.reference)).toMatchObject({ status: 'succeeded' });
      expect(await isOpen(cardReference)).toBe(false);
    });

    test('of a NOCHANGES cardholder are declined', async () => {
      const { cardReference } = await issued({}, 'NOCHANGES');
      const refused = { status: 'declined', code: 'refused' };
      expect(await submit(tell(cardReference, 'closed', 1))).toMatchObject(refused);
      expect(await submit(unblock(cardReference))).toMatchObject(refused);
      expect(await isOpen(cardReference)).toBe(true);
    });
  });

  describe(`${name}: PINs and what is revealed`, () => {
    test('a PIN is unblocked, in time and of an open card', async () => {
      const { cardReference } = await issued();
      const given = unblock(cardReference);
      expect(await submit(given)).toMatchObject({ status: 'succeeded' });
      expect(await inquire(given.reference)).toMatchObject({ status: 'succeeded' });
      const late = unblock(cardReference, { notAfter: Date.now() - MINUTE_MS });
      expect(await submit(late)).toMatchObject({ status: 'declined', code: 'too_late' });
      expect(await submit(unblock('nothing'))).toMatchObject({ status: 'declined', code: 'card_unknown' });
      await submit(tell(cardReference, 'closed', 1));
      expect(await submit(unblock(cardReference))).toMatchObject({ status: 'declined', code: 'card_closed' });
    });

    test('number and code are of the card, with its expiry, and the same on every look', async () => {
      const card = await issued();
      const seen = await see(await reveal(card.cardReference));
      expect(seen).toMatch(new RegExp(`^\\d{12}${card.lastFour}, ${card.expMonth}/${card.expYear}, \\d{3}$`));
      expect(await see(await reveal(card.cardReference))).toBe(seen);
    });

    test('a card of another program, or that there is not, is not revealed', async () => {
      const { cardReference } = await issued();
      const elsewhere = () => processor().reveal({ originator: newId(), cardReference, what: 'details' });
      // One after the other: a call that fails while another one is awaited is a failure that nobody handles.
      for (const refused of [elsewhere, () => reveal('nothing')])
        await expect(refused()).rejects.toMatchObject({ name: RevealRefused.name, code: 'card_unknown' });
    });

    test(`a PIN is ${keepsPins ? 'shown on a page' : 'not kept'}`, async () => {
      const { cardReference } = await issued();
      const pin = reveal(cardReference, 'pin');
      if (keepsPins) expect(await see(await pin)).toMatch(/^PIN \d{4}$/);
      else await expect(pin).rejects.toMatchObject({ name: RevealRefused.name, code: 'pin_not_kept' });
    });
  });

  async function numberOf(cardReference: string): Promise<string> {
    return (await see(await reveal(cardReference))).slice(0, 16);
  }
}

function monthOf({ expMonth, expYear }: { expMonth: number; expYear: number }): number {
  return expYear * 12 + expMonth;
}
