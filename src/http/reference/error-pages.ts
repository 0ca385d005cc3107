/** /docs/errors: the error catalogue as web pages. The `type` of every problem links to one of them. */
import { ERRORS, type ErrorCode, type ErrorDefinition } from '../../errors/errors.ts';
import { codeHtml, docsBar, escapeHtml, htmlPage, wideTable } from './page-html.ts';

export function errorIndexPage(): string {
  const rows = (Object.entries(ERRORS) as [ErrorCode, ErrorDefinition][]).map(
    ([code, error]) =>
      `<tr><td>${error.status}</td><td><a href="/docs/errors/${code}">${codeHtml(code)}</a></td><td>${escapeHtml(error.title)}</td><td>${retryOf(error)}</td></tr>`,
  );
  return htmlPage({
    title: 'Errors',
    content: `${docsBar()}
<main>
<h1>Errors</h1>
<p>Every error is <code>application/problem+json</code> (RFC 9457). Its <code>code</code> is one of these, and the page behind each code says what to do. <code>errors</code> lists all faults of form at once; <code>request_id</code> is what to tell us.</p>
${wideTable(`<table>
<thead><tr><th>Status</th><th>Code</th><th>What</th><th>Retry</th></tr></thead>
<tbody>${rows.join('\n')}</tbody>
</table>`)}
</main>`,
  });
}

const RETRY = {
  yes: 'Yes: the same request, under the same Idempotency-Key, may succeed later.',
  no: 'Not as it is: the same request would be refused again.',
  depends:
    'Where the answer says `retryable: true`: the same request, under the same Idempotency-Key, may succeed later. Otherwise it would be refused again.',
} as const;

function retryOf({ retryable, retryDepends }: ErrorDefinition): keyof typeof RETRY {
  if (retryDepends) return 'depends';
  return retryable ? 'yes' : 'no';
}

/** The page of one error code; undefined for an unknown code. */
export function errorPage(code: string): string | undefined {
  if (!Object.hasOwn(ERRORS, code)) return undefined;
  const error = ERRORS[code as ErrorCode];
  const { status, title, help } = error;
  return htmlPage({
    title: code,
    content: `${docsBar()}
<main>
<h1><code>${code}</code></h1>
<p>${escapeHtml(title)}.</p>
<dl>
<dt>HTTP status</dt><dd>${status}</dd>
<dt>What to do</dt><dd>${withCode(help)}</dd>
<dt>Send it again?</dt><dd>${withCode(RETRY[retryOf(error)])}</dd>
</dl>
</main>`,
  });
}

/** The catalogue writes names in backticks. */
function withCode(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}
