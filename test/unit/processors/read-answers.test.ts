/** A processor's answer is read member by member: what does not fit docs/partners.md says nothing (src/processors/http). */
import { describe, expect, test } from 'vitest';
import { NotOfContract, readObject } from '../../../src/outside/gateway/fields.ts';
import { readAnswer, readInquiry, readRevealed } from '../../../src/processors/http/read-answers.ts';
import { readNotice } from '../../../src/processors/http/read-notice.ts';
import { newId, publicId } from '../../../src/values/ids.ts';
import { toJson } from '../../../src/values/json.ts';

const asked = { originator: '019ac1d4-0000-7000-8000-000000000001', reference: '019ac1d4-0000-8000-8000-000000000002' };
const program = publicId('book', asked.originator);
const NUMBER = '4000000012345676';
const card = { card_reference: 'GWC1', last_four: '4242', exp_month: 7, exp_year: 2031, network: 'visa' };
const issued = {
  program,
  reference: asked.reference,
  kind: 'issue',
  status: 'succeeded',
  processor_reference: 'GWP1',
  card,
};
const asText = (value: object) => readObject(toJson(value));
const read = (change: object = {}) => readAnswer(asText({ ...issued, ...change }), asked);

describe('an answer', () => {
  test('has the card, and evidence of what was read', () => {
    expect(read({ memo: 'Salma Haddad', card: { ...card, number: NUMBER } })).toEqual({
      status: 'succeeded',
      endToEndId: asked.reference,
      reference: 'GWP1',
      card: { cardReference: 'GWC1', lastFour: '4242', expMonth: 7, expYear: 2031, network: 'visa' },
      raw: {
        ...{ reference: asked.reference, processor_reference: 'GWP1', kind: 'issue', status: 'succeeded' },
        ...{ card_reference: 'GWC1', last_four: '4242' },
      },
    });
  });

  test.each`
    status         | code                    | expected
    ${'declined'}  | ${'cardholder_refused'} | ${'cardholder_refused'}
    ${'declined'}  | ${'card_closed'}        | ${'card_closed'}
    ${'declined'}  | ${'a_code_of_theirs'}   | ${'refused'}
    ${'pending'}   | ${'cardholder_refused'} | ${undefined}
    ${'succeeded'} | ${'cardholder_refused'} | ${undefined}
  `('$status with the code $code has the code $expected', ({ status, code, expected }) => {
    const answer = read({ status, code });
    expect(answer).toMatchObject({ status, endToEndId: asked.reference });
    expect(answer.code).toBe(expected);
    // No card is made of what did not succeed.
    expect(answer.card === undefined).toBe(status !== 'succeeded');
  });

  test('of a state needs no card, and a card in it is not read', () => {
    for (const kind of ['state', 'unblock_pin'])
      for (const extra of [undefined, card]) expect(read({ kind, card: extra }).card).toBeUndefined();
  });

  test.each<[string, object]>([
    ['about another instruction', { reference: newId() }],
    ['about another program', { program: publicId('book', newId()) }],
    ['about no program', { program: null }],
    ['of another status', { status: 'done' }],
    ['of no status', { status: undefined }],
    ['of another kind', { kind: 'make' }],
    ['declined without a code', { status: 'declined' }],
    ['without its card', { card: null }],
    ['with a list for a card', { card: [card] }],
    ['with a card number for a reference', { card: { ...card, card_reference: NUMBER } }],
    ['without a reference of the card', { card: { ...card, card_reference: null } }],
    ['with a reference that is too long', { card: { ...card, card_reference: 'x'.repeat(65) } }],
    ['with letters among its last four', { card: { ...card, last_four: '42a2' } }],
    ['with five digits as its last four', { card: { ...card, last_four: '42424' } }],
    ['that expires in no month', { card: { ...card, exp_month: 13 } }],
    ['that expires in a text', { card: { ...card, exp_month: '7' } }],
    ['that expires in two digits', { card: { ...card, exp_year: 31 } }],
    ['of no network', { card: { ...card, network: null } }],
    ['of a network in capitals', { card: { ...card, network: 'VISA' } }],
    ['with a reference of the processor that is no word', { processor_reference: 'two words' }],
  ])('%s is not of the contract, and no value of it is in the message', (_, change) => {
    expect(() => read(change)).toThrow(NotOfContract);
    expect(() => read(change)).not.toThrow(NUMBER);
  });
});

