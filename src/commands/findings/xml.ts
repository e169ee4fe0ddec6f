// XML as text: elements with attributes and text.

/** Characters that XML 1.0 does not allow become U+FFFD. */
export function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** `content` is XML. */
export function element(name: string, attributes: Readonly<Record<string, string | number>>, content = ''): string {
  const texts = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`);
  return content === '' ? `<${name}${texts.join('')}/>` : `<${name}${texts.join('')}>${content}</${name}>`;
}
