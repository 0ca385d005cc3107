/** Card purchases of every kind of message, each brought to its end: nothing is reserved then. */

export interface CardStep {
  /** Behind /v1/transactions; empty for an authorization. */
  readonly path: '' | '/increments' | '/reversals' | '/clearings' | '/refunds' | '/advices';
  readonly body: Readonly<Record<string, unknown>>;
  /** Takes back the posting of an earlier step, by its place. */
  readonly reverses?: number;
  readonly decision?: 'approved' | 'declined';
}

export interface CardPlan {
  readonly steps: readonly CardStep[];
  /** What the customer has paid in the end: minor units. */
  readonly spent: number;
}

/** More than an account of the load ever has. */
const TOO_MUCH = 100_000_000;

const ask = (amount: number, more: object = {}): CardStep => ({
  path: '',
  body: { amount, entry_mode: 'chip', ...more },
  decision: amount < TOO_MUCH ? 'approved' : 'declined',
});
const more = (amount: number): CardStep => ({ path: '/increments', body: { amount }, decision: 'approved' });
const reverse = (amount?: number): CardStep => ({ path: '/reversals', body: amount === undefined ? {} : { amount } });
const takeBack = (reverses: number, amount?: number): CardStep => ({ ...reverse(amount), reverses });
const clear = (amount: number, piece: object = {}): CardStep => ({ path: '/clearings', body: { amount, ...piece } });
const refund = (amount: number): CardStep => ({ path: '/refunds', body: { amount } });
const standIn = (approved: number): CardStep => ({
  path: '/advices',
  body: { advice: { reason: 'stand_in', of: 'authorization', decision: 'approved', approved_amount: approved } },
});
const piece = (number: number) => ({ sequence: { number, count: 2 } });
/** Of the same message, which is declined because its reversal came first. */
const tooLate = (amount: number): CardStep => ({ ...ask(amount), decision: 'declined' });

export const CARD_PLANS: readonly CardPlan[] = [
  { steps: [ask(1_000), clear(1_000)], spent: 1_000 },
  { steps: [ask(900), more(300), clear(700, piece(1)), clear(500, piece(2))], spent: 1_200 },
  { steps: [ask(800), reverse(300), reverse(500)], spent: 0 },
  { steps: [ask(700, { message: 'single' }), reverse(200)], spent: 500 },
  { steps: [ask(600), clear(650), refund(150)], spent: 500 },
  { steps: [clear(500), takeBack(0, 100)], spent: 400 },
  { steps: [reverse(), tooLate(400)], spent: 0 },
  { steps: [standIn(300), clear(300), refund(300), takeBack(2)], spent: 300 },
  { steps: [ask(TOO_MUCH)], spent: 0 },
];
