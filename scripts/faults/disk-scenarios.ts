/**
 * The disk is full: the product promises nothing more until there is room, and then goes on. Mounts a small tmpfs; root
 * only.
 */
import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { dropTablespace, makeTablespace, moveTables } from './postgres-store.ts';
import { pause, type Scenario, untilThat } from './scenario.ts';
import type { Stage } from './stage.ts';

const SIZE_MB = 64;

export const diskScenarios: readonly Scenario[] = [
  {
    name: 'disk-full',
    about: 'the disk of the journal, the events and the payouts is full for some seconds',
    unfit: () => (process.getuid?.() === 0 ? undefined : 'only root may mount a small disk'),
    async play({ stage, load }) {
      const disk = mountDisk(stage);
      const name = `${stage.database.name}_small`;
      try {
        await makeTablespace(stage.behind, { name, directory: disk.directory });
        await moveTables(stage.behind, name);
        await disk.fill();
        const refused = () => stage.apis.concat(stage.workers).some(({ everything }) => everything.includes('53100'));
        await untilThat('Postgres says that the disk is full', refused);
        await pause(3_000);
        disk.free();
        await load.untilMore(30);
      } finally {
        disk.free();
        try {
          await moveTables(stage.behind, 'pg_default');
          await dropTablespace(stage.behind, name);
        } finally {
          disk.unmount();
        }
      }
    },
  },
];

interface Disk {
  readonly directory: string;
  fill(): Promise<void>;
  free(): void;
  unmount(): void;
}

/**
 * Mounts the disk beside the cluster, where the account that runs Postgres can reach it, and gives it to that account.
 */
function mountDisk({ server, database }: Stage): Disk {
  const { cluster } = server.postgres;
  const mount = join(cluster, '..', `${database.name}-small`);
  const directory = join(mount, 'tables');
  const ballast = join(mount, 'ballast');
  const { uid, gid } = statSync(cluster);
  mkdirSync(mount);
  run('mount', '-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'tmpfs', mount);
  mkdirSync(directory, { mode: 0o700 });
  for (const path of [mount, directory]) chownSync(path, uid, gid);
  return {
    directory,
    async fill() {
      const file = await open(ballast, 'w');
      const piece = Buffer.alloc(65_536);
      try {
        for (;;) await file.write(piece);
      } catch (error) {
        if ((error as { code?: string }).code !== 'ENOSPC') throw error;
      } finally {
        await file.close();
      }
    },
    free: () => rmSync(ballast, { force: true }),
    unmount() {
      run('umount', '--lazy', mount);
      rmSync(mount, { recursive: true });
    },
  };
}

function run(command: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
}
