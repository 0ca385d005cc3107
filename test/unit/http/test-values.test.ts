/** What people look for at the field: the sandbox's own values, each with its outcome, in the reference and in the guides. */
import { readFileSync } from 'node:fs';
import request from 'supertest';
import { beforeAll, expect, test } from 'vitest';
import { TEST_CARDS } from '../../../src/acquirers/test-cards.ts';
import { ROUTES } from '../../../src/http/routes.ts';
import { MAGIC_ALIASES_LISTED } from '../../../src/payouts/destinations/api/cliq.ts';
import { failureCodeOf } from '../../../src/rails/failure-codes.ts';
import { MAGIC_ALIASES, scriptOf } from '../../../src/rails/sandbox-aliases.ts';
import { RETRY_DELAYS_MS } from '../../../src/webhooks/deliveries/delivery.ts';
import { createTestApp } from './test-app.ts';

/** Descriptions of the document's members of this name. */
let descriptionsOf: (member: string) => string[];
const guide = (name: string) => readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8');

beforeAll(async () => {
  const { body: document } = await request(createTestApp({ routes: ROUTES }).app).get('/openapi.json');
  descriptionsOf = (member) => {
    const found: string[] = [];
    JSON.stringify(document, (key, value) => {
      if (key === member && typeof value?.description === 'string') found.push(value.description);
      return value;
    });
    return found;
  };
});

test('every test number stands at the field that takes one, with its outcome, and in the guide', () => {
  const [description] = descriptionsOf('number').filter((text) => text.includes('test mode'));
  for (const [number, { script }] of TEST_CARDS) {
    expect(description).toContain(`\`${number}\``);
    expect(guide('payments')).toContain(`\`${number}\``);
    if (
      !['approved', 'unanswered', 'lost', 'disputed', 'refund_fails'].includes(script) &&
      !script.startsWith('challenge')
    )
      expect(description).toMatch(new RegExp(`\`${number}\`[^\n]*declined with \`${script}\``));
  }
});

test('every magic alias stands at the field that takes one, with its failure', () => {
  expect(descriptionsOf('alias').filter((text) => text.includes(MAGIC_ALIASES_LISTED)).length).toBeGreaterThan(0);
  const listed = MAGIC_ALIASES_LISTED.split('\n').flatMap((line) => line.slice(2, line.indexOf(':')).split(', '));
  expect(listed.sort()).toEqual(MAGIC_ALIASES.map((alias) => `\`${alias}\``).sort());
  for (const alias of MAGIC_ALIASES) {
    const { status, code } = scriptOf(alias);
    if (status !== 'rejected') continue;
    expect(MAGIC_ALIASES_LISTED).toMatch(new RegExp(`\`${alias}\`[^\n]*\`${failureCodeOf(code)}\``));
  }
});

test('the guide names the waits between attempts of a webhook', () => {
  const MINUTE = 60_000;
  const shown = RETRY_DELAYS_MS.map((wait) =>
    wait < MINUTE ? `${wait / 1_000} s` : wait < 60 * MINUTE ? `${wait / MINUTE} min` : `${wait / (60 * MINUTE)} h`,
  );
  expect(guide('webhooks')).toContain(shown.join(', '));
  expect(guide('webhooks')).toContain(`these ${RETRY_DELAYS_MS.length + 1} attempts`);
});
