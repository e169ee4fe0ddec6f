// Options with an address: the origin of a URL, or a host and port to listen on.
import { formatListenAddress, type ListenAddress, parseListenAddress } from '../listen-address.ts';
import { type Facts, last, option, type Option } from './option.ts';

/** `http://HOST:PORT` or `https://HOST:PORT`, without a trailing slash. */
export function originOption(facts: Facts): Option<string | undefined> {
  return option<string | undefined>(facts, {
    fallback: undefined,
    placeholder: 'URL',
    parse: (texts) => {
      const url = URL.parse(last(texts));
      const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
      return isOrigin ? { value: url.origin } : { expected: 'an http or https URL without path, query and user name' };
    },
  });
}

const addressExpected = 'an address like 127.0.0.1:8080 or :8080';

/** An address to listen on that cannot be disabled. */
export function listenOption({ fallback, ...facts }: Facts & { fallback: ListenAddress }): Option<ListenAddress> {
  const parse = (texts: readonly string[]) => {
    const value = parseListenAddress(last(texts));
    return value ? { value } : { expected: addressExpected };
  };
  const defaultText = formatListenAddress(fallback);
  return option(facts, { fallback, defaultText, placeholder: 'HOST:PORT', parse, show: formatListenAddress });
}

/** The value is `undefined` when `0` disables the address. */
export function addressOption(facts: Facts & { fallback: string }): Option<ListenAddress | undefined> {
  const parse = (texts: readonly string[]) => {
    if (last(texts) === '0') return { value: undefined };
    const value = parseListenAddress(last(texts));
    return value ? { value } : { expected: `${addressExpected}, or 0 for none` };
  };
  return option(facts, {
    fallback: parseListenAddress(facts.fallback),
    defaultText: facts.fallback,
    placeholder: 'HOST:PORT',
    parse,
    show: (address) => (address === undefined ? '0' : formatListenAddress(address)),
  });
}
