/** Progress lines of faults and benches, on standard error: standard output is for the result alone. */
const began = performance.now();

export function say(text: string): void {
  const seconds = ((performance.now() - began) / 1000).toFixed(1).padStart(6);
  process.stderr.write(`${seconds} s  ${text}\n`);
}
