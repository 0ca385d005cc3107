/** The parts of `npm run long` (docs/gate.md): what the gate leaves to chance, to time and to machines with a browser. */

export interface Command {
  /** The program and its arguments. */
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Part {
  readonly name: string;
  readonly about: string;
  /** What it takes on two quiet cores, about: `--minutes` takes the parts that fit. */
  readonly seconds: number;
  /** The part that contains this one, which is played alone where the other is left out. */
  readonly within?: string;
  /** Required: npm scripts of package.json, and programs. Without them the part has failed. */
  readonly needs?: { readonly scripts?: readonly string[]; readonly programs?: readonly string[] };
  /** Beside as many busy loops. */
  readonly besideLoops?: number;
  commands(context: PartContext): readonly Command[];
}

export interface PartContext {
  readonly seed: number;
  /** Test files with properties, from the root. */
  readonly propertyFiles: readonly string[];
}

const npm = (script: string, words: readonly string[] = [], env?: Command['env']): Command => ({
  words: ['npm', 'run', '--silent', script, '--', ...words],
  env,
});

const vitest = (words: readonly string[], env?: Command['env']): Command => ({
  words: ['npx', 'vitest', 'run', '--project', 'files', ...words],
  env,
});

const pages = (names: readonly string[], env?: Command['env']): Command => ({
  words: ['npx', 'vitest', 'run', '--project', 'pages', ...names.map((name) => `test/e2e/${name}.test.ts`)],
  env,
});

const BUILD = npm('build');
const REQUIRED = { REQUIRE_REDIS: 'true', REQUIRE_PGBOUNCER: 'true' };

/** How much longer than in the gate properties are searched. */
const MORE_RUNS = 10;
const MODEL_STEPS = 100_000;

/** Those of vitest's project `pages`. */
const BROWSER_TESTS = ['checkout-browser', 'live-checkout-browser', 'docs-browser'];

/** Each ends within minutes. Their figures are read, not judged, but for bars and the ledger, which a bench judges itself. */
const BENCHES: readonly (readonly string[])[] = [
  ['ledger'],
  ['accept'],
  ['payouts'],
  ['payments'],
  ['authorize'],
  ['webhooks'],
];

export const PARTS: readonly Part[] = [
  {
    name: 'faults',
    about: 'every fault scenario on both backends, from a fresh seed',
    seconds: 1_500,
    needs: { programs: ['redis-server'] },
    commands: ({ seed }) => [npm('faults', ['--seed', String(seed)])],
  },
  {
    name: 'upgrade',
    about:
      'the last release beside this code, replaced under load: for a change to migrations, stored forms or releases',
    seconds: 250,
    within: 'faults',
    needs: { programs: ['redis-server'] },
    commands: ({ seed }) => [npm('faults', ['--scenario', 'upgraded-under-load', '--seed', String(seed)])],
  },
  {
    name: 'faults-long',
    about: 'the fault tests that the gate leaves out',
    seconds: 900,
    needs: { scripts: ['test:faults:long'], programs: ['redis-server'] },
    commands: () => [BUILD, npm('test:faults:long', [], { ...REQUIRED, TEST_FROM_BUILD: 'true' })],
  },
  {
    name: 'models',
    about: `the models for ${MODEL_STEPS} steps, from a fresh seed`,
    seconds: 600,
    commands: ({ seed }) => [npm('model', ['--steps', String(MODEL_STEPS), '--seed', String(seed)])],
  },
  {
    name: 'properties',
    about: `property tests with ${MORE_RUNS} times the runs, from a fresh seed`,
    seconds: 400,
    commands: ({ seed, propertyFiles }) => [
      vitest(propertyFiles, {
        FC_SEED: String(seed),
        FC_RUNS: String(MORE_RUNS),
        MODEL_SEED: String(seed),
        ...REQUIRED,
      }),
    ],
  },
  {
    name: 'planted',
    about: 'a further resource in a copy of the tree',
    seconds: 600,
    commands: () => [npm('test:planted')],
  },
  {
    name: 'planted-defects',
    about: 'a defect of each kind in a copy of the tree, which tests have to find',
    seconds: 200,
    commands: () => [{ words: ['node', '--import', 'tsx', 'scripts/long/planted-defects.ts'] }],
  },
  {
    name: 'timing',
    about: 'tests of durations, alone',
    seconds: 300,
    needs: { scripts: ['test:timing'] },
    commands: () => [npm('test:timing', [], REQUIRED)],
  },
  {
    name: 'clients',
    about: 'clients that generators make of the OpenAPI document',
    seconds: 40,
    commands: () => [pages(['generated-client'])],
  },
  {
    name: 'clients-of-languages',
    about:
      'clients that generators of several languages make of the OpenAPI document pay, or fail as docs/clients.md has it',
    seconds: 1_500,
    needs: { scripts: ['clients'], programs: ['go', 'python3', 'java', 'mvn', 'cargo'] },
    commands: () => [npm('clients')],
  },
  {
    name: 'pages',
    about: 'pages in a real Chromium',
    seconds: 120,
    needs: { programs: ['chromium'] },
    commands: () => [pages(BROWSER_TESTS, { REQUIRE_CHROMIUM: 'true' })],
  },
  {
    name: 'pgbouncer',
    about: 'all of test/e2e through PgBouncer',
    seconds: 350,
    needs: { programs: ['pgbouncer', 'redis-server'] },
    commands: () => [
      BUILD,
      vitest(['test/e2e'], { TEST_THROUGH_PGBOUNCER: 'true', TEST_FROM_BUILD: 'true', ...REQUIRED }),
    ],
  },
  {
    name: 'benches',
    about: 'benches, as a report',
    seconds: 900,
    needs: { programs: ['redis-server'] },
    commands: () => BENCHES.map((words) => npm('bench', [...words, '--json'])),
  },
  {
    name: 'flake-hunt',
    about: "the gate's tests twice beside load",
    seconds: 2_400,
    besideLoops: 2,
    needs: { programs: ['redis-server', 'pgbouncer'] },
    commands: () => {
      const env = { ...REQUIRED, TEST_FROM_BUILD: 'true' };
      const once = [npm('test', ['--project', 'pgbouncer'], env), npm('test:faults', [], env)];
      return [BUILD, ...once, ...once];
    },
  },
];

export interface Choice {
  readonly only?: readonly string[];
  readonly minutes?: number;
}

/**
 * What is played, and what is left for want of time: in order, each part that still fits. The time is what parts take on a quiet
 * machine, so that the same options choose the same parts everywhere.
 */
export function chooseParts(parts: readonly Part[], { only, minutes }: Choice): { played: Part[]; left: Part[] } {
  const wanted = only ? parts.filter(({ name }) => only.includes(name)) : parts;
  let secondsLeft = minutes === undefined ? Number.POSITIVE_INFINITY : minutes * 60;
  const played: Part[] = [];
  const left: Part[] = [];
  for (const part of wanted) {
    if (played.some(({ name }) => name === part.within)) continue;
    if (part.seconds > secondsLeft) {
      left.push(part);
      continue;
    }
    secondsLeft -= part.seconds;
    played.push(part);
  }
  return { played, left };
}

/** Programs that are packages of Debian's of the same name. */
const DEBIANS: readonly string[] = ['chromium', 'redis-server', 'pgbouncer'];

/** Programs that the part needs, that the machine lacks, and that apt can install. */
export function installableFor(part: Part, has: { program(name: string): boolean }): string[] {
  return (part.needs?.programs ?? []).filter((name) => DEBIANS.includes(name) && !has.program(name));
}

/** Needs of the part that the machine lacks, a sentence each. */
export function missingFor(
  part: Part,
  has: { script(name: string): boolean; program(name: string): boolean },
): string[] {
  const { scripts = [], programs = [] } = part.needs ?? {};
  return [
    ...scripts.filter((name) => !has.script(name)).map((name) => `there is no npm script ${name}`),
    ...programs.filter((name) => !has.program(name)).map((name) => `${name} is not installed`),
  ];
}

/** The command as it is typed in a shell. */
export function typed({ words, env = {} }: Command): string {
  const quoted = (text: string) => (/^[\w./:=@,+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
  return [...Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`), ...words.map(quoted)].join(' ');
}

/** How somebody repeats what failed. */
export function repeatOf({ commit, seed, command }: { commit: string; seed: number; command: Command }): string {
  return `commit ${commit}, seed ${seed}: ${typed(command)}`;
}
