// What an API server would refuse of valid manifests because of the objects that it stores.
import type { JsonObject } from '../../lib/json-shape.ts';
import { newCelCompiler } from './cel-environment.ts';
import { updateProblems } from './cel-problems.ts';
import { placed, type ValidObject } from './check-files.ts';
import { customResources } from './custom-resources.ts';
import type { PlacedProblem } from './parse-manifests.ts';

/** `storedOf`: the stored object that the manifest would update; undefined for a new one. */
export function checkUpdates(
  valid: readonly ValidObject[],
  storedOf: (object: JsonObject) => object | undefined,
): readonly PlacedProblem[] {
  const schemas = new Map(customResources.map(({ kind, schema }) => [kind, schema]));
  const compile = newCelCompiler();
  return valid.flatMap(({ manifest, object }) => {
    const schema = schemas.get(String(object['kind']));
    const stored = storedOf(object);
    if (!schema || !stored) return [];
    return updateProblems(object, stored, schema, compile).map((problem) => placed(manifest, problem));
  });
}
