/** A call to something outside this process that did not answer in time. It may still be carried out. */
export class TimeLimitExceeded extends Error {
  override name = 'TimeLimitExceeded';

  constructor(what: string, limitMs: number) {
    super(`${what} did not answer within ${limitMs} ms`);
  }
}

/** Waits for an answer up to a limit. The work itself is not stopped: what it does later is nobody's concern. */
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

/** The answer, or the signal's reason when that comes first: then nobody waits for the answer any longer. */
export function unlessAborted<Answer>(work: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
  });
}
