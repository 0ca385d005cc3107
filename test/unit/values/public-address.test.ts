import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../src/errors/errors.ts';
import { refuseUrl, type UrlRules } from '../../../src/outside/connections/endpoint-url.ts';
import { isPublicAddress, parseAllowList } from '../../../src/values/public-address.ts';

/** What is no URL at all is thrown: a request error. */
function refusedAs(url: string, rules: UrlRules): string | undefined {
  try {
    return refuseUrl(url, rules)?.refused;
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

describe('an address', () => {
  test.each`
    address                       | what
    ${'8.8.8.8'}                  | ${'a public one'}
    ${'1.1.1.1'}                  | ${'a public one'}
    ${'100.63.255.255'}           | ${'just below the shared range'}
    ${'100.128.0.0'}              | ${'just above the shared range'}
    ${'172.15.255.255'}           | ${'just below a private range'}
    ${'172.32.0.0'}               | ${'just above a private range'}
    ${'223.255.255.255'}          | ${'just below multicast'}
    ${'2606:4700:4700::1111'}     | ${'a public one'}
    ${'2a00:1450:4001:81b::200e'} | ${'a public one'}
  `('$address is public: $what', ({ address }) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each`
    address                 | what
    ${'0.0.0.0'}            | ${'this host'}
    ${'0.1.2.3'}            | ${'this network'}
    ${'10.0.0.1'}           | ${'private'}
    ${'100.64.0.1'}         | ${'shared (CGNAT)'}
    ${'100.100.100.200'}    | ${'metadata of a cloud, in the shared range'}
    ${'100.127.255.255'}    | ${'shared (CGNAT)'}
    ${'127.0.0.1'}          | ${'loopback'}
    ${'127.255.255.255'}    | ${'loopback'}
    ${'168.63.129.16'}      | ${'services of a cloud host'}
    ${'169.254.169.254'}    | ${'link-local, metadata'}
    ${'172.16.0.1'}         | ${'private'}
    ${'172.31.255.255'}     | ${'private'}
    ${'192.0.0.192'}        | ${'protocol assignments'}
    ${'192.0.2.1'}          | ${'documentation'}
    ${'192.88.99.1'}        | ${'6to4 relays'}
    ${'192.168.1.1'}        | ${'private'}
    ${'198.18.0.1'}         | ${'benchmarking'}
    ${'198.51.100.1'}       | ${'documentation'}
    ${'203.0.113.1'}        | ${'documentation'}
    ${'224.0.0.1'}          | ${'multicast'}
    ${'239.255.255.255'}    | ${'multicast'}
    ${'240.0.0.1'}          | ${'reserved'}
    ${'255.255.255.255'}    | ${'broadcast'}
    ${'::'}                 | ${'unspecified'}
    ${'::1'}                | ${'loopback'}
    ${'::127.0.0.1'}        | ${'IPv4-compatible'}
    ${'::8.8.8.8'}          | ${'IPv4-compatible'}
    ${'::ffff:127.0.0.1'}   | ${'IPv4-mapped'}
    ${'::ffff:8.8.8.8'}     | ${'IPv4-mapped'}
    ${'::ffff:0:127.0.0.1'} | ${'IPv4-translated'}
    ${'64:ff9b::7f00:1'}    | ${'NAT64'}
    ${'64:ff9b:1::a00:1'}   | ${'local NAT64'}
    ${'100::1'}             | ${'discard only'}
    ${'2001::1'}            | ${'Teredo'}
    ${'2001:2::1'}          | ${'benchmarking'}
    ${'2001:10::1'}         | ${'ORCHID'}
    ${'2001:db8::1'}        | ${'documentation'}
    ${'2002:7f00:1::'}      | ${'6to4'}
    ${'3fff::1'}            | ${'documentation'}
    ${'4000::1'}            | ${'not given out'}
    ${'5f00::1'}            | ${'segment routing'}
    ${'fc00::1'}            | ${'unique local'}
    ${'fd00:ec2::254'}      | ${'unique local, metadata'}
    ${'fe80::1'}            | ${'link-local'}
    ${'fe80::1%eth0'}       | ${'link-local with a zone'}
    ${'fec0::1'}            | ${'site-local'}
    ${'ff02::1'}            | ${'multicast'}
    ${'2606:4700::1%lo'}    | ${'a zone'}
    ${'127.1'}              | ${'no full address'}
    ${'0177.0.0.1'}         | ${'no plain address'}
    ${'2130706433'}         | ${'no address'}
    ${'example.com'}        | ${'a name'}
    ${''}                   | ${'nothing'}
  `('$address is not public: $what', ({ address }) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('an allow list', () => {
  const list = parseAllowList(['127.0.0.1:*', 'Receiver.Internal:8443', '[::1]:4000']);

  test.each`
    host                   | port     | permitted
    ${'127.0.0.1'}         | ${80}    | ${true}
    ${'127.0.0.1'}         | ${65535} | ${true}
    ${'127.0.0.2'}         | ${80}    | ${false}
    ${'receiver.internal'} | ${8443}  | ${true}
    ${'receiver.internal'} | ${443}   | ${false}
    ${'[::1]'}             | ${4000}  | ${true}
    ${'::1'}               | ${4000}  | ${true}
    ${'0:0:0:0:0:0:0:1'}   | ${4000}  | ${true}
    ${'::1'}               | ${4001}  | ${false}
    ${'localhost'}         | ${80}    | ${false}
    ${'*'}                 | ${80}    | ${false}
  `('permits $host at $port: $permitted', ({ host, port, permitted }) => {
    expect(list.permits(host, port)).toBe(permitted);
  });

  test('without entries permits nothing', () => {
    expect(parseAllowList([]).permits('127.0.0.1', 80)).toBe(false);
  });
});

describe('the URL of an endpoint', () => {
  const allow = parseAllowList(['127.0.0.1:*', 'localhost:3000', 'hooks:8080']);

  test.each`
    mode      | url                                           | refused
    ${'live'} | ${'https://example.com/hooks?a=b'}            | ${undefined}
    ${'live'} | ${'https://example.com:8443/'}                | ${undefined}
    ${'live'} | ${'https://example.com:9443/'}                | ${undefined}
    ${'live'} | ${'https://example.com:22/'}                  | ${'webhook_url_forbidden'}
    ${'test'} | ${'http://example.com:80/'}                   | ${undefined}
    ${'test'} | ${'http://example.com:6379/'}                 | ${'webhook_url_forbidden'}
    ${'test'} | ${'https://8.8.8.8:5432/'}                    | ${'webhook_url_forbidden'}
    ${'live'} | ${'https://8.8.8.8/'}                         | ${undefined}
    ${'live'} | ${'https://[2606:4700:4700::1111]/'}          | ${undefined}
    ${'test'} | ${'http://example.com/'}                      | ${undefined}
    ${'live'} | ${'http://example.com/'}                      | ${'webhook_url_forbidden'}
    ${'test'} | ${'http://127.0.0.1:4000/'}                   | ${undefined}
    ${'live'} | ${'https://127.0.0.1:4000/'}                  | ${'webhook_url_forbidden'}
    ${'test'} | ${'http://localhost:3000/'}                   | ${undefined}
    ${'test'} | ${'http://localhost:3001/'}                   | ${'webhook_url_forbidden'}
    ${'test'} | ${'http://hooks:8080/'}                       | ${undefined}
    ${'test'} | ${'http://hooks/'}                            | ${'webhook_url_forbidden'}
    ${'test'} | ${'http://10.0.0.1/'}                         | ${'webhook_url_forbidden'}
    ${'test'} | ${'http://printer.local/'}                    | ${'webhook_url_forbidden'}
    ${'test'} | ${'http://metadata.google.internal/'}         | ${'webhook_url_forbidden'}
    ${'test'} | ${'http://metadata.google.internal./'}        | ${'webhook_url_forbidden'}
    ${'test'} | ${'http://a.localhost/'}                      | ${'webhook_url_forbidden'}
    ${'live'} | ${'https://2130706433/'}                      | ${'webhook_url_forbidden'}
    ${'live'} | ${'https://0x7f000001/'}                      | ${'webhook_url_forbidden'}
    ${'live'} | ${'https://0177.0.0.1/'}                      | ${'webhook_url_forbidden'}
    ${'live'} | ${'https://127.1/'}                           | ${'webhook_url_forbidden'}
    ${'live'} | ${'https://127.0.0.1./'}                      | ${'webhook_url_forbidden'}
    ${'live'} | ${'https://0/'}                               | ${'webhook_url_forbidden'}
    ${'live'} | ${'https://%31%32%37.0.0.1/'}                 | ${'webhook_url_forbidden'}
    ${'live'} | ${'https://[::1]/'}                           | ${'webhook_url_forbidden'}
    ${'live'} | ${'https://[::ffff:127.0.0.1]/'}              | ${'webhook_url_forbidden'}
    ${'live'} | ${'https://[::ffff:7f00:1]/'}                 | ${'webhook_url_forbidden'}
    ${'live'} | ${'https://[64:ff9b::10.0.0.1]/'}             | ${'webhook_url_forbidden'}
    ${'live'} | ${'https://169.254.169.254/latest/'}          | ${'webhook_url_forbidden'}
    ${'live'} | ${'https://user@example.com/'}                | ${'parameter_invalid'}
    ${'live'} | ${'https://:password@example.com/'}           | ${'parameter_invalid'}
    ${'live'} | ${'https://example.com/#top'}                 | ${'parameter_invalid'}
    ${'live'} | ${'ftp://example.com/'}                       | ${'parameter_invalid'}
    ${'live'} | ${'file:///etc/passwd'}                       | ${'parameter_invalid'}
    ${'live'} | ${'javascript:alert(1)'}                      | ${'parameter_invalid'}
    ${'live'} | ${'example.com/hooks'}                        | ${'parameter_invalid'}
    ${'live'} | ${'https://'}                                 | ${'parameter_invalid'}
    ${'live'} | ${'https://exa mple.com/'}                    | ${'parameter_invalid'}
    ${'live'} | ${'https://exam\nple.com/'}                   | ${'parameter_invalid'}
    ${'live'} | ${'https://example.com/\u0000'}               | ${'parameter_invalid'}
    ${'live'} | ${'https://beispiel-ü.de/'}                   | ${'parameter_invalid'}
    ${'live'} | ${`https://example.com/${'a'.repeat(2_048)}`} | ${'parameter_invalid'}
    ${'live'} | ${''}                                         | ${'parameter_invalid'}
    ${'live'} | ${'https://example.com./'}                    | ${undefined}
    ${'live'} | ${'https://example.com/%5Ba%5D?b=%23'}        | ${undefined}
    ${'live'} | ${"HTTPS://example.com/-._~!$&'()*+,;=:@?/?"} | ${undefined}
    ${'live'} | ${'https://@example.com/'}                    | ${'parameter_invalid'}
    ${'live'} | ${'https://:@example.com/'}                   | ${'parameter_invalid'}
  `('$url in $mode mode is refused as $refused', ({ mode, url, refused }) => {
    expect(refusedAs(url, { mode, allow, ports: [9_443] })).toBe(refused);
  });

  test.each`
    url                             | detail
    ${'https:example.com'}          | ${'A URL such as https://example.com/webhooks is expected.'}
    ${'https:/example.com'}         | ${'A URL such as https://example.com/webhooks is expected.'}
    ${'https:///example.com'}       | ${'A URL such as https://example.com/webhooks is expected.'}
    ${'https:\\\\example.com'}      | ${'A URL must not contain \\; write it as %5C.'}
    ${'https://example.com\\hooks'} | ${'A URL must not contain \\; write it as %5C.'}
    ${'https://example.com/"'}      | ${'A URL must not contain "; write it as %22.'}
    ${'https://example.com/<a>'}    | ${'A URL must not contain <; write it as %3C.'}
    ${'https://example.com/?a=>'}   | ${'A URL must not contain >; write it as %3E.'}
    ${'https://example.com/^'}      | ${'A URL must not contain ^; write it as %5E.'}
    ${'https://example.com/`'}      | ${'A URL must not contain `; write it as %60.'}
    ${'https://example.com/{id}'}   | ${'A URL must not contain {; write it as %7B.'}
    ${'https://example.com/|'}      | ${'A URL must not contain |; write it as %7C.'}
    ${'https://example.com/}'}      | ${'A URL must not contain }; write it as %7D.'}
    ${'https://example.com/a b'}    | ${'A URL is written in visible ASCII characters; encode everything else.'}
    ${'https://example.com/%'}      | ${'In a URL, % is followed by two hexadecimal digits; write % itself as %25.'}
    ${'https://example.com/?a[]'}   | ${'After its host, a URL must not contain [; write it as %5B.'}
    ${'https://example.com/#'}      | ${'A URL must not carry a fragment; leave out # and what follows it.'}
    ${'https://example.com/#top'}   | ${'A URL must not carry a fragment; leave out # and what follows it.'}
    ${'https://a..b/'}              | ${'A host name has no empty part: nothing stands between two of its dots.'}
    ${'https://.example.com/'}      | ${'A host name has no empty part: nothing stands between two of its dots.'}
    ${'https://example.com../'}     | ${'A host name has no empty part: nothing stands between two of its dots.'}
    ${'https://./'}                 | ${'A host name has no empty part: nothing stands between two of its dots.'}
  `('$url is no URI: $detail', ({ url, detail }) => {
    const fieldErrors = [{ code: 'parameter_invalid', param: '/url', detail }];
    expect(() => refuseUrl(url, { mode: 'test', allow })).toThrow(expect.objectContaining({ fieldErrors }));
  });

  test('at a forbidden port is answered with the allowed ports', () => {
    expect(refuseUrl('https://example.com:22/', { mode: 'live', allow, ports: [9_443] })).toEqual({
      refused: 'webhook_url_forbidden',
      param: '/url',
      detail: 'Port 22 is not allowed; these are: 443, 80, 8443, 9443.',
    });
  });
});
