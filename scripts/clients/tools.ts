/** Every generator that docs/clients.md names, in the order of its table. */
import { GO } from './go.ts';
import { OPENAPI_GENERATOR } from './openapi-generator.ts';
import { PYTHON } from './python.ts';
import { RUST } from './rust.ts';
import type { Tool } from './tool.ts';
import { TYPESCRIPT } from './typescript.ts';

export const TOOLS: readonly Tool[] = [...TYPESCRIPT, ...GO, ...PYTHON, ...OPENAPI_GENERATOR, ...RUST];

/** The table of docs/clients.md. */
export function tableOf(tools: readonly Tool[]): string {
  const rows = tools.map(({ language, tool, needs, expected }) => [language, tool, needs, expected]);
  return [
    ['language', 'tool', 'what it needs', 'what `npm run clients` comes to'],
    ['---', '---', '---', '---'],
    ...rows,
  ]
    .map((cells) => `| ${cells.join(' | ')} |`.replaceAll(' --- ', '---'))
    .join('\n');
}
