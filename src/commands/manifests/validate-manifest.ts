// Validates one manifest as an API server would: the fields it knows, the schema, the CEL rules.
import type { CustomResource } from '../../lib/crds.ts';
import { isObject, isString, type JsonObject } from '../../lib/json-shape.ts';
import { nearestOf } from '../../lib/nearest.ts';
import { apiGroup, groupVersion } from '../../policy/resources.ts';
import { type CelProgram, newCelCompiler } from './cel-environment.ts';
import { celProblems } from './cel-problems.ts';
import { metadataProblems } from './metadata-problems.ts';
import type { Problem } from './problem.ts';
import { withDefaults } from './schema-defaults.ts';
import { type SchemaCheck, schemaCheck } from './schema-problems.ts';

/** The result for one manifest: its problems, and the object with its defaults if it has no errors. */
export interface Validated {
  readonly problems: readonly Problem[];
  readonly object: JsonObject | undefined;
}

/** Problems after which an API server does not evaluate the CEL rules. */
const blocking = new Set(['unknown-field', 'required-field', 'wrong-type', 'unsupported-value', 'too-long']);

export class ManifestValidator {
  readonly #resources: ReadonlyMap<string, CustomResource>;
  readonly #checks = new Map<string, SchemaCheck>();
  readonly #compile: (expression: string) => CelProgram = newCelCompiler();

  constructor(resources: readonly CustomResource[]) {
    this.#resources = new Map(resources.map((resource) => [resource.kind, resource]));
  }

  /** Undefined for an object of another API group, which this program does not know. */
  validate(manifest: unknown): Validated | undefined {
    if (!isObject(manifest)) return { problems: [notAnObject], object: undefined };
    const { apiVersion, kind } = manifest;
    if (!isString(apiVersion) || !isString(kind)) return { problems: withoutType(manifest), object: undefined };
    if (apiVersion.split('/')[0] !== apiGroup) return undefined;
    const resource = this.#resources.get(kind);
    const wrongType =
      apiVersion !== groupVersion ? wrongVersion(apiVersion) : resource ? undefined : this.#wrongKind(kind);
    if (wrongType || !resource) return { problems: wrongType ? [wrongType] : [], object: undefined };
    return this.#validated(manifest, resource);
  }

  #validated(manifest: JsonObject, resource: CustomResource): Validated {
    const object = withDefaults(withoutStatus(manifest), resource.schema);
    const found = [...metadataProblems(manifest['metadata']), ...this.#check(resource)(object)];
    const isBlocked = found.some(({ check }) => blocking.has(check));
    const problems = isBlocked ? found : [...found, ...celProblems(object, resource.schema, this.#compile)];
    return { problems, object: problems.length === 0 && isObject(object) ? object : undefined };
  }

  #check(resource: CustomResource): SchemaCheck {
    let check = this.#checks.get(resource.kind);
    if (!check) {
      check = schemaCheck(resource);
      this.#checks.set(resource.kind, check);
    }
    return check;
  }

  #wrongKind(kind: string): Problem {
    const kinds = [...this.#resources.keys()];
    const close = nearestOf(kind, kinds);
    const fix = close === undefined ? `write one of ${kinds.join(', ')}` : `write ${close}`;
    return {
      check: 'unsupported-value',
      severity: 'error',
      path: ['kind'],
      message: `${apiGroup} has no kind ${kind}`,
      fix,
    };
  }
}

function withoutStatus(manifest: JsonObject): JsonObject {
  const { status: _status, ...rest } = manifest;
  return rest;
}

const notAnObject: Problem = {
  check: 'wrong-type',
  severity: 'error',
  path: [],
  message: 'the manifest must be an object with apiVersion, kind, metadata and spec',
};

function withoutType(manifest: JsonObject): readonly Problem[] {
  return ['apiVersion', 'kind'].flatMap((name): Problem[] => {
    if (isString(manifest[name])) return [];
    const fix = name === 'kind' ? 'add kind' : `add apiVersion: ${groupVersion}`;
    return [{ check: 'required-field', severity: 'error', path: [name], message: 'the field is required', fix }];
  });
}

function wrongVersion(apiVersion: string): Problem {
  const message = `${apiVersion} is not a version that this program knows`;
  return { check: 'unsupported-value', severity: 'error', path: ['apiVersion'], message, fix: `write ${groupVersion}` };
}
