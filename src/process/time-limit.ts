/** A call outside this process did not answer in time. The call may still be carried out. */
export class TimeLimitExceeded extends Error {
  override name = 'TimeLimitExceeded';

  constructor(what: string, limitMs: number) {
    super(`${what} did not answer within ${limitMs} ms`);
  }
}

/** Waits for an answer up to a limit, then throws TimeLimitExceeded. The work goes on; its result is ignored. */
export async function withinLimit<Answer>(
  work: Promise<Answer>,
  { what, limitMs }: { what: string; limitMs: number },
): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeLimitExceeded(what, limitMs)), limitMs);
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves with the answer, or rejects with the signal's reason when that comes first. A late answer is ignored. */
export function unlessAborted<Answer>(work: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
  });
}
