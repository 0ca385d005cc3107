/** /docs/errors: the error catalogue as web pages. The `type` of every problem links to one of them. */
import { ERRORS, type ErrorCode, type ErrorDefinition } from '../errors.ts';
import { docsBar, escapeHtml, htmlPage } from './page-html.ts';

export function errorIndexPage(): string {
  const rows = (Object.entries(ERRORS) as [ErrorCode, ErrorDefinition][]).map(
    ([code, { status, title, retryable }]) =>
      `<tr><td>${status}</td><td><a href="/docs/errors/${code}"><code>${code}</code></a></td><td>${escapeHtml(title)}</td><td>${retryable ? 'yes' : 'no'}</td></tr>`,
  );
  return htmlPage({
    title: 'Errors',
    content: `${docsBar()}
<main>
<h1>Errors</h1>
<p>Every error is <code>application/problem+json</code> (RFC 9457). Its <code>code</code> is one of these; <code>errors</code> lists every fault of the request; <code>request_id</code> is what to tell us.</p>
<div class="wide"><table>
<thead><tr><th>Status</th><th>Code</th><th>What</th><th>Retry</th></tr></thead>
<tbody>${rows.join('\n')}</tbody>
</table></div>
</main>`,
  });
}

/** The page of one error code; undefined for an unknown code. */
export function errorPage(code: string): string | undefined {
  if (!Object.hasOwn(ERRORS, code)) return undefined;
  const { status, title, help, retryable } = ERRORS[code as ErrorCode];
  return htmlPage({
    title: code,
    content: `${docsBar()}
<main>
<h1><code>${code}</code></h1>
<p>${escapeHtml(title)}.</p>
<dl>
<dt>HTTP status</dt><dd>${status}</dd>
<dt>What to do</dt><dd>${withCode(help)}</dd>
<dt>Send it again?</dt><dd>${retryable ? 'Yes: the same request, under the same Idempotency-Key, may succeed later.' : 'Not as it is: the same request would be refused again.'}</dd>
</dl>
</main>`,
  });
}

/** The catalogue writes names in backticks. */
function withCode(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}
