/** docs/partners.md is what partners build from: its signature verifies, its examples are read, and it names all that is asked. */
import { readFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { expect, test, vi } from 'vitest';
import { CALLS } from '../../../scripts/gateway/calls.ts';
import { ACQUIRER_NOTICE_KINDS } from '../../../src/acquirers/acquirer.ts';
import { DISPUTE_REASONS } from '../../../src/acquirers/dispute-reasons.ts';
import { readObject } from '../../../src/acquirers/http/fields.ts';
import { readAnswer } from '../../../src/acquirers/http/read-answers.ts';
import { readNotice } from '../../../src/acquirers/http/read-notice.ts';
import { newId, parsePublicId } from '../../../src/values/ids.ts';

const guide = readFileSync(new URL('../../../docs/partners.md', import.meta.url), 'utf8');
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
  const notice = readNotice({ id: newId(), body: examples.at(-1)!, receivedAt: 0 });
  expect(notice).toMatchObject({ kind: 'succeeded', originator: asked.originator, endToEndId: asked.reference });
});

test('the guide names every path with its call, every kind of notice and every reason', () => {
  for (const [path, call] of Object.entries(CALLS)) expect(guide).toContain(`\`${path}\` \`${call}`);
  for (const word of [...Object.keys(ACQUIRER_NOTICE_KINDS), ...DISPUTE_REASONS])
    expect(guide).toMatch(new RegExp(`[\`\\s]${word}[\`\\s]`));
});
