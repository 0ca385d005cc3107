import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../../../scripts/harness/build.ts';
import { DEFECTS } from '../../../../scripts/long/defects.ts';
import { planted } from '../../../../scripts/long/plant.ts';

test.each(DEFECTS)('$kind applies to this tree, and its tests are there', (defect) => {
  const text = readFileSync(join(ROOT, defect.file), 'utf8');
  expect(planted(text, defect)).not.toBe(text);
  expect(defect.tests.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('a defect whose text is gone, or is there twice, says so', () => {
  const defect = { kind: 'a loss', file: 'src/a.ts', find: 'pay();', replace: '' };
  expect(planted('a(); pay();', defect)).toBe('a(); ');
  expect(() => planted('a();', defect)).toThrow('a loss: src/a.ts has this 0 times, not once: pay();');
  expect(() => planted('pay(); pay();', defect)).toThrow('a loss: src/a.ts has this 2 times, not once: pay();');
});
