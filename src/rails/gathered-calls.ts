/**
 * Calls that arrive while the last batch runs go together in the next one. No timer: alone a call goes at once, under load
 * batches grow by themselves.
 */
interface Waiting<Call, Answer> {
  readonly call: Call;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** `carryOut` answers in the order of its calls; when it throws, every call of the batch fails with it. */
export function gatherCalls<Call, Answer>(
  carryOut: (calls: Call[]) => Promise<Answer[]>,
  { atOnce }: { atOnce: number },
): (call: Call) => Promise<Answer> {
  const waiting: Waiting<Call, Answer>[] = [];
  let running = false;

  async function run(): Promise<void> {
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      const batch = waiting.splice(0, atOnce);
      try {
        const answers = await carryOut(batch.map(({ call }) => call));
        batch.forEach(({ resolve }, index) => {
          resolve(answers[index]!);
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    running = false;
  }

  return (call) =>
    new Promise((resolve, reject) => {
      waiting.push({ call, resolve, reject });
      if (running) return;
      running = true;
      void run();
    });
}
