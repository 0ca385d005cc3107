/** A process of its own: the hostile neighbour, so that its work delays no measurement. Takes messages (attack.ts). */
import { setPriority } from 'node:os';
import type { Attack, HostileQuestion, Outcomes, Running } from './attack.ts';
import { uploadEndlessly } from './endless-uploads.ts';
import { keepIdle } from './idle-connections.ts';
import { sendAtRate } from './rated-requests.ts';
import { leaveUnread } from './unread-answers.ts';

/** Elsewhere a neighbour has a machine of its own. Here the product goes first where both want a core. */
const NICENESS = 10;

const running: Running[] = [];
const outcomes: Outcomes = {};
const count = (outcome: string | number) => {
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
};

function begin(attack: Attack): Running {
  switch (attack.kind) {
    case 'requests':
      return sendAtRate(attack, count);
    case 'unread':
      return leaveUnread(attack, count);
    case 'idle':
      return keepIdle(attack, count);
    case 'uploads':
      return uploadEndlessly(attack, count);
  }
}

setPriority(NICENESS);
process.on('message', async (question: HostileQuestion) => {
  if (question.ask === 'begin') {
    const attack = begin(question.attack);
    running.push(attack);
    await attack.underWay;
    process.send!(true);
  } else {
    for (const attack of running.splice(0)) attack.end();
    process.send!(outcomes);
  }
});
process.once('disconnect', () => process.exit());
