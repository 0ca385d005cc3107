/** The reference gateway's pages for payers: to give a card, and to pass a challenge. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Instruction } from './records.ts';
import type { Rules } from './rules.ts';

interface PageCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly pathname: string;
  readonly text: string;
}

export function servePage(rules: Rules, { request, response, pathname, text }: PageCall): void {
  const id = pathname.slice('/pages/'.length);
  const instruction = rules.records.findByPage(id);
  if (!instruction?.page) {
    html(response, 404, '<p>There is no such page, or it is over.</p>');
    return;
  }
  if (request.method !== 'POST') {
    html(response, 200, formOf(instruction));
    return;
  }
  const form = new URLSearchParams(text);
  // The page ends once it is decided, so the URL that the payer returns to is read before.
  const { returnUrl, page } = instruction;
  const decided =
    page.asks === 'card'
      ? rules.payWithCard(id, { number: (form.get('number') ?? '').replaceAll(' ', ''), expMonth: 12, expYear: 2040 })
      : rules.passChallenge(id, { passed: form.get('result') === 'pass' });
  if (!decided) html(response, 422, `<p>Use a published test number.</p>${formOf(instruction)}`);
  else if (returnUrl === null) html(response, 200, '<p>Done. You can close this page.</p>');
  else response.writeHead(303, { location: returnUrl }).end();
}

function formOf({ page, amount, currency }: Instruction): string {
  const asked = `<p>${amount} ${currency}, in minor units</p>`;
  if (page!.asks === 'card')
    return `${asked}<form method="post"><label>Card number <input name="number" required></label> <button>Pay</button></form>`;
  return `${asked}<form method="post"><button name="result" value="pass">Confirm</button> <button name="result" value="fail">Decline</button></form>`;
}

function html(response: ServerResponse, status: number, body: string): void {
  response
    .writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
    .end(`<!doctype html><html lang="en"><title>Reference gateway</title><h1>Reference gateway</h1>${body}</html>`);
}
