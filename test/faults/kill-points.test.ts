/**
 * kill -9 at every failpoint, at its first pass, by the one request that passes it (strikes.ts). One start is both the restart after one fault
 * and the arming of the next. `npm run faults` kills under load, at passes that a seed draws.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { ProductProcess } from '../../scripts/harness/processes.ts';
import { programOf } from '../../scripts/harness/programs.ts';
import type { Failpoint } from '../../src/process/failpoints.ts';
import { describeOnEachBackend } from '../support/product.ts';
import { openScene, type Scene } from './scene.ts';
import { isOfOneBackend, STRIKES } from './strikes.ts';

const POINTS = Object.keys(STRIKES) as Failpoint[];

// Both backends side by side: a strike waits more than it works.
describe.concurrent('kill points', () => {
  describeOnEachBackend('a process killed with -9', (backend) => {
    const isWhole = backend === 'postgres' || inject('isLongLane');
    const points = isWhole ? POINTS : POINTS.filter((point) => !isOfOneBackend(point));
    let scene: Scene;
    let armed: Failpoint | undefined;
    beforeAll(async () => {
      armed = points[0]!;
      scene = await openScene(backend, `${armed}=kill`);
    });
    afterAll(() => scene?.close());

    const processOf = (point: Failpoint): ProductProcess =>
      STRIKES[point].kills === 'api' ? scene.stage.apis[0]! : scene.stage.worker('all');

    /** Starts the process of a point once what the point needs is there. */
    async function arm(point: Failpoint): Promise<void> {
      const process = processOf(point);
      await process.kill();
      await forget(point);
      await STRIKES[point].before?.(scene);
      await process.start({ failpoints: `${point}=kill` });
      armed = point;
    }

    /** A dead worker's backlogs are anybody's. */
    async function forget(point: Failpoint): Promise<void> {
      if (STRIKES[point].kills === 'worker') await scene.stage.expireLeases();
    }

    async function strike(point: Failpoint): Promise<void> {
      const { send, meanwhile } = STRIKES[point];
      const process = processOf(point);
      if (armed !== point) await arm(point);
      let answered = false;
      const sent = send(scene).then(() => (answered = true));
      // What an API is asked that dies is answered once it is back.
      const refused = sent.then(() => new Promise<never>(() => undefined));
      await Promise.race([scene.stage.untilEnded(process, meanwhile && (() => meanwhile(scene))), refused]);
      expect(process.output).toContain(`failpoint ${point}: SIGKILL`);
      const next = points[points.indexOf(point) + 1];
      // What is not answered yet may pass the next point as well, and needs a process that lives: an earlier strike's work that came late has
      // killed this one before its own did, or an API is asked again until it answers.
      if (next && answered && STRIKES[point].kills === 'worker' && STRIKES[next].kills === 'worker') await arm(next);
      else {
        await forget(point);
        await process.start();
      }
      await sent;
    }

    /** The operator's command over a folder of files. */
    async function reconcile(failpoints: string): Promise<string> {
      const words = [...programOf('scripts/reconcile.ts'), scene.folder, '--mode', 'test', '--rests', '0'];
      const env = { PATH: process.env.PATH, ...scene.stage.environment, COUNTINGHOUSE_FAILPOINTS: failpoints };
      const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
      const [code, signal] = await once(child, 'close');
      return `${output}${code ?? signal}`;
    }

    async function strikeCommand(point: Failpoint): Promise<void> {
      await STRIKES[point].send(scene);
      expect(await reconcile(`${point}=kill`)).toContain(`failpoint ${point}: SIGKILL`);
      // A minute later.
      await scene.stage.query("UPDATE bank_folders SET claimed_until = claimed_until - interval '1 minute'");
      expect(await reconcile('')).toMatch(/[01]$/);
    }

    test.sequential.each(points)('at %s', (point) =>
      STRIKES[point].kills === 'command' ? strikeCommand(point) : strike(point),
    );

    test.sequential('and afterwards nothing is lost, and nothing has happened twice', async () => {
      await scene.judge();
      if (isWhole) await scene.judgeBackOffice();
    });
  });
});
