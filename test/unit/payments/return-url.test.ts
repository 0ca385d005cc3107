import { expect, test } from 'vitest';
import { asciiUrl, isLoopbackUrl, returnUrlFault, withPayment } from '../../../src/payments/payment/return-url.ts';
import { namedOrigin } from '../../../src/values/url.ts';

test.each`
  url                                   | loopback | origin
  ${'https://shop.example/a?b=c'}       | ${false} | ${'https://shop.example'}
  ${'https://shop.example.:8443/'}      | ${false} | ${'https://shop.example.:8443'}
  ${'https://bücher.example/'}          | ${false} | ${'https://xn--bcher-kva.example'}
  ${'http://localhost:3000/back'}       | ${true}  | ${'http://localhost:3000'}
  ${'http://127.0.0.1'}                 | ${true}  | ${'http://127.0.0.1'}
  ${'http://0x7f.1/'}                   | ${true}  | ${'http://127.0.0.1'}
  ${'http://[::1]:3000/back'}           | ${true}  | ${undefined}
  ${'http://127.0.0.2'}                 | ${false} | ${'http://127.0.0.2'}
  ${'https://a.b;sandbox.example/'}     | ${false} | ${undefined}
  ${"https://a.b,'self'.example/"}      | ${false} | ${undefined}
  ${'https://*.example/'}               | ${false} | ${undefined}
  ${'javascript://shop.example/%0aa()'} | ${false} | ${undefined}
`('$url is on this machine: $loopback, and a policy names it as $origin', ({ url, loopback, origin }) => {
  expect(isLoopbackUrl(url)).toBe(loopback);
  expect(namedOrigin(url)).toBe(origin);
});

/** What stands behind the URL as it was given. */
test.each`
  url                                                           | added
  ${'https://shop.example'}                                     | ${'?payment=P'}
  ${'HTTPS://Shop.Example:443/a/../b'}                          | ${'?payment=P'}
  ${'https://shop.example/a?'}                                  | ${'payment=P'}
  ${'https://shop.example/a?flag'}                              | ${'&payment=P'}
  ${'https://shop.example/a?b=%20+c&'}                          | ${'payment=P'}
  ${'https://shop.example/a?b=~!*()\'[0]|{}"<>^`'}              | ${'&payment=P'}
  ${'https://shop.example/a?repayment=1&payments='}             | ${'&payment=P'}
  ${'https://shop.example/a?payment=mine'}                      | ${'&countinghouse_payment=P'}
  ${'https://shop.example/a?b&payment'}                         | ${'&countinghouse_payment=P'}
  ${'https://shop.example/a?p%61yment=1'}                       | ${'&countinghouse_payment=P'}
  ${'https://shop.example/payment=1'}                           | ${'?payment=P'}
  ${'https://shop.example/a?payment[id]=7'}                     | ${'&countinghouse_payment=P'}
  ${'https://shop.example/a?payment[]=7'}                       | ${'&countinghouse_payment=P'}
  ${'https://shop.example/a?payment%5Bid%5D=7'}                 | ${'&countinghouse_payment=P'}
  ${'https://shop.example/a?payment[id'}                        | ${'&countinghouse_payment=P'}
  ${'https://shop.example/a?[payment]=7'}                       | ${'&countinghouse_payment=P'}
  ${'https://shop.example/a?b=1&+payment=7'}                    | ${'&countinghouse_payment=P'}
  ${'https://shop.example/a?b=1;payment=7'}                     | ${'&countinghouse_payment=P'}
  ${'https://shop.example/a?Payment=7'}                         | ${'&countinghouse_payment=P'}
  ${'https://shop.example/a?payment=1&countinghouse_payment=Q'} | ${'&countinghouse_payment=P'}
  ${'https://shop.example/a?order[payment]=7'}                  | ${'&payment=P'}
  ${'https://shop.example/a?payment_id=7&b=payment'}            | ${'&payment=P'}
`('$url gets $added', ({ url, added }) => {
  expect(withPayment(url, 'P')).toBe(url + added);
  expect(withPayment(`${url}#/cart?payment=x`, 'P')).toBe(`${url}${added}#/cart?payment=x`);
  expect(asciiUrl(url)).toBe(url);
});

test.each`
  url                                       | header
  ${'https://متجر.الاردن/عودة?طلب=١#نهاية'} | ${'https://xn--pgbep1f.xn--mgbayh7gpa/%D8%B9%D9%88%D8%AF%D8%A9?%D8%B7%D9%84%D8%A8=%D9%A1#%D9%86%D9%87%D8%A7%D9%8A%D8%A9'}
  ${'https://bücher.example:8443/%20a'}     | ${'https://xn--bcher-kva.example:8443/%20a'}
  ${'https://shop.example/zurück?a=😀'}     | ${'https://shop.example/zur%C3%BCck?a=%F0%9F%98%80'}
`('$url goes into a header as $header', ({ url, header }) => {
  expect(asciiUrl(url)).toBe(header);
  expect(returnUrlFault(url)).toBeUndefined();
});

test.each`
  url                                   | fault
  ${'https://shop.example'}             | ${undefined}
  ${'https://shop.xn--p1ai/'}           | ${undefined}
  ${'https://xn--ogbk2i.xn--igbi0gl/x'} | ${undefined}
  ${'https://магазин.рф/'}              | ${undefined}
  ${'https://shop.example.:8443/'}      | ${undefined}
  ${'https://my_shop.example/'}         | ${/public host/}
  ${'https://a.b;sandbox.example/'}     | ${/public host/}
  ${'https://*.example/'}               | ${/public host/}
  ${"https://a.b'.example/"}            | ${/public host/}
  ${'https://a,b.example/'}             | ${/public host/}
  ${'https://a$b.example/'}             | ${/public host/}
  ${'https://-a.example/'}              | ${/public host/}
  ${'https://shop.example/a;b,\'c"<*>'} | ${undefined}
  ${'https://8.8.8.8/'}                 | ${undefined}
  ${'http://0x7f.1/'}                   | ${undefined}
  ${'http://shop.example/'}             | ${/public host/}
  ${'https://shop.example/?payment=1'}  | ${undefined}
  ${'https://shop'}                     | ${/public host/}
  ${'https://shop.local/'}              | ${/public host/}
  ${'https://shop..example/'}           | ${/public host/}
  ${'https://10.0.0.7/'}                | ${/public host/}
  ${'https://[fe80::1]/'}               | ${/public host/}
  ${'https://2130706434/'}              | ${/public host/}
  ${'https://a@shop.example/'}          | ${/user name/}
  ${'https://shop.example\\@b.example'} | ${/write it as %5C/}
  ${'https:\\\\shop.example'}           | ${/https URL/}
  ${'https:shop.example'}               | ${/https URL/}
  ${'https:///shop.example'}            | ${/https URL/}
  ${'https://xn--a.example'}            | ${/https URL/}
  ${'javascript:alert(1)'}              | ${/https URL/}
  ${'https://shop.example/a b'}         | ${/no spaces/}
  ${'https://shop.example/\r\na'}       | ${/no spaces/}
  ${'https://shop.example/\ud800'}      | ${/half characters/}
`('$url: $fault', ({ url, fault }) => {
  if (fault === undefined) expect(returnUrlFault(url)).toBeUndefined();
  else expect(returnUrlFault(url)).toMatch(fault);
});