describe('an inquiry', () => {
  const notFound = { program, reference: asked.reference, status: 'not_found' };

  test('may find nothing, as of a moment', () => {
    const body = asText({ ...notFound, as_of: '2026-01-01T00:00:00.000Z' });
    expect(readInquiry(body, asked)).toMatchObject({ status: 'not_found', asOf: Date.UTC(2026, 0, 1) });
    const leap = asText({ ...notFound, as_of: '2016-12-31T23:59:60Z' });
    expect(readInquiry(leap, asked)).toMatchObject({ asOf: Date.UTC(2017, 0, 1) });
    expect(readInquiry(asText(notFound), asked)).not.toHaveProperty('asOf');
    expect(readInquiry(asText(issued), asked)).toEqual(read());
  });

  test.each<[string, object]>([
    ['another instruction', { reference: newId() }],
    ['another program', { program: publicId('book', newId()) }],
    ['a moment that is none', { as_of: 'yesterday' }],
    ['a day that the calendar lacks', { as_of: '2026-02-30T00:00:00Z' }],
  ])('that names %s says nothing', (_, change) => {
    expect(() => readInquiry(asText({ ...notFound, ...change }), asked)).toThrow(NotOfContract);
  });
});

describe('a page that reveals a card', () => {
  const reveal = { originator: asked.originator, cardReference: 'GWC1', what: 'details' } as const;
  const page = {
    program,
    card_reference: 'GWC1',
    url: 'https://cards.example/p/1',
    expires_at: '2026-01-01T00:05:00Z',
  };
  const open = (change: object = {}, mayBePlain = false) =>
    readRevealed(asText({ ...page, ...change }), reveal, { now: Date.UTC(2026, 0, 1), mayBePlain });

  test('is a URL and its end', () => {
    const expiresAt = Date.UTC(2026, 0, 1, 0, 5);
    expect(open()).toEqual({ shown: 'url', url: 'https://cards.example/p/1', expiresAt });
    expect(open({ url: 'http://127.0.0.1:9/p/1' }, true)).toMatchObject({ url: 'http://127.0.0.1:9/p/1' });
  });

  test.each<[string, object]>([
    ['of another card', { card_reference: 'GWC2' }],
    ['of another program', { program: publicId('book', newId()) }],
    ['in clear', { url: null, number: NUMBER }],
    ['by http', { url: 'http://cards.example/p/1' }],
    ['that runs a script', { url: 'javascript:alert(1)' }],
    ['with the number in its URL', { url: `https://cards.example/p?card=${NUMBER}` }],
    ['without an end', { expires_at: null }],
    ['that is open for hours', { expires_at: '2026-01-01T02:00:00Z' }],
  ])('%s is not of the contract', (_, change) => {
    expect(() => open(change)).toThrow(NotOfContract);
    expect(() => open(change)).not.toThrow(NUMBER);
  });
});

describe('a notice', () => {
  const told = {
    program,
    reference: asked.reference,
    kind: 'succeeded',
    code: null,
    processor_reference: 'GWP1',
    created_at: '2026-01-01T00:00:00Z',
  };
  const kept = (body: string) => ({ id: newId(), body, receivedAt: 7 });

  test('says that an instruction is decided', () => {
    expect(readNotice(kept(toJson(told)))).toMatchObject({
      ...{ originator: asked.originator, endToEndId: asked.reference, kind: 'succeeded', amount: null, code: null },
      ...{ reference: 'GWP1', createdAt: Date.UTC(2026, 0, 1) },
    });
    const { created_at: _, ...undated } = told;
    expect(readNotice(kept(toJson(undated)))).toMatchObject({ createdAt: 7, dated: false });
  });

  test.each([
    ['nothing that is JSON', 'oops', ''],
    ['a reference that is no word', toJson({ ...told, reference: 'two words' }), asked.originator],
    ['no kind', toJson({ ...told, kind: null }), asked.originator],
    ['no program', toJson({ ...told, program: null }), ''],
    ['a program that is none', toJson({ ...told, program: 'somebody', kind: 7 }), 'somebody'],
  ])('with %s is unreadable, of whomever it names', (_, body, originator) => {
    expect(readNotice(kept(body))).toMatchObject({ kind: 'unreadable', originator, createdAt: 7 });
  });
});
