// Runs the ```sh blocks of a guide in order in one shell, but for the start and the tests themselves. Every command must
// succeed; a block followed by `<!-- expect: TEXT -->` must print TEXT.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const SEPARATOR = '\u001e';
const text = readFileSync(process.argv[2], 'utf8');
const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```\n(?:<!-- expect: (.*?) -->)?/g)]
  .map(([, script, expected]) => ({ script, expected }))
  .filter(({ script }) => !/npm (ci|start|test)/.test(script));
if (blocks.length < 3) throw new Error(`Found only ${blocks.length} blocks to run`);

const script = ['set -euo pipefail', ...blocks.map((block) => `${block.script}\nprintf '\\036'`)].join('\n');
const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8', timeout: 1_200_000 });
const outputs = stdout.split(SEPARATOR);
blocks.forEach(({ script: commands, expected }, index) => {
  const title = commands.trim().split('\n')[0].slice(0, 100);
  const output = outputs[index] ?? '';
  if (index >= outputs.length - 1) throw new Error(`This failed (${status}):\n${commands}\n${output}\n${stderr}`);
  if (expected && !output.includes(expected))
    throw new Error(`Expected ${expected} from\n${commands}\nbut got\n${output}`);
  console.log(`ok  ${title}`);
});
