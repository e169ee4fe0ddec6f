// Compares resource ids, scopes and alert names: case-insensitive, and independent of the locale. The alert client encodes
// them for URLs; the CRD decides which characters a scope may have.

/**
 * Folds ASCII letters only, as CEL's `lowerAscii` does, so that the schema and the operator agree on equality: full case
 * folding would equate the Kelvin sign with the letter k.
 */
function foldCase(text: string): string {
  return /[^\x00-\x7f]/.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text.toLowerCase();
}

/** True when both names denote the same alert, incident or resource. */
export function sameName(left: string, right: string): boolean {
  return left === right || foldCase(left) === foldCase(right);
}

/** The canonical spelling of a name, for use as a key, and as long as the name. Not for display. */
export function canonicalName(name: string): string {
  return foldCase(name);
}

/**
 * The canonical spelling of a scope: lower case, without leading and trailing slashes. The specification writes scopes
 * without a leading slash and ids with one (section 2.2); both denote the same resource.
 */
export function canonicalScope(scope: string): string {
  return foldCase(withoutOuterSlashes(scope));
}

/** Identifies one alert of one scope on one service, whatever the spelling. Neither part contains a line feed. */
export function alertKey(scope: string, alertName: string): string {
  return `${canonicalScope(scope)}\n${canonicalName(alertName)}`;
}

/** The part after the last slash of a resource id; the whole text when there is no slash. */
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
