/**
 * A reporter of vitest for .ci/count.mjs: writes to the file TEST_REPORT what each file and test took, its limit, what failed, and
 * errors outside of any test, which vitest's own JSON leaves out.
 */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

export default class Report {
  onTestRunEnd(modules, unhandled) {
    const report = { files: modules.map(ofFile), unhandled: unhandled.map(ofUnhandled) };
    writeFileSync(process.env.TEST_REPORT, JSON.stringify(report));
  }
}

function ofFile(module) {
  const { duration, collectDuration } = module.diagnostic();
  return {
    project: module.project.name,
    file: module.relativeModuleId,
    seconds: (duration + collectDuration) / 1_000,
    state: module.state(),
    errors: module.errors().map(textOf),
    tests: [...module.children.allTests()].map(ofTest),
    // A hook that fails belongs to a suite, and its tests have not run.
    suites: [...module.children.allSuites()].flatMap((suite) =>
      suite.errors().map((error) => ({ name: suite.fullName, error: textOf(error) })),
    ),
  };
}

function ofTest(test) {
  const { state, errors = [] } = test.result();
  const { duration = 0 } = test.diagnostic() ?? {};
  return {
    name: test.fullName,
    state,
    seconds: duration / 1_000,
    limitSeconds: (test.options.timeout ?? test.project.config.testTimeout) / 1_000,
    error: errors.map(textOf)[0],
  };
}

function ofUnhandled(error) {
  const path = error.VITEST_TEST_PATH;
  return { file: path && relative(process.cwd(), path), test: error.VITEST_TEST_NAME, error: textOf(error) };
}

const textOf = ({ stack, message }) => stack ?? message;
