// Prints "PASSED FAILED" of a report in JSON, of tests or of fault scenarios, and names each failure on standard error.
import { readFileSync } from 'node:fs';

const [kind, file] = process.argv.slice(2);
const report = JSON.parse(readFileSync(file, 'utf8'));
const { passed, failures } = kind === 'tests' ? ofTests(report) : ofFaults(report);
for (const failure of failures) console.error(`FAILED: ${failure}`);
console.log(`${passed} ${failures.length}`);

function ofTests({ numPassedTests, testResults }) {
  const failures = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === 'failed');
    const named = tests.map(({ fullName, failureMessages }) => `${name}: ${fullName}\n${failureMessages[0] ?? ''}`);
    return status === 'failed' && named.length === 0 ? [`${name}: ${message}`] : named;
  });
  return { passed: numPassedTests, failures };
}

function ofFaults({ passed, failures }) {
  return { passed, failures: failures.map((failure) => JSON.stringify(failure)) };
}
