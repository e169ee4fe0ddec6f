// The path of a field in a manifest, and its text in the notation of Kubernetes: `spec.alerts[0].name`.
export type FieldPath = readonly (string | number)[];

export function fieldText(path: FieldPath): string {
  return path.map((step, index) => stepText(step, index === 0)).join('');
}

function stepText(step: string | number, isFirst: boolean): string {
  if (typeof step === 'number') return `[${step}]`;
  // Keys of labels and annotations contain dots and slashes.
  if (!/^[A-Za-z0-9_-]+$/.test(step)) return `[${step}]`;
  return isFirst ? step : `.${step}`;
}
