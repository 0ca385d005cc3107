/**
 * What a dump and the log know of the cards that we issue: no number and no security code, however the cards were made, shown and used. The
 * sandbox seals the number in its schema, and makes the code anew each time.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { formsOf } from '../../scripts/faults/secrets.ts';
import { type Client, succeeded, until } from '../../scripts/harness/client.ts';
import { act, type Card, type CardToken, cardholder, type Details, requestCard, SHIPPING } from '../support/cards.ts';
import { contractOf } from '../support/contracted.ts';
import { lookInto, type Product, startProduct } from '../support/product.ts';
import { purchase, tell } from '../support/purchases.ts';

/** Every way to a card: at once, later, without an answer, in the post, and as the successor of another. */
async function issueCards(client: Client, account: string): Promise<string[]> {
  const options = { idempotencyKey: randomUUID() };
  const { id: first } = succeeded(await requestCard(client, { account }, options));
  expect(succeeded(await requestCard(client, { account }, options)).id).toBe(first);
  const later = await requestCard(client, { account }, { headers: { prefer: 'respond-async' } });
  const unanswered = succeeded(await requestCard(client, { account, cardholder: cardholder('TIMEOUT') }));
  const { id: posted } = succeeded(await requestCard(client, { account, type: 'physical', shipping: SHIPPING }));
  await act(client, posted, 'activate');
  const lost = await act(client, first, 'replace', { reason: 'lost' });
  const renewed = await act(client, posted, 'replace', { reason: 'renewal' });
  const all = [later.body.id, unanswered.id, posted, lost.id, renewed.id];
  for (const id of all)
    await until(
      () => client.read<Card>(`/v1/cards/${id}`),
      ({ last_four }) => last_four !== null,
    );
  return all;
}

async function useCards(client: Client, cards: readonly string[]): Promise<void> {
  for (const card of cards) {
    const { id } = await purchase(client, { card, amount: 1_700, cvv_result: 'match', pin_result: 'match' });
    await tell(client, id, 'reverse');
  }
  const asked = { token_reference: 'T-1', wallet: 'apple_pay' };
  succeeded(await client.post<CardToken>(`/v1/cards/${cards[0]}/tokens`, asked));
  await act(client, cards[0]!, 'freeze');
  await act(client, cards[1]!, 'close');
  await client.read(`/v1/cards/${cards[0]}/timeline`);
}

/** Rows of every table, each as the text of its JSON: what is text has quotes around it. */
async function dump({ database }: Product): Promise<Map<string, string>> {
  const behind = lookInto(database);
  try {
    const { rows: tables } = await behind.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const found = new Map<string, string>();
    for (const { name } of tables) {
      const { rows } = await behind.query<{ text: string }>(`SELECT to_jsonb(t)::text AS text FROM ${name} t`);
      found.set(name, rows.map(({ text }) => text).join('\n'));
    }
    return found;
  } finally {
    await behind.end();
  }
}

/** Three digits stand in many texts: they are the code where they are a whole text, or what `cvc` names. */
const codeForms = (cvc: string) => [new RegExp(`"${cvc}\\\\*"`), new RegExp(`cvc\\W{1,8}${cvc}(?!\\d)`, 'i')];

function placesOf({ number, cvc }: Details, texts: ReadonlyMap<string, string>): string[] {
  const forms = codeForms(cvc);
  return [...texts].flatMap(([where, text]) => [
    ...(formsOf(number).some((form) => text.includes(form)) ? [`a number in ${where}`] : []),
    ...(forms.some((form) => form.test(text)) ? [`a code in ${where}`] : []),
  ]);
}

test('no number and no code of an issued card stands in a table or in the log', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'log-'));
  const log = join(directory, 'log');
  // The log of this process goes to a file, whole and at once.
  const { destination } = pino;
  vi.spyOn(pino, 'destination').mockImplementation(() => destination({ dest: log, sync: true }));
  const product = await startProduct({ backend: 'postgres', environment: { LOG_LEVEL: 'trace' } });
  try {
    await contractOf(product);
    const { client } = await product.organisation();
    const { id: account } = await client.openAccount({ currency: 'USD', funds: 100_000 });
    const cards = await issueCards(client, account);
    const details: Details[] = [];
    for (const id of cards) details.push(await client.read<Details>(`/v1/cards/${id}/details`));
    // A renewed card has the number of the old one, and a code of its own.
    expect(new Set(details.map(({ number }) => number)).size).toBe(cards.length - 1);
    await useCards(client, cards);
    // An integrator who writes a number where texts go is refused, and leaves no trace.
    const told = await client.patch(`/v1/cards/${cards[2]}`, { metadata: { note: details[2]!.number } });
    expect(told.status).toBe(400);

    const texts = await dump(product);
    expect(texts.get('sandbox_processor.cards')!.split('\n').length).toBeGreaterThanOrEqual(cards.length);
    const logged = await readFile(log, 'utf8');
    expect(logged).toContain(`/v1/cards/${cards[0]}/details`);
    texts.set('the log', logged);
    expect(details.flatMap((each) => placesOf(each, texts))).toEqual([]);
    // The scan finds what is there.
    const planted = { ...details[0]!, number: '0000000000000000', cvc: '000' };
    const inAnswer = new Map([['an answer', JSON.stringify({ answer: JSON.stringify(planted) })]]);
    expect(placesOf(planted, inAnswer)).toEqual(['a number in an answer', 'a code in an answer']);
  } finally {
    await product.close();
    vi.restoreAllMocks();
    await rm(directory, { recursive: true });
  }
});
