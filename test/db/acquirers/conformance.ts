/**
 * What every acquirer must keep to (src/acquirers/acquirer.ts), as cases that both adapters pass: an acquirer that breaks one would
 * charge twice, or leave us guessing.
 */
import { describe, expect, test } from 'vitest';
import { until } from '../../../scripts/harness/until.ts';
import {
  type Acquirer,
  type AcquirerAnswer,
  AcquirerUnreachable,
  type AuthorizeInstruction,
  CardRefused,
  type FollowingInstruction,
} from '../../../src/acquirers/acquirer.ts';
import { newId } from '../../../src/values/ids.ts';
import { toJson } from '../../../src/values/json.ts';

export interface AcquirerUnderTest {
  acquirer(): Acquirer;
  /** What a payer makes of a challenge. The acquirer tells of it by a notice. */
  passChallenge(answer: AcquirerAnswer, options: { passed: boolean }): Promise<unknown>;
}

export const APPROVED = '4242424242424242';
const [DECLINED, UNANSWERED, LOST, CHALLENGED] = [
  '4000000000009995',
  '4000000000000705',
  '4000000000000713',
  '4000002500003155',
];
const MINUTE_MS = 60_000;

export const cardOf = (number: string, cvc: string | null = '123') => ({
  ...{ number, expMonth: 12, expYear: 2034, cvc, name: 'A. Payer' },
});

