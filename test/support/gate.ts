/** A promise that a test opens, or breaks, when it wants. */
export interface Gate {
  readonly promise: Promise<void>;
  open(): void;
  breakWith(error: Error): void;
}

export function gate(): Gate {
  let open: Gate['open'] = () => undefined;
  let breakWith: Gate['breakWith'] = () => undefined;
  const promise = new Promise<void>((resolve, reject) => {
    open = resolve;
    breakWith = reject;
  });
  promise.catch(() => undefined);
  return { promise, open, breakWith };
}
