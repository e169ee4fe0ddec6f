// Comparing resource ids, scopes and alert names: always without regard to case, and never by a locale's rules.
// How they are spelled in a URL is the client's business; which characters a scope may have is the CRD's.

/**
 * Folds ASCII letters only, as CEL's `lowerAscii` does, so that the schema and the operator agree on what is equal:
 * a full case folding would equate the Kelvin sign with the letter k.
 */
function foldCase(text: string): string {
  return /[^\x00-\x7f]/.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text.toLowerCase();
}

/** True when both spell the same alert, incident or resource. */
export function sameName(left: string, right: string): boolean {
  return left === right || foldCase(left) === foldCase(right);
}

/** One spelling for every spelling of a name, to be used as a key. Not for showing. */
export function canonicalName(name: string): string {
  return foldCase(name);
}

/**
 * One spelling for every spelling of a scope: lower case, without slashes around it. The specification writes scopes
 * without a leading slash and ids with one (section 2.2); both mean the same resource.
 */
export function canonicalScope(scope: string): string {
  return foldCase(withoutOuterSlashes(scope));
}

/** Identifies one alert of one scope on one service, whatever the spelling. A line feed stands in neither part. */
export function alertKey(scope: string, alertName: string): string {
  return `${canonicalScope(scope)}\n${canonicalName(alertName)}`;
}

/** What stands after the last slash of a resource id; the whole text when there is none. */
export function lastSegment(resourceId: string): string {
  return resourceId.slice(resourceId.lastIndexOf('/') + 1);
}

function withoutOuterSlashes(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text[start] === '/') start += 1;
  while (end > start && text[end - 1] === '/') end -= 1;
  return text.slice(start, end);
}
