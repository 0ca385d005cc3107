/** What commands share that act through the API, with a person's key in COUNTINGHOUSE_API_KEY: requests, and exit codes. */
import { randomUUID } from 'node:crypto';
import { dataDirectory, readCredentials } from '../src/embedded/environment.ts';

/** It is done, and nothing is left. */
export const DONE = 0;
/** Something waits for people. */
export const LEFT = 1;
/** The request is refused: the message states why. */
export const REFUSED = 2;
const COULD_NOT_RUN = 3;

/** Answers that ask for another try, and are not about the request. */
const TRY_AGAIN: readonly number[] = [408, 425, 429];

export interface ApiOptions {
  readonly url?: string | undefined;
  readonly json?: true;
}

interface Problem {
  readonly code?: string;
  readonly title?: string;
  readonly param?: string;
  readonly detail?: string;
  readonly help?: string;
}

export class Failed extends Error {
  constructor(
    readonly exitCode: number,
    message: string,
    /** Of what the API refused. */
    readonly code?: string,
    readonly param?: string,
  ) {
    super(message);
  }
}

export interface ApiClient {
  get<Answer>(path: string): Promise<Answer>;
  /** Under an Idempotency-Key of its own. */
  post<Answer>(path: string, body: object): Promise<Answer>;
  /** Under the key that names what is asked for: asked again, it is answered, and done once. */
  postOnce<Answer>(path: string, body: object, idempotencyKey: string): Promise<Answer>;
}

/** Throws Failed where the key, or the address of the API, is not known. */
export function apiClient({ url, scopes }: { readonly url: string | undefined; readonly scopes: string }): ApiClient {
  const { COUNTINGHOUSE_API_KEY: key, COUNTINGHOUSE_URL } = process.env;
  if (!key) throw new Failed(REFUSED, `Set COUNTINGHOUSE_API_KEY to a person's key with ${scopes}.`);
  const base = (url ?? COUNTINGHOUSE_URL ?? readCredentials(dataDirectory())?.base_url)?.replace(/\/+$/, '');
  if (base === undefined)
    throw new Failed(REFUSED, 'Name the API: --url or COUNTINGHOUSE_URL. Or run `npm start` first.');
  const call = async <Answer>(path: string, init: RequestInit): Promise<Answer> => {
    const headers = { authorization: `Bearer ${key}`, ...init.headers };
    const response = await fetch(`${base}${path}`, { ...init, headers }).catch((error: Error & { cause?: Error }) => {
      throw new Failed(COULD_NOT_RUN, `No answer from ${base} (${error.cause?.message ?? error.message}).`);
    });
    return answerOf<Answer>(response);
  };
  const post = <Answer>(path: string, body: object, idempotencyKey: string) =>
    call<Answer>(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      body: JSON.stringify(body),
    });
  return {
    get: (path) => call(path, {}),
    post: (path, body) => post(path, body, randomUUID()),
    postOnce: post,
  };
}

async function answerOf<Answer>(response: Response): Promise<Answer> {
  const answer = (await response.json().catch(() => ({}))) as Answer & Problem;
  if (response.ok) return answer;
  const { param, detail, title, help } = answer;
  const reason = [param, detail ?? title ?? 'no reason given'].filter(Boolean).join(': ');
  const exitCode = response.status >= 500 || TRY_AGAIN.includes(response.status) ? COULD_NOT_RUN : REFUSED;
  throw new Failed(
    exitCode,
    [`${response.status}: ${reason}`, detail === undefined ? help : undefined].filter(Boolean).join(' '),
    answer.code,
    param,
  );
}

/** Sets the exit code. `work` resolves to it. */
export async function runThroughApi(work: () => Promise<number>, { json }: ApiOptions, verb: string): Promise<void> {
  try {
    process.exitCode = await work();
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    if (json) console.log(JSON.stringify({ ok: false, error: error.message }));
    console.error(`Could not ${verb}: ${error.message}`);
    process.exitCode = error.exitCode;
  }
}
