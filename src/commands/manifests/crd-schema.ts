// The part of a CRD's openAPIV3Schema that validation needs.

export interface CelRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  /** Where the mistake is reported, relative to the rule's own field: `.dismissal`. */
  readonly fieldPath?: string;
}

/** A structural schema, as Kubernetes calls it. */
export interface CrdSchema {
  readonly type: string;
  readonly description?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, CrdSchema>>;
  readonly additionalProperties?: CrdSchema;
  readonly items?: CrdSchema;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-validations'?: readonly CelRule[];
}

/** A custom resource that this program can validate. */
export interface CustomResource {
  readonly kind: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  /** Without `status`: an API server drops the status of a manifest. */
  readonly schema: CrdSchema;
}
