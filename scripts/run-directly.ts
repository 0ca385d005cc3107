import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Whether Node was started with this script. Tests import scripts and run their commands within their own process. */
export function isRunDirectly({ url }: ImportMeta): boolean {
  const script = process.argv[1];
  return script !== undefined && realpathSync(script) === realpathSync(fileURLToPath(url));
}
