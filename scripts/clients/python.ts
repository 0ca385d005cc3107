/** Generators of Python that are written in it. */
import { paysAnd, step, type Tool } from './tool.ts';

const ENVIRONMENT = step('install', 'python3 -m venv venv');
const install = (packages: string) => step('install', `venv/bin/pip install --quiet ${packages}`);
const RUN = step('run', 'venv/bin/python program.py');

export const PYTHON: readonly Tool[] = [
  {
    name: 'openapi-python-client',
    language: 'Python',
    tool: 'openapi-python-client 0.29.1',
    needs:
      'nothing; it warns of bodies that are not JSON, which it leaves out; read `response.content` of a new variant',
    programs: ['python3'],
    // By default it formats what it wrote with a program that has to be installed beside it.
    files: { 'config.yaml': 'post_hooks: []\n' },
    program: { file: 'openapi_python_client.py', to: 'program.py' },
    steps: [
      ENVIRONMENT,
      install('openapi-python-client==0.29.1'),
      step(
        'generate',
        'venv/bin/openapi-python-client generate --path openapi.json --meta none --overwrite --output-path reference --config config.yaml',
      ),
      RUN,
    ],
    expected: paysAnd('a new variant is a `ValueError`'),
  },
  {
    name: 'datamodel-code-generator',
    language: 'Python',
    tool: 'datamodel-code-generator 0.89.0, pydantic 2.14.4',
    needs:
      '`--output-model-type pydantic_v2.BaseModel`, and the package `email-validator`; dump requests with `exclude_none=True`',
    programs: ['python3'],
    program: { file: 'datamodel_code_generator.py', to: 'program.py' },
    steps: [
      ENVIRONMENT,
      install('datamodel-code-generator==0.89.0 pydantic==2.14.4 email-validator==2.4.0 httpx==0.28.1'),
      step(
        'generate',
        'venv/bin/datamodel-codegen --input openapi.json --input-file-type openapi --output-model-type pydantic_v2.BaseModel --output reference.py',
      ),
      RUN,
    ],
    expected: paysAnd('a new variant is a `ValidationError`'),
  },
];
