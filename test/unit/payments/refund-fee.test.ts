/** What refunds give back of a fee, while any of them may fail: never more than the refund, and in the end what is due. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { feeOf } from '../../../src/fees/fee-schedule.ts';
import { allocatedFee, type ChargedPayment } from '../../../src/payments/refunds/refund-steps.ts';
import { planTaking } from '../../../src/payments/refunds/take-funding.ts';

const charged = (amountCaptured: bigint, feeFixed: bigint, basisPoints: bigint): ChargedPayment => ({
  ...{ amountCaptured, feeFixed, amountRefunded: 0n, amountRefunding: 0n, feeRefunded: 0n },
  fee: feeOf(amountCaptured, { fixed: feeFixed, basisPoints, minimum: null, maximum: null, rounding: 'half_even' }),
});

const refunding = (payment: ChargedPayment, amount: bigint, fee: bigint): ChargedPayment => ({
  ...payment,
  amountRefunding: payment.amountRefunding + amount,
  fee: payment.fee - fee,
  feeRefunded: payment.feeRefunded + fee,
});

const failing = (payment: ChargedPayment, amount: bigint, fee: bigint) => refunding(payment, -amount, -fee);

test('what was left over by refunds that failed waits for the next ones', () => {
  let payment = charged(100_000n, 0n, 250n);
  const small: bigint[] = [];
  for (let pair = 0; pair < 8; pair++) {
    payment = refunding(payment, 39n, allocatedFee(payment, 39n));
    small.push(allocatedFee(payment, 1n));
    payment = refunding(payment, 1n, small.at(-1)!);
  }
  for (const fee of small) payment = failing(payment, 1n, fee);
  // Of 313 at 2.5 % that is 7, of which nothing was given.
  expect(payment.feeRefunded).toBe(0n);
  expect(allocatedFee(payment, 1n)).toBe(1n);
  payment = refunding(payment, 1n, 1n);
  expect(allocatedFee(payment, 3n)).toBe(3n);
  expect(allocatedFee(payment, 40n)).toBe(7n);
});

const step = fc.record({
  amount: fc.bigInt({ min: 1n, max: 200n }),
  /** Which of the refunds that stand fails before it. */
  fails: fc.option(fc.nat({ max: 30 }), { freq: 2 }),
});

test('whatever fails in between, each fee lies between nothing and its refund, and all together within what was charged', () => {
  const anyPayment = fc.record({
    captured: fc.bigInt({ min: 1n, max: 5_000n }),
    fixed: fc.bigInt({ min: 0n, max: 20n }),
    basisPoints: fc.bigInt({ min: 0n, max: 10_000n }),
  });
  fc.assert(
    fc.property(anyPayment, fc.array(step, { maxLength: 60 }), ({ captured, fixed, basisPoints }, steps) => {
      let payment = charged(captured, fixed, basisPoints);
      const ofBasisPoints = payment.fee - fixed;
      const standing: { amount: bigint; fee: bigint }[] = [];
      for (const { amount: asked, fails } of steps) {
        if (fails !== null && standing.length > 0) {
          const [gone] = standing.splice(fails % standing.length, 1);
          payment = failing(payment, gone!.amount, gone!.fee);
        }
        const left = captured - payment.amountRefunding;
        const amount = asked < left ? asked : left;
        if (amount === 0n) continue;
        const fee = allocatedFee(payment, amount);
        expect(fee >= 0n && fee <= amount).toBe(true);
        payment = refunding(payment, amount, fee);
        standing.push({ amount, fee });
        expect(payment.feeRefunded <= ofBasisPoints && payment.fee >= fixed).toBe(true);
        // Never more than one refund of all of them would, but for what failed in between.
        const whole = (ofBasisPoints * payment.amountRefunding) / captured;
        if (fee > 0n) expect(payment.feeRefunded <= whole).toBe(true);
      }
      // One refund of the rest takes what is left over, as far as it is large enough.
      const rest = captured - payment.amountRefunding;
      if (rest === 0n) return;
      const due = ofBasisPoints - payment.feeRefunded;
      expect(allocatedFee(payment, rest)).toBe(due < rest ? due : rest);
    }),
  );
});

test('funding is never asked for less than nothing', () => {
  const nothing = { own: [], available: 10n, others: [], held: new Map() };
  expect(() => planTaking(-1n, nothing)).toThrow(RangeError);
});
