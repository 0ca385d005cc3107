/**
 * What a character costs, in every check that meets a text of a client: as much in one class of characters as in another, and as much
 * in a long text as in a short one. Bounds are multiples of plain letters in the same run, far above what is measured.
 */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { externalIdFilter, metadataFilter } from '../../../src/api/pages.ts';
import { freeText, metadata } from '../../../src/api/schemas/fields.ts';
import { fieldErrorsOf } from '../../../src/http/input/field-errors.ts';
import { jsonPointer } from '../../../src/http/input/json-pointer.ts';
import { createPayment } from '../../../src/payments/payment/api/payment-schemas.ts';
import { hasCardNumber, maskCardNumbers } from '../../../src/values/card-number.ts';
import { createWebhook } from '../../../src/webhooks/endpoints/api/webhook-schemas.ts';

/** A class of characters, by what a text of it is made of. */
const CLASSES: Readonly<Record<string, string>> = {
  digits: '4',
  'digits in groups': '4 ',
  'valid numbers cut off': '4242 4242 4242 4241 ',
  'mathematical digits': '\u{1d7d0}',
  'mathematical digits in groups': '\u{1d7d0} ',
  'Arabic digits': '\u0664',
  'raised digits': '\u00b2',
  'format characters': '\u200b',
  marks: 'a\u0301',
  pictures: '\u{1f4b3}',
  ideographs: '\u6f22',
  percent: '%34',
  'percent of percent': '%25',
  'encoded as often as it is long': '25',
  'almost UUIDs': 'deadbeef-dead-4ead-8111-11111111111-',
  'almost account numbers': 'MA12 3456 7890 1234 5678 9012 3456 7890 ',
  'beginnings of account numbers': 'MA12 ',
  'almost dates and times': '2026-03-03 14:23:04.378876+03:0012 ',
  dates: '2026-03-03 ',
  'raised digits beside plain ones': '4\u00b2',
  'digits between spaced dashes': '4 - ',
  'long sound marks': '4\u30fc',
  dots: '.',
  slashes: '/',
  'tildes, which a pointer escapes': '~',
};

const LETTERS = 'abcdefgh';
/** A percent sign in front: where a text is `25` over and over, each round of decoding takes two characters. */
const filled = (piece: string, length: number) =>
  `${piece === '25' ? '%' : ''}${piece.repeat(Math.ceil(length / piece.length))}`.slice(0, length);

/** Most runs: where the machine is busy, a run now and then has it for itself. */
const RUNS = 25;

/**
 * The least milliseconds of processor time of a few runs, or of the first that takes no more than `enough`: what else the machine does
 * only adds.
 */
function leastMs(act: () => void, enough?: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < (enough === undefined ? 5 : RUNS) && least >= (enough ?? 0); run++) {
    const before = process.cpuUsage();
    act();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

const LENGTH = 50_000;
/** A pass over a text that looks at each character: what no check should exceed many times. */
const passMs = () => {
  const text = filled(LETTERS, LENGTH);
  return leastMs(() => {
    let sum = 0;
    for (let at = 0; at < text.length; at++) sum += text.codePointAt(at)!;
    if (sum < 0) throw new Error('unreachable');
  });
};
/** Measured: 2 to 25 passes. What this is for took 2,000 and more. */
const MOST_PASSES = 200;

test.each(Object.entries(CLASSES))('a search through %s', (_, piece) => {
  const text = filled(piece, LENGTH);
  const most = MOST_PASSES * Math.max(passMs(), 0.05);
  expect(leastMs(() => hasCardNumber(text), most)).toBeLessThan(most);
  expect(leastMs(() => maskCardNumbers(text), 3 * most)).toBeLessThan(3 * most);
});

/** A request of one field, with the work of its answer. */
function refuse(schema: z.ZodType, input: unknown): void {
  const parsed = schema.safeParse(input);
  if (parsed.success) throw new Error('It was to be refused');
  fieldErrorsOf(parsed.error, { schema, input }, jsonPointer);
}

const payment = (change: object) => ({ amount: 5, currency: 'JOD', source: { type: 'checkout' }, ...change });
const ofMetadata = z.strictObject({ metadata: metadata.optional() });
const places: Readonly<Record<string, (text: string) => void>> = {
  'a value of metadata': (text) => refuse(ofMetadata, { metadata: { a: text } }),
  'a name in metadata': (text) => refuse(ofMetadata, { metadata: { [text]: 'a' } }),
  'a text for people': (text) => refuse(z.strictObject({ text: freeText(500) }), { text }),
  'an unknown member': (text) => refuse(createPayment, payment({ [text]: 1 })),
  return_url: (text) => refuse(createPayment, payment({ return_url: `https://shop.example/${text}` })),
  statement_descriptor: (text) => refuse(createPayment, payment({ statement_descriptor: text })),
  'billing.email': (text) => refuse(createPayment, payment({ billing: { email: `${text}@shop.example` } })),
  'an alias': (text) => refuse(createPayment, payment({ source: { type: 'cliq_request', alias: text } })),
  'the type of a source': (text) => refuse(createPayment, payment({ source: { type: text } })),
  'a currency': (text) => refuse(createPayment, payment({ currency: text })),
  'the URL of a webhook': (text) => refuse(createWebhook, { url: `https://shop.example/${text}` }),
  'an event': (text) => refuse(createWebhook, { url: 'https://shop.example', events: [text] }),
  'a filter': (text) => refuse(z.strictObject({ external_id: externalIdFilter }), { external_id: text }),
  'a filter of metadata': (text) => refuse(z.strictObject({ metadata: metadataFilter }), { metadata: { a: text } }),
};

test.each(Object.entries(places))('a text that is too long is not searched: %s', (_, act) => {
  const most = MOST_PASSES * Math.max(passMs(), 0.05);
  for (const [name, piece] of Object.entries(CLASSES))
    expect(
      leastMs(() => act(filled(piece, LENGTH)), most),
      name,
    ).toBeLessThan(most);
});

test('a text of any length is searched in one pass', () => {
  const text = filled('4 ', 20_000);
  const most =
    20 *
    10 *
    Math.max(
      leastMs(() => hasCardNumber(text)),
      0.1,
    );
  expect(leastMs(() => hasCardNumber(filled('4 ', 400_000)), most)).toBeLessThan(most);
});
