/** docs/partners.md is what partners build from: its signature verifies, its examples are read, and it names all that is asked. */
import { readFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { expect, test, vi } from 'vitest';
import { CALLS } from '../../../scripts/gateway/calls.ts';
import { CARD_CALLS } from '../../../scripts/gateway/card-calls.ts';
import { ACQUIRER_NOTICE_KINDS } from '../../../src/acquirers/acquirer.ts';
import { DISPUTE_REASONS } from '../../../src/acquirers/dispute-reasons.ts';
import { readAnswer } from '../../../src/acquirers/http/read-answers.ts';
import { readNotice } from '../../../src/acquirers/http/read-notice.ts';
import { readObject } from '../../../src/outside/gateway/fields.ts';
import * as processors from '../../../src/processors/http/read-answers.ts';
import * as processorNotices from '../../../src/processors/http/read-notice.ts';
import { PROCESSOR_DECLINES, PROCESSOR_NOTICE_KINDS } from '../../../src/processors/processor.ts';
import { PENDING_MS, SANDBOX_CARDHOLDERS } from '../../../src/processors/sandbox-cardholders.ts';
import * as rails from '../../../src/rails/http/read-answers.ts';
import { readCredit } from '../../../src/rails/http/read-credit.ts';
import * as railNotices from '../../../src/rails/http/read-notice.ts';
import { newId, parsePublicId } from '../../../src/values/ids.ts';

const guide = readFileSync(new URL('../../../docs/partners.md', import.meta.url), 'utf8');
/** The answer, what is not found, and the notice of an acquirer; the answer and the notice of a processor, those of a rail, and its credit. */
const examples = [...guide.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text]) => text!);
const line = (name: string) => new RegExp(`^${name}: +(.+)$`, 'm').exec(guide)![1]!;

test('the signature of the guide is the one that the library of Standard Webhooks computes', () => {
  const timestamp = Number(line('webhook-timestamp'));
  vi.useFakeTimers({ now: timestamp * 1_000, toFake: ['Date'] });
  try {
    const headers = {
      'webhook-id': line('webhook-id'),
      'webhook-timestamp': String(timestamp),
      'webhook-signature': line('webhook-signature'),
    };
    const webhook = new Webhook(line('secret'));
    expect(webhook.verify(line('body'), headers)).toMatchObject({ call: 'inquire' });
    expect(() => webhook.verify(`${line('body')} `, headers)).toThrow();
  } finally {
    vi.useRealTimers();
  }
});

test('the answer and the notice of the guide are read', () => {
  const body = readObject(examples[0]!);
  const asked = { originator: parsePublicId('book', String(body.merchant))!, reference: String(body.reference) };
  const answer = readAnswer(body, asked, { now: 0, mayBePlain: false });
  expect(answer).toMatchObject({ status: 'succeeded', confirmed: { amount: 25_000n, currency: 'JOD' } });
  expect(Object.values(answer.authorization!).filter((fact) => fact === null)).toEqual([]);
  const notice = readNotice({ id: newId(), body: examples[2]!, receivedAt: 0 });
  expect(notice).toMatchObject({ kind: 'succeeded', originator: asked.originator, endToEndId: asked.reference });
});

test('the answer and the notice of a processor are read', () => {
  const body = readObject(examples[3]!);
  const asked = { originator: parsePublicId('book', String(body.program))!, reference: String(body.reference) };
  const answer = processors.readAnswer(body, asked);
  expect(answer).toMatchObject({ status: 'succeeded', reference: 'GWP7A2B9C', card: { lastFour: '4242' } });
  const notice = processorNotices.readNotice({ id: newId(), body: examples[4]!, receivedAt: 0 });
  expect(notice).toMatchObject({ kind: 'succeeded', originator: asked.originator, endToEndId: asked.reference });
  expect(notice.reference).toBe(answer.reference);
});

test('the answer and the notice of a rail are read', () => {
  const body = readObject(examples[5]!);
  const asked = { originator: parsePublicId('book', String(body.originator))!, endToEndId: String(body.reference) };
  const confirmed = { amount: 5_124n, currency: 'JOD' };
  const answer = rails.readAnswer(body, asked);
  expect(answer).toMatchObject({ status: 'paid', reference: 'GWR7A2B9C', confirmed });
  const notice = railNotices.readNotice({ id: newId(), body: examples[6]!, receivedAt: 0 });
  expect(notice).toMatchObject({ kind: 'returned', amount: 5_124n, code: 'AC04', confirmed });
  expect(notice).toMatchObject({ originator: asked.originator, endToEndId: asked.endToEndId });
  expect(notice.reference).toBe(answer.reference);
});

test('the credit of a rail is read', () => {
  const credit = readCredit(readObject(examples[7]!), { place: '1' });
  expect(credit).toMatchObject({
    amount: 50_000n,
    currency: 'JOD',
    bankReference: 'GWC7A2B9C',
    bookedOn: '2026-01-01',
  });
  expect(Object.values(credit).filter((fact) => fact === null)).toEqual([]);
  expect(examples).toHaveLength(8);
});

test('the guide names what processors decline, tell and take as magic', () => {
  for (const word of [...PROCESSOR_DECLINES, ...Object.keys(PROCESSOR_NOTICE_KINDS)])
    expect(guide).toMatch(new RegExp(`[\`\\s]${word}[\`\\s]`));
  for (const reference of SANDBOX_CARDHOLDERS.keys()) expect(guide).toContain(`| \`${reference}\` |`);
  expect(guide).toContain(`for ${PENDING_MS / 1_000} seconds`);
});

test('the guide names every path with its call, every kind of notice and every reason', () => {
  for (const [path, call] of Object.entries({ ...CALLS, ...CARD_CALLS }))
    expect(guide).toContain(`\`${path}\` \`${call}`);
  for (const word of [...Object.keys(ACQUIRER_NOTICE_KINDS), ...DISPUTE_REASONS])
    expect(guide).toMatch(new RegExp(`[\`\\s]${word}[\`\\s]`));
});
