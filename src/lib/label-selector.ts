// Kubernetes label selectors in kubectl's syntax, equality-based and set-based: they select the objects of a shard. The API
// server applies the text to lists and watches; this file validates it first, and applies it to single objects.

type Labels = Readonly<Record<string, string>>;

/** All requirements must hold. */
export type LabelSelector = readonly Requirement[];

interface Requirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values: readonly string[];
}

const name = '[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const domain = '[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const keyForm = new RegExp(`^(?<domain>${domain}/)?${name}$`);
const valueForm = new RegExp(`^(${name})?$`);
const longestDomain = 253;

/** Undefined when the text is invalid, or empty, which would select everything. */
export function parseLabelSelector(text: string): LabelSelector | undefined {
  // A comma separates requirements, except between the brackets of a set.
  const parts = text.split(/,(?![^()]*\))/).map((part) => part.trim());
  const requirements = parts.map((part) => parseRequirement(part));
  return requirements.every((each) => each !== undefined) ? requirements : undefined;
}

function parseRequirement(text: string): Requirement | undefined {
  const set = /^(?<key>\S+)\s+(?<operator>in|notin)\s*\((?<values>[^()]*)\)$/.exec(text)?.groups;
  if (set) {
    const values = (set['values'] ?? '').split(',').map((value) => value.trim());
    return requirement(set['key'], set['operator'] === 'in' ? 'In' : 'NotIn', values);
  }
  const equality = /^(?<key>[^=!\s]+)\s*(?<operator>==?|!=)\s*(?<value>[^=!\s]*)$/.exec(text)?.groups;
  if (equality)
    return requirement(equality['key'], equality['operator'] === '!=' ? 'NotIn' : 'In', [equality['value'] ?? '']);
  if (text.startsWith('!')) return requirement(text.slice(1).trim(), 'DoesNotExist', []);
  return requirement(text, 'Exists', []);
}

function requirement(key = '', operator: Requirement['operator'], values: readonly string[]): Requirement | undefined {
  const form = keyForm.exec(key);
  const isValid = form && (form.groups?.['domain'] ?? '').length <= longestDomain + 1;
  return isValid && values.every((value) => valueForm.test(value)) ? { key, operator, values } : undefined;
}

/** An absent label matches `NotIn`, as in Kubernetes. */
export function isSelected(selector: LabelSelector, labels: Labels = {}): boolean {
  return selector.every(({ key, operator, values }) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    switch (operator) {
      case 'Exists':
        return value !== undefined;
      case 'DoesNotExist':
        return value === undefined;
      case 'In':
        return values.some((each) => each === value);
      case 'NotIn':
        return values.every((each) => each !== value);
    }
  });
}
