/** Converts a CustomResourceDefinition to a kind. */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from 'kubernetes-types/apiextensions/v1.d.ts'
import { cloneJson } from '#kit'
import {
  defineKind,
  type JsonSchema,
  type Kind,
  type ScalePaths,
  type ServedVersion,
  validateValue,
} from '#platform/kube/kinds'
import { type FieldError, isQualifiedFinalizer, type KubeObject, type Stored } from '#platform/kube/meta'
import { applyDefaults } from './apply-defaults.ts'
import { customTable } from './custom-table.ts'
import { deprecationWarning } from './deprecation-warning.ts'
import { parseJsonPath } from './json-path.ts'
import { toSchema } from './to-schema.ts'
import { validateRules } from './validate-rules.ts'

type Version = CustomResourceDefinitionVersion

const ANYTHING: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

const withoutDot = (path: string): string => path.replace(/^\./, '')

const scaleOf = ({ subresources }: Version): { scale?: ScalePaths } => {
  const scale = subresources?.scale
  if (scale === undefined) return {}
  const selector = scale.labelSelectorPath
  return {
    scale: {
      spec: withoutDot(scale.specReplicasPath),
      status: withoutDot(scale.statusReplicasPath),
      ...(selector === undefined || selector === '' ? {} : { selector: withoutDot(selector) }),
    },
  }
}

/** Versions share the fields of the stored form, so that names need no translation. */
const fieldNamesOf = ({ selectableFields: fields = [] }: Version): Record<string, string> =>
  Object.fromEntries(fields.map(({ jsonPath }) => [withoutDot(jsonPath), withoutDot(jsonPath)]))

/** Without a conversion webhook, versions differ only in their name. */
const otherVersion = (
  spec: CustomResourceDefinitionSpec,
  storage: string,
  version: Version,
): ServedVersion => {
  const { group } = spec
  return {
    group,
    version: version.name,
    toServed: (object) => ({ ...object, apiVersion: `${group}/${version.name}` }),
    fromServed: (object) => ({ ...object, apiVersion: `${group}/${storage}` }),
    ...deprecationWarning(spec, version),
    fieldNames: fieldNamesOf(version),
    table: customTable(version.additionalPrinterColumns),
  }
}

const IDENTITY_FIELDS = ['apiVersion', 'kind', 'metadata']

const contentOf = ({ apiVersion: _, kind: __, metadata: ___, ...content }: KubeObject): object => content

/** Metadata is validated the same way for all kinds, so its schema is ignored. */
const withoutMetadata = (schema: JsonSchema): JsonSchema => {
  const { apiVersion: _, kind: __, metadata: ___, ...properties } = schema.properties ?? {}
  const required = (schema.required ?? []).filter((name) => !IDENTITY_FIELDS.includes(name))
  return { ...schema, properties, required }
}

/** Validation rules are not evaluated if the schema validation finds an error with one of these reasons. */
const RULE_BLOCKING_REASONS: readonly FieldError['reason'][] = [
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]

const toValidator =
  (schema: JsonSchema, content: JsonSchema) =>
  (object: KubeObject, old: KubeObject | undefined): FieldError[] => {
    const before = old === undefined ? undefined : contentOf(old)
    const errors = validateValue(contentOf(object), before, content, '')
    return errors.some(({ reason }) => RULE_BLOCKING_REASONS.includes(reason))
      ? errors
      : [...errors, ...validateRules(object, old, schema, '')]
  }

/** Returns a reader of the selectable fields of all versions; `fieldNamesOf` names those of one version. */
const selectableFields = (versions: readonly Version[]) => {
  const all = new Set(
    versions.flatMap(({ selectableFields: fields = [] }) => fields.map((field) => field.jsonPath)),
  )
  const paths = [...all].map((jsonPath) => [withoutDot(jsonPath), parseJsonPath(jsonPath)] as const)
  return (object: KubeObject): Record<string, string> =>
    Object.fromEntries(paths.map(([name, path]) => [name, String(path(object)[0] ?? '')]))
}

const finalizerWarnings = (object: KubeObject, old: KubeObject | undefined): string[] => {
  const before = old?.metadata.finalizers ?? []
  return [...new Set(object.metadata.finalizers)]
    .filter((finalizer) => !before.includes(finalizer) && !isQualifiedFinalizer(finalizer))
    .sort()
    .map(
      (finalizer) =>
        `metadata.finalizers: ${JSON.stringify(finalizer)}: prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers`,
    )
}

/**
 * Returns the kind in its stored form: the storage version if it is served, otherwise the first served version. Returns
 * undefined if no version is served.
 */
export const toKind = (definition: Stored<CustomResourceDefinition>): Kind<KubeObject> | undefined => {
  const { group, names, scope, versions } = definition.spec
  const served = versions.filter((version) => version.served)
  const version = served.find(({ storage }) => storage) ?? served[0]
  if (version === undefined) return undefined
  const schema = (version.schema?.openAPIV3Schema as JsonSchema | undefined) ?? ANYTHING
  const hasStatus = version.subresources?.status !== undefined
  const content = withoutMetadata(schema)
  const validate = toValidator(schema, content)
  return defineKind<KubeObject>({
    group,
    version: version.name,
    kind: names.kind,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: scope === 'Namespaced',
    hasStatus,
    ...scaleOf(version),
    hasGeneration: true,
    requireResourceVersion: true,
    allowUnqualifiedFinalizers: true,
    schema: toSchema(schema),
    openApiSchema: schema,
    ...deprecationWarning(definition.spec, version),
    otherVersions: served
      .filter((candidate) => candidate !== version)
      .map((candidate) => otherVersion(definition.spec, version.name, candidate)),
    defaults: (draft) => {
      // The stored status may be shared with other objects.
      if (draft.status !== undefined) draft.status = cloneJson(draft.status)
      applyDefaults(draft, content)
    },
    prepareCreate: (draft) => {
      if (hasStatus && Object.keys(draft.status ?? {}).length === 0) delete draft.status
    },
    validate,
    validateStatus: validate,
    warnings: finalizerWarnings,
    ...customTable(version.additionalPrinterColumns),
    selectableFields: selectableFields(served),
    fieldNames: fieldNamesOf(version),
  })
}
