/** Generators of Go. */
import { paysAnd, step, type Tool } from './tool.ts';

const GENERATOR = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen';

export const GO: readonly Tool[] = [
  {
    name: 'oapi-codegen',
    language: 'Go',
    tool: 'oapi-codegen 2.8.2',
    needs: '`-generate types,client`',
    programs: ['go'],
    // The generator writes into a folder that is there.
    files: { 'go.mod': 'module client\n\ngo 1.24\n', 'reference/package.go': 'package reference\n' },
    program: { file: 'oapi-codegen.go', to: 'main.go' },
    steps: [
      step('install', `go get -tool ${GENERATOR}@v2.8.2`),
      step('install', 'go get github.com/oapi-codegen/runtime@v1.9.0 github.com/google/uuid@v1.6.0'),
      step(
        'generate',
        'go tool oapi-codegen -generate types,client -package reference -o reference/reference.go openapi.json',
      ),
      step('compile', 'go mod tidy'),
      step('compile', 'go build -o client .'),
      step('run', './client'),
    ],
    expected: paysAnd('a new variant is read, and `ValueByDiscriminator` returns an error for it'),
  },
];
