/** Generators of openapi-generator, a program in Java for many languages. */
import { paysAnd, type Step, step, type Tool } from './tool.ts';

const VERSION = '7.25.0';
const TOOL = `openapi-generator ${VERSION}`;
const JAR = `openapi-generator-cli-${VERSION}.jar`;
const INSTALL = step(
  'install',
  `mvn -q -B dependency:copy -Dartifact=org.openapitools:openapi-generator-cli:${VERSION} -DoutputDirectory=.`,
);

const generate = (generator: string, output: string, flags = ''): Step =>
  step('generate', `java -jar ${JAR} generate -i openapi.json -g ${generator} -o ${output} ${flags}`.trim());

const JAVA_PROPERTIES =
  'disallowAdditionalPropertiesIfNotPresent=false,enumUnknownDefaultCase=true,useOneOfDiscriminatorLookup=true';

/** Without TLS, which the runs here do without, and which needs a library of the system. */
const CARGO = `[package]
name = "client"
version = "0.1.0"
edition = "2021"

[dependencies]
reference = { path = "reference", default-features = false }
serde_json = "1"
tokio = { version = "1", features = ["macros", "rt-multi-thread", "time"] }
uuid = { version = "1", features = ["v4"] }
`;
/** The packages of both tools are compiled once. */
const TARGET = { CARGO_TARGET_DIR: '../rust-target' };

const RUST = {
  language: 'Rust',
  tool: `${TOOL}, \`rust\``,
  programs: ['java', 'mvn', 'cargo'],
  files: { 'Cargo.toml': CARGO },
  program: { file: 'openapi_generator.rs', to: 'src/main.rs' },
  steps: [
    INSTALL,
    generate('rust', 'reference', '--package-name reference'),
    step('compile', 'cargo build --quiet', TARGET),
    step('run', '../rust-target/debug/client'),
  ],
} as const;

export const OPENAPI_GENERATOR: readonly Tool[] = [
  {
    name: 'openapi-generator-python',
    language: 'Python',
    tool: `${TOOL}, \`python\``,
    needs: 'nothing; sends `null` for `description` and `external_id`, which is understood',
    programs: ['java', 'mvn', 'python3'],
    program: { file: 'openapi_generator.py', to: 'program.py' },
    steps: [
      INSTALL,
      step('install', 'python3 -m venv venv'),
      generate('python', 'generated', '--package-name reference'),
      step('install', 'venv/bin/pip install --quiet pydantic==2.14.4 -r generated/requirements.txt'),
      step('run', 'venv/bin/python program.py', { PYTHONPATH: 'generated' }),
    ],
    expected: paysAnd('a new variant is a `ValueError`'),
  },
  {
    name: 'openapi-generator-java',
    language: 'Java',
    tool: `${TOOL}, \`java\``,
    needs: `\`--library okhttp-gson\`, \`${JAVA_PROPERTIES}\`; 7.20.0 or later: before it, a required object that is null was a \`JsonSyntaxException\``,
    programs: ['java', 'mvn'],
    program: { file: 'OpenapiGenerator.java', to: 'src/main/java/OpenapiGenerator.java' },
    steps: [
      INSTALL,
      generate('java', '.', `--library okhttp-gson --additional-properties=${JAVA_PROPERTIES}`),
      step('compile', 'mvn -q -B compile dependency:build-classpath -Dmdep.outputFile=classpath'),
      { does: 'run', words: ['sh', '-c', 'java -cp "target/classes:$(cat classpath)" OpenapiGenerator'] },
    ],
    expected: paysAnd('a new variant is a `JsonSyntaxException`'),
  },
  {
    ...RUST,
    name: 'openapi-generator-rust',
    needs: 'the document without `discriminator` (below)',
    withoutDiscriminator: true,
    expected: paysAnd('a new variant is an `Error::Serde`'),
  },
  {
    ...RUST,
    name: 'openapi-generator-rust-discriminator',
    needs: 'the document as it is',
    fails: 'missing field `type`',
    expected: 'compiles, and fails: "missing field `type`"',
  },
];
