/** Generators of Rust that are written in it. */
import { step, type Tool } from './tool.ts';

export const RUST: readonly Tool[] = [
  {
    name: 'progenitor',
    language: 'Rust',
    tool: 'progenitor 0.15.1',
    needs: 'a document of OpenAPI 3.0, which this one is not',
    programs: ['cargo'],
    steps: [
      step('install', 'cargo install --quiet cargo-progenitor@0.15.1 --locked --root .'),
      step('generate', 'bin/cargo-progenitor progenitor -i openapi.json -o reference -n reference -v 0.1.0'),
    ],
    fails: 'invalid type: sequence, expected a string',
    expected: 'does not generate: "invalid type: sequence, expected a string"',
  },
];
