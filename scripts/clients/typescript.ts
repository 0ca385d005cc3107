/** Generators of TypeScript. */
import { paysAnd, step, type Tool } from './tool.ts';

const FILES = {
  'package.json': '{"type":"module","private":true}',
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      target: 'ES2023',
      lib: ['ES2023', 'DOM', 'DOM.Iterable'],
      module: 'ESNext',
      moduleResolution: 'Bundler',
      allowImportingTsExtensions: true,
      strict: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      skipLibCheck: true,
      types: ['node'],
    },
    files: ['program.ts'],
  }),
};
const INSTALL = 'npm install --no-audit --no-fund --loglevel=error --save-exact';
const COMPILER = 'typescript@5.9.3 tsx@4.23.15';
const COMPILE = step('compile', 'node_modules/.bin/tsc -p .');
const PLUGINS = '@hey-api/typescript @hey-api/sdk @hey-api/client-fetch';
const HEY_API = `openapi-ts -i openapi.json -o reference -p ${PLUGINS}`;
const READ = paysAnd('a new variant is read');

export const TYPESCRIPT: readonly Tool[] = [
  {
    name: 'openapi-typescript',
    language: 'TypeScript',
    tool: 'openapi-typescript 7.13.0 with openapi-fetch 0.17.0',
    needs: 'nothing; types only, so nothing is refused',
    programs: ['node', 'npm'],
    files: FILES,
    program: { file: 'openapi-fetch.ts', to: 'program.ts' },
    steps: [
      step('install', `${INSTALL} openapi-typescript@7.13.0 openapi-fetch@0.17.0 ${COMPILER} @types/node@20.19.43`),
      step('generate', 'node_modules/.bin/openapi-typescript openapi.json -o reference.ts'),
      COMPILE,
      step('run', 'node_modules/.bin/tsx program.ts'),
    ],
    expected: READ,
  },
  {
    name: 'hey-api',
    language: 'TypeScript',
    tool: '@hey-api/openapi-ts 0.84.4 (Node 20)',
    needs: 'plugins `@hey-api/typescript`, `@hey-api/sdk`, `@hey-api/client-fetch`',
    programs: ['node', 'npm'],
    files: FILES,
    program: { file: 'hey-api.ts', to: 'program.ts' },
    steps: [
      step('install', `${INSTALL} @hey-api/openapi-ts@0.84.4 ${COMPILER} @types/node@20.19.43`),
      step('generate', `node_modules/.bin/${HEY_API}`),
      COMPILE,
      step('run', 'node_modules/.bin/tsx program.ts'),
    ],
    expected: READ,
  },
  {
    name: 'hey-api-on-node-22',
    language: 'TypeScript',
    tool: '@hey-api/openapi-ts 0.99.0 (Node 22)',
    needs: 'as above',
    programs: ['node', 'npm'],
    files: FILES,
    program: { file: 'hey-api.ts', to: 'program.ts' },
    steps: [
      // The package `node` has the program of that version: the generator does not start with an earlier one.
      step('install', `${INSTALL} node@22 @hey-api/openapi-ts@0.99.0 ${COMPILER} @types/node@22`),
      step('generate', `npx --no-install ${HEY_API}`),
      COMPILE,
      step('run', 'npx --no-install tsx program.ts'),
    ],
    expected: READ,
  },
];
