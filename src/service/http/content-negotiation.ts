// What the headers of a request accept: the gzip coding, the tags that its sender already has, and those that it insists on (RFC 9110
// sections 12.5.3, 13.1.2 and 13.1.1).

/** True when Accept-Encoding names gzip, or everything, with a weight above 0. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  if (acceptEncoding === undefined || acceptEncoding === '') return false;
  const codings = acceptEncoding.toLowerCase().split(',').map(parseCoding);
  const named = codings.find(({ name }) => name === 'gzip' || name === 'x-gzip');
  const weight = (named ?? codings.find(({ name }) => name === '*'))?.weight ?? 0;
  return weight > 0;
}

interface Coding {
  readonly name: string;
  readonly weight: number;
}

/** `gzip;q=0.5`. A weight that is not a number refuses the coding. */
function parseCoding(text: string): Coding {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { name, weight: weight === undefined ? 1 : Number(weight) || 0 };
}

/** True when If-None-Match lists `tag`, also as a weak one, or is `*`. `tag` has its quotes. */
export function includesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  return tagsIn(ifNoneMatch).some((each) => each === '*' || each === tag || each === `W/${tag}`);
}

/** True when If-Match lists `tag`, as a strong one, or is `*`. */
export function allowsTag(ifMatch: string | undefined, tag: string): boolean {
  return tagsIn(ifMatch).some((each) => each === '*' || each === tag);
}

function tagsIn(header = ''): readonly string[] {
  return header.split(',').map((text) => text.trim());
}
