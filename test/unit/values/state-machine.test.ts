/** A machine takes the steps of its table and throws at any other. */
import { expect, test } from 'vitest';
import { StateMachine } from '../../../src/values/state-machine.ts';

type Door = 'open' | 'closed' | 'locked';
const DOOR: Readonly<Record<Door, readonly Door[]>> = {
  open: ['closed'],
  closed: ['open', 'locked'],
  locked: ['closed'],
};

test.each`
  from        | to          | goes
  ${'open'}   | ${'closed'} | ${true}
  ${'open'}   | ${'locked'} | ${false}
  ${'open'}   | ${'open'}   | ${false}
  ${'closed'} | ${'open'}   | ${true}
  ${'closed'} | ${'locked'} | ${true}
  ${'locked'} | ${'open'}   | ${false}
`('from $from to $to: $goes', ({ from, to, goes }: { from: Door; to: Door; goes: boolean }) => {
  const door = new StateMachine<Door>('door', DOOR, from);
  if (goes) door.move(to);
  else expect(() => door.move(to)).toThrow(`The door does not go from ${from} to ${to}`);
  expect(door.state).toBe(goes ? to : from);
});

test('what needs a state throws in another one', () => {
  const door = new StateMachine<Door>('door', DOOR, 'closed');
  door.require('closed');
  expect(() => door.require('locked')).toThrow('The door is closed, not locked');
});
