import { expect, test } from 'vitest';
import { formTarget, isLoopbackUrl } from '../../../src/payments/return-url.ts';

test.each`
  url                             | loopback | target
  ${'https://shop.example/a?b=c'} | ${false} | ${'https://shop.example'}
  ${'http://localhost:3000/back'} | ${true}  | ${'http://localhost:3000'}
  ${'http://127.0.0.1'}           | ${true}  | ${'http://127.0.0.1'}
  ${'http://0x7f.1/'}             | ${true}  | ${'http://127.0.0.1'}
  ${'http://[::1]:3000/back'}     | ${true}  | ${'http:'}
  ${'http://127.0.0.2'}           | ${false} | ${'http://127.0.0.2'}
`(
  '$url is on this machine: $loopback, and a form that leads there may lead to $target',
  ({ url, loopback, target }) => {
    expect(isLoopbackUrl(url)).toBe(loopback);
    expect(formTarget(url)).toBe(target);
  },
);
