/** Answers of receivers are kept without the personal text of the event, in whatever form they say it. */
import { expect, test } from 'vitest';
import { RESPONSE_KEPT_BYTES } from '../../../src/outside/connections/post-event.ts';
import { withoutTexts } from '../../../src/webhooks/sending/mask-answer.ts';

const NAME = '"Zo\u00eb \\"Z\\""';
const METADATA = '{"order":"Invoice 17","a":"1"}';

test.each`
  answer                                   | kept
  ${`{"name":${NAME}}`}                    | ${'{"name":[personal]}'}
  ${'Hello Zo\u00eb "Z"!'}                 | ${'Hello [personal]!'}
  ${'{"name":"Zo\\u00eb \\"Z\\""}'}        | ${'{"name":[personal]}'}
  ${`{"metadata":${METADATA}}`}            | ${'{"metadata":[personal]}'}
  ${'{ "order": "Invoice 17", "a": "1" }'} | ${'{ "[personal]": [personal], [personal]: [personal] }'}
  ${'Invoice 17 in 1 day'}                 | ${'[personal] in 1 day'}
  ${'ok'}                                  | ${'ok'}
`('$answer is kept as $kept', ({ answer, kept }) => {
  const masked = withoutTexts(answer, [NAME, METADATA]);
  expect(masked.replaceAll('"[personal]"', '[personal]')).toBe(kept.replaceAll('"[personal]"', '[personal]'));
});

test('a long answer does not end in the beginning of a text', () => {
  const answer = `${'x'.repeat(RESPONSE_KEPT_BYTES - 6)}Invoic`;
  expect(withoutTexts(answer, [METADATA])).toBe(`${'x'.repeat(RESPONSE_KEPT_BYTES - 6)}[personal]`);
  expect(withoutTexts('Invoic', [METADATA])).toBe('Invoic');
});
