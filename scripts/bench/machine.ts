/** The machine and the commit of a figure: without them a figure means nothing. */
import { spawnSync } from 'node:child_process';
import { arch, availableParallelism, cpus, platform, release, totalmem } from 'node:os';

export function machine(): Record<string, string | number> {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memory_gb: Math.round(totalmem() / 2 ** 30),
    os: `${platform()} ${release()} ${arch()}`,
    node: process.versions.node,
  };
}

/** The commit that was measured, with a plus when the working tree differs; null outside a checkout. */
export function revision(): string | null {
  const git = (...args: string[]) => spawnSync('git', args, { encoding: 'utf8' });
  const head = git('rev-parse', '--short', 'HEAD');
  if (head.status !== 0) return null;
  return head.stdout.trim() + (git('status', '--porcelain').stdout.trim() === '' ? '' : '+');
}