export function describeAcquirer(name: string, { acquirer, passChallenge }: AcquirerUnderTest): void {
  const originator = newId();

  const tokenOf = async (number = APPROVED, options: { originator?: string; reusable?: boolean } = {}) =>
    (await acquirer().tokenize(cardOf(number), { originator, reusable: false, ...options })).token;

  const authorization = async ({
    number,
    ...change
  }: Partial<AuthorizeInstruction> & { number?: string } = {}): Promise<AuthorizeInstruction> => ({
    kind: 'authorize',
    originator,
    reference: newId(),
    amount: 20_000n,
    currency: 'JOD',
    notAfter: Date.now() + 10 * MINUTE_MS,
    token: change.token === undefined ? await tokenOf(number) : change.token,
    request: null,
    billing: null,
    capture: false,
    initiator: 'customer',
    previousNetworkReference: null,
    returnUrl: 'https://shop.example/return',
    statementDescriptor: 'SHOP',
    ...change,
  });

  const following = (
    of: AuthorizeInstruction,
    kind: FollowingInstruction['kind'],
    change: Partial<FollowingInstruction> = {},
  ): FollowingInstruction => ({
    ...{ kind, originator, reference: newId(), of: of.reference, amount: of.amount, currency: of.currency },
    notAfter: Date.now() + 10 * MINUTE_MS,
    ...change,
  });

  const submit = (instruction: Parameters<Acquirer['submit']>[0]) => acquirer().submit(instruction);
  const inquire = (reference: string, by = originator) => acquirer().inquire(by, reference);
  const approved = async (change: Partial<AuthorizeInstruction> = {}) => {
    const given = await authorization(change);
    expect(await submit(given)).toMatchObject({ status: 'succeeded' });
    return given;
  };
  const stated = ({ amount, currency }: { amount: bigint; currency: string }) => ({ confirmed: { amount, currency } });

  describe(`${name}: cards`, () => {
    test('a number becomes a token, and the answer has no more of it than may be shown', async () => {
      const { token, card } = await acquirer().tokenize(cardOf(APPROVED), { originator, reusable: true });
      expect(card).toEqual({
        ...{ brand: 'visa', lastFour: '4242', expMonth: 12, expYear: 2034, funding: 'credit', country: 'US' },
      });
      expect(toJson({ token, card })).not.toContain(APPROVED);
    });

    test('a number that it does not know is refused', async () => {
      await expect(tokenOf('4111111111111111')).rejects.toBeInstanceOf(CardRefused);
    });

    test('a reusable token shows its card to its owner alone', async () => {
      const [mine, once] = [await tokenOf(APPROVED, { reusable: true }), await tokenOf()];
      expect(await acquirer().cardOf(mine, { originator })).toMatchObject({ lastFour: '4242', brand: 'visa' });
      for (const [token, by] of [
        [once, originator] as const,
        [mine, newId()] as const,
        ['nothing', originator] as const,
      ])
        await expect(acquirer().cardOf(token, { originator: by })).rejects.toBeInstanceOf(CardRefused);
    });

    test('a token of another originator pays nothing, verifies nothing, and gets no code', async () => {
      const other = await tokenOf(APPROVED, { originator: newId(), reusable: true });
      const given = await authorization({ token: other });
      expect(await submit(given)).toMatchObject({ status: 'declined', endToEndId: given.reference });
      await expect(acquirer().verify(other, { originator })).rejects.toBeInstanceOf(CardRefused);
      await expect(acquirer().withCode(other, '123', { originator })).rejects.toBeInstanceOf(CardRefused);
    });

    test('a one-time token pays once', async () => {
      const { token } = await approved();
      expect(await submit(await authorization({ token }))).toMatchObject({ status: 'declined' });
    });

    test('a reusable token pays again, and checks a code only where it is given one', async () => {
      const token = (await acquirer().tokenize(cardOf(APPROVED, null), { originator, reusable: true })).token;
      for (const expected of [null, null])
        expect((await submit(await authorization({ token }))).authorization?.cvc ?? null).toBe(expected);
      const coded = await acquirer().withCode(token, '123', { originator });
      expect(await submit(await authorization({ token: coded }))).toMatchObject({ authorization: { cvc: 'match' } });
    });

    test('a card is verified without a charge', async () => {
      expect(await acquirer().verify(await tokenOf(), { originator })).toMatchObject({
        ...{ status: 'succeeded', networkCode: '00', networkReference: expect.any(String) },
      });
      const declined = await acquirer().verify(await tokenOf(DECLINED), { originator });
      expect(declined).toMatchObject({ status: 'declined', code: 'insufficient_funds', networkCode: '51' });
      await expect(acquirer().verify(await tokenOf(UNANSWERED), { originator })).rejects.toBeInstanceOf(
        AcquirerUnreachable,
      );
    });
  });

  describe(`${name}: authorizations`, () => {
    test('one reference has one answer, however often and with whatever it is sent', async () => {
      const given = await authorization({ capture: true });
      const answers = await Promise.all(Array.from({ length: 10 }, () => submit(given)));
      answers.push(await submit({ ...given, amount: given.amount + 1n }));
      expect(new Set(answers.map((answer) => toJson(answer))).size).toBe(1);
      expect(answers[0]).toMatchObject({ status: 'succeeded', endToEndId: given.reference, ...stated(given) });
      expect(answers[0]!.authorization).toMatchObject({ code: expect.stringMatching(/^.{6}$/), network: 'visa' });
      expect(await inquire(given.reference)).toEqual(answers[0]);
    });

    test('a decline has its code, and is no success afterwards', async () => {
      const given = await authorization({ number: DECLINED! });
      const declined = { status: 'declined', code: 'insufficient_funds', networkCode: '51' };
      expect(await submit(given)).toMatchObject(declined);
      expect(await inquire(given.reference)).toMatchObject(declined);
      expect(await submit(following(given, 'capture'))).toMatchObject({ status: 'declined' });
    });

    test('an unknown reference is not found, and known to its originator alone', async () => {
      const unheard = newId();
      expect(await inquire(unheard)).toMatchObject({ status: 'not_found', endToEndId: unheard });
      const { reference } = await approved();
      expect(await inquire(reference, newId())).toMatchObject({ status: 'not_found' });
    });

    test('an answer that is lost is found by inquiry', async () => {
      const given = await authorization({ number: UNANSWERED!, capture: true });
      await expect(submit(given)).rejects.toBeInstanceOf(AcquirerUnreachable);
      expect(await inquire(given.reference)).toMatchObject({ status: 'succeeded', ...stated(given) });
    });

    test('an instruction that is lost on its way is not found, and never will be', async () => {
      const given = await authorization({ number: LOST! });
      await expect(submit(given)).rejects.toBeInstanceOf(AcquirerUnreachable);
      const answer = await inquire(given.reference);
      expect(answer).toMatchObject({ status: 'not_found' });
      expect((answer as { asOf: number }).asOf).toBeGreaterThan(given.notAfter);
    });

    test('what comes too late moves nothing', async () => {
      const given = await authorization({ notAfter: Date.now() - MINUTE_MS, capture: true });
      expect(await submit(given)).toMatchObject({ status: 'declined', code: 'processing_error' });
      expect(await submit(following(given, 'refund'))).toMatchObject({ status: 'declined' });
    });

    test("an amount beyond a double's digits keeps them all", async () => {
      const given = await authorization({ amount: 9_007_199_254_740_993n });
      expect(await submit(given)).toMatchObject({ status: 'succeeded', confirmed: { amount: 9_007_199_254_740_993n } });
    });

    test('a challenge leads the payer to a page, and its outcome is told and found', async () => {
      for (const passed of [true, false]) {
        const given = await authorization({ number: CHALLENGED! });
        const answer = await submit(given);
        expect(answer).toMatchObject({ status: 'requires_action', challenge: { url: expect.stringMatching(/^http/) } });
        expect(answer.challenge!.expiresAt).toBeGreaterThan(Date.now());
        await passChallenge(answer, { passed });
        expect(await inquire(given.reference)).toMatchObject(
          passed ? { status: 'succeeded', ...stated(given) } : { status: 'declined', code: 'authentication_failed' },
        );
        const [notice] = await noticesAbout(given.reference);
        expect(notice).toMatchObject({
          ...{ originator, endToEndId: given.reference, kind: passed ? 'succeeded' : 'declined', ...stated(given) },
        });
        await acquirer().acknowledge([notice!.id]);
      }
    });

    test("a merchant's own payment is never challenged", async () => {
      const given = await authorization({ number: CHALLENGED!, initiator: 'merchant' });
      expect(await submit(given)).toMatchObject({ status: 'succeeded' });
    });
  });

  describe(`${name}: what follows an authorization`, () => {
    test('captures in parts, and never more than is authorized', async () => {
      const of = await approved();
      const first = following(of, 'capture', { amount: 15_000n });
      expect(await submit(first)).toMatchObject({ status: 'succeeded', ...stated(first) });
      expect(await submit(first)).toMatchObject({ status: 'succeeded', ...stated(first) });
      expect(await submit(following(of, 'capture', { amount: 5_001n }))).toMatchObject({ status: 'declined' });
      expect(await submit(following(of, 'capture', { amount: 5_000n }))).toMatchObject({ status: 'succeeded' });
      expect(await submit(following(of, 'capture', { amount: 1n }))).toMatchObject({ status: 'declined' });
    });

    test('a final capture gives up the rest', async () => {
      const of = await approved();
      expect(await submit(following(of, 'capture', { amount: 1n, final: true }))).toMatchObject({
        status: 'succeeded',
      });
      expect(await submit(following(of, 'capture', { amount: 1n }))).toMatchObject({ status: 'declined' });
    });

    test('an increment makes more capturable; it names the new total', async () => {
      const of = await approved();
      const larger = following(of, 'increment', { amount: 30_000n });
      expect(await submit(larger)).toMatchObject({ status: 'succeeded', ...stated(larger) });
      expect(await submit(following(of, 'increment', { amount: 30_000n }))).toMatchObject({ status: 'declined' });
      expect(await submit(following(of, 'capture', { amount: 30_000n }))).toMatchObject({ status: 'succeeded' });
    });

    test('a void gives up what is authorized', async () => {
      const of = await approved();
      const given = following(of, 'void');
      expect(await submit(given)).toMatchObject({ status: 'succeeded', ...stated(given) });
      expect(await submit(following(of, 'capture'))).toMatchObject({ status: 'declined' });
    });

    test('refunds in parts, and never more than is captured', async () => {
      const of = await approved({ capture: true });
      const first = following(of, 'refund', { amount: 12_000n });
      expect(await submit(first)).toMatchObject({ status: 'succeeded', ...stated(first) });
      expect(await submit(following(of, 'refund', { amount: 8_001n }))).toMatchObject({ status: 'declined' });
      expect(await submit(following(of, 'refund', { amount: 8_000n }))).toMatchObject({ status: 'succeeded' });
    });

    test('another currency moves nothing', async () => {
      const of = await approved();
      expect(await submit(following(of, 'capture', { currency: 'USD' }))).toMatchObject({ status: 'declined' });
    });

    test('of an authorization that there is not is declined', async () => {
      const of = await authorization();
      expect(await submit(following(of, 'capture'))).toMatchObject({ status: 'declined', code: 'processing_error' });
    });
  });

  describe(`${name}: cancellation by reference`, () => {
    test('of what it never saw is remembered: it authorizes nothing afterwards', async () => {
      const given = await authorization({ capture: true });
      expect(await acquirer().cancel(originator, given.reference)).toMatchObject({ status: 'canceled' });
      expect(await submit(given)).toMatchObject({ status: 'canceled' });
      expect(await inquire(given.reference)).toMatchObject({ status: 'canceled' });
      expect(await submit(following(given, 'refund'))).toMatchObject({ status: 'declined' });
    });

    test('voids what is approved and not captured, and leaves what is captured', async () => {
      const held = await approved();
      expect(await acquirer().cancel(originator, held.reference)).toMatchObject({ status: 'canceled' });
      expect(await submit(following(held, 'capture'))).toMatchObject({ status: 'declined' });
      const paid = await approved({ capture: true });
      expect(await acquirer().cancel(originator, paid.reference)).toMatchObject({ status: 'succeeded' });
    });

    test('ends a challenge that waits', async () => {
      const given = await authorization({ number: CHALLENGED! });
      const answer = await submit(given);
      expect(await acquirer().cancel(originator, given.reference)).toMatchObject({ status: 'canceled' });
      await passChallenge(answer, { passed: true });
      expect(await inquire(given.reference)).toMatchObject({ status: 'canceled' });
    });
  });

  test(`${name}: a notice comes until it is acknowledged, in order, and a page has no more than was asked for`, async () => {
    const given = [await authorization({ number: CHALLENGED! }), await authorization({ number: CHALLENGED! })];
    for (const one of given) {
      await passChallenge(await submit(one), { passed: true });
      await noticesAbout(one.reference);
    }
    const [first, second] = await Promise.all(given.map(({ reference }) => noticesAbout(reference)));
    expect(await acquirer().notices(1)).toHaveLength(1);
    expect((await acquirer().notices(1_000, first![0]!.id)).map(({ id }) => id)).toContain(second![0]!.id);
    expect((await acquirer().notices(1_000, second![0]!.id)).map(({ id }) => id)).not.toContain(first![0]!.id);
    await acquirer().acknowledge([first![0]!.id]);
    await acquirer().acknowledge([first![0]!.id]);
    const left = (await acquirer().notices(1_000)).map(({ id }) => id);
    expect(left).toContain(second![0]!.id);
    expect(left).not.toContain(first![0]!.id);
    await acquirer().acknowledge([second![0]!.id]);
  });

  /** A gateway sends its notices by itself, a moment later. */
  function noticesAbout(reference: string) {
    return until(
      async () => (await acquirer().notices(1_000)).filter(({ endToEndId }) => endToEndId === reference),
      (notices) => notices.length > 0,
    );
  }
}
