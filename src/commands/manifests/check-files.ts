// Validates the manifests of several files, each by itself and then together.
import { isObject, isString, type JsonObject } from '../../lib/json-shape.ts';
import { apiGroup } from '../../policy/resources.ts';
import { checkTogether } from './check-together.ts';
import { customResources } from './custom-resources.ts';
import type { ManifestFile } from './manifest-files.ts';
import { type Manifest, type ParsedFile, parseManifests, type PlacedProblem } from './parse-manifests.ts';
import type { Problem } from './problem.ts';
import { ManifestValidator } from './validate-manifest.ts';

/** An object of ours without errors. */
export interface ValidObject {
  readonly manifest: Manifest;
  /** With the defaults of its schema. */
  readonly object: JsonObject;
}

export interface FileReport {
  /** By file and place. */
  readonly problems: readonly PlacedProblem[];
  /** Objects of this program's kinds, valid or not. */
  readonly checked: number;
  /** Objects of other API groups, and files in directories that hold no manifest. */
  readonly skipped: number;
  readonly valid: readonly ValidObject[];
  /** The objects of other API groups, unchecked. */
  readonly others: readonly Manifest[];
}

/** `nowMs`: for dismissals and suspensions that have ended; milliseconds since 1970. */
export function checkFiles(files: readonly ManifestFile[], nowMs: number): FileReport {
  const validator = new ManifestValidator(customResources);
  const problems: PlacedProblem[] = [];
  const valid: ValidObject[] = [];
  const others: Manifest[] = [];
  let checked = 0;
  let skipped = 0;
  for (const file of files) {
    const parsed = parseManifests(file.name, file.text);
    if (isOtherYaml(file, parsed)) {
      skipped += 1;
      continue;
    }
    problems.push(...parsed.problems);
    for (const manifest of parsed.manifests) {
      const validated = validator.validate(manifest.value);
      if (!validated) {
        skipped += 1;
        others.push(manifest);
        continue;
      }
      checked += 1;
      problems.push(...validated.problems.map((problem) => placed(manifest, problem)));
      if (validated.object) valid.push({ manifest, object: validated.object });
    }
  }
  problems.push(...checkTogether(valid, nowMs));
  return { problems: problems.sort(byPlace), checked, skipped, valid, others };
}

/** Why an API server would refuse each update. `stored`: the object before it, with its status. */
export function checkUpdates(
  updates: readonly { readonly manifest: Manifest; readonly updated: object; readonly stored: object }[],
): readonly PlacedProblem[] {
  const validator = new ManifestValidator(customResources);
  return updates.flatMap(({ manifest, updated, stored }) =>
    validator.updateProblems({ ...updated }, stored).map((problem) => placed(manifest, problem)),
  );
}

function placed(manifest: Manifest, problem: Problem): PlacedProblem {
  return { ...problem, file: manifest.file, place: manifest.placeOf(problem.path) };
}

/**
 * A file that was found in a directory and in which no document says that it is an object of Kubernetes. One that cannot be parsed
 * is a manifest if it names the API group.
 */
function isOtherYaml({ isNamed, text }: ManifestFile, { manifests, problems }: ParsedFile): boolean {
  if (isNamed || manifests.some(({ value }) => isObject(value) && isString(value['apiVersion']))) return false;
  return problems.length === 0 || !text.includes(`${apiGroup}/`);
}

/** The files keep their order. */
function byPlace(left: PlacedProblem, right: PlacedProblem): number {
  if (left.file !== right.file) return 0;
  return left.place.line - right.place.line || left.place.column - right.place.column;
}
