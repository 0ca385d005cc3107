/**
 * Asks the decision endpoint of a program about one message, before the message's command. What it is asked comes from a preview of that
 * command: the transaction as our rules alone would leave it. Nothing is held meanwhile, and what our rules decline is not asked.
 *
 * A book whose program has no endpoint pays nothing for this: its messages go to their command at once. A command that finds an endpoint
 * which was not asked throws StaleRead, and the book is known to have one from then on.
 */
import { signingSecrets } from '../../cards/program/program-secret.ts';
import type { StoredProgram } from '../../cards/program/program-table.ts';
import type { Asked } from '../../idempotency/use-case.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import type { SealedKey } from '../../outside/connections/opened-keys.ts';
import type { AskedEndpoints } from '../../outside/questions/asked-endpoints.ts';
import { BoundedMap } from '../../values/bounded-map.ts';
import type { Instant } from '../../values/clock.ts';
import { deriveId } from '../../values/ids.ts';
import type { Consulted, ReadAnswer } from './endpoint-answer.ts';

/** What the preview of a command finds: whether its program has an endpoint, and the question for it. */
export interface Inquiry {
  readonly hasEndpoint: boolean;
  /** Null where it is not asked about this message. */
  readonly question: EndpointQuestion | null;
}

export const NOT_ASKED: Inquiry = { hasEndpoint: true, question: null };
export const NO_ENDPOINT: Inquiry = { hasEndpoint: false, question: null };

export interface EndpointQuestion {
  readonly url: string;
  readonly timeoutMs: number;
  readonly livemode: boolean;
  readonly keys: readonly SealedKey[];
  /** The transaction. */
  readonly body: string;
}

export function questionOf(
  own: StoredProgram,
  { body, livemode, wall }: { body: string; livemode: boolean; wall: Instant },
): EndpointQuestion {
  const { url, timeoutMs } = own.decision!;
  return { url, timeoutMs, livemode, keys: signingSecrets(own, wall), body };
}

export interface ConsultingRuntime {
  readonly committer: Pick<Committer, 'preview'>;
  readonly endpoints: AskedEndpoints;
}

interface About extends Pick<Asked, 'bookId' | 'dryRun'> {
  readonly messageReference: string;
}

export interface Consulting {
  /** Whether the command has been made before, and found something else than was read. */
  readonly isAnew: boolean;
  /** The endpoint's answer to this request, if it was asked already: it is asked once. */
  readonly before: Consulted | null;
  readonly inquiry: () => Command<Inquiry>;
  readonly readAnswer: ReadAnswer;
}

/** Books whose programs have an endpoint, as far as this process has seen; those of the last messages. */
const withEndpoint = new BoundedMap<BookId, true>(100_000);

/** Null where nobody is to be asked. */
export async function consultEndpoint(
  runtime: ConsultingRuntime,
  about: About,
  { isAnew, before, inquiry, readAnswer }: Consulting,
): Promise<Consulted | null> {
  const { bookId } = about;
  if (!isAnew && withEndpoint.get(bookId) === undefined) return null;
  const { hasEndpoint, question } = await runtime.committer.preview(bookId, inquiry());
  if (hasEndpoint) withEndpoint.set(bookId, true);
  else withEndpoint.delete(bookId);
  if (question === null || question.url === before?.url) return before;
  return ask(runtime, about, { question, readAnswer });
}

async function ask(
  { endpoints }: ConsultingRuntime,
  { bookId, messageReference, dryRun = false }: About,
  { question, readAnswer }: { question: EndpointQuestion; readAnswer: ReadAnswer },
): Promise<Consulted> {
  const { livemode, ...asked } = question;
  const response = await endpoints.ask({
    ...asked,
    bookId,
    mode: livemode ? 'live' : 'test',
    // A dry run has an id of its own: an endpoint that knows its ids takes what follows for no repeat.
    id: deriveId(dryRun ? 'dry-run-decision' : 'decision', bookId, messageReference),
    read: readAnswer,
  });
  return { url: question.url, answer: 'answer' in response ? response.answer : null };
}
