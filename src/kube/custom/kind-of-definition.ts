/** Makes a kind out of a CustomResourceDefinition. */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from 'kubernetes-types/apiextensions/v1.d.ts'
import { cloneJson } from '../../kit/index.ts'
import {
  defineKind,
  type JsonSchema,
  type Kind,
  type ScalePaths,
  type ServedVersion,
} from '../kinds/index.ts'
import { type FieldError, isWellNamedFinalizer, type KubeObject, type Stored } from '../meta/index.ts'
import { applyDefaults } from './apply-defaults.ts'
import { customTable } from './custom-table.ts'
import { deprecationWarning } from './deprecation-warning.ts'
import { parseJsonPath } from './json-path.ts'
import { toSchema } from './to-schema.ts'
import { validateRules } from './validate-rules.ts'
import { validateValue } from './validate-value.ts'

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

/** Without a webhook versions differ in name only. */
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
    table: customTable(version.additionalPrinterColumns),
  }
}

const IDENTITY = ['apiVersion', 'kind', 'metadata']

const contentOf = ({ apiVersion: _, kind: __, metadata: ___, ...content }: KubeObject): object => content

/** Metadata is checked for every kind alike; what a schema says of it is not. */
const withoutMetadata = (schema: JsonSchema): JsonSchema => {
  const { apiVersion: _, kind: __, metadata: ___, ...properties } = schema.properties ?? {}
  const required = (schema.required ?? []).filter((name) => !IDENTITY.includes(name))
  return { ...schema, properties, required }
}

/** Findings after which rules have nothing to stand on. */
const BLOCKING: readonly FieldError['reason'][] = [
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]

const validation =
  (schema: JsonSchema, content: JsonSchema) =>
  (object: KubeObject, old: KubeObject | undefined): FieldError[] => {
    const before = old === undefined ? undefined : contentOf(old)
    const errors = validateValue(contentOf(object), before, content, '')
    return errors.some(({ reason }) => BLOCKING.includes(reason))
      ? errors
      : [...errors, ...validateRules(object, old, schema, '')]
  }

const selectableFields = ({ selectableFields: fields = [] }: Version) => {
  const paths = fields.map(({ jsonPath }) => [withoutDot(jsonPath), parseJsonPath(jsonPath)] as const)
  return (object: KubeObject): Record<string, string> =>
    Object.fromEntries(paths.map(([name, path]) => [name, String(path(object)[0] ?? '')]))
}

const finalizerWarnings = (object: KubeObject, old: KubeObject | undefined): string[] => {
  const before = old?.metadata.finalizers ?? []
  return [...new Set(object.metadata.finalizers)]
    .filter((finalizer) => !before.includes(finalizer) && !isWellNamedFinalizer(finalizer))
    .sort()
    .map(
      (finalizer) =>
        `metadata.finalizers: ${JSON.stringify(finalizer)}: prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers`,
    )
}

/**
 * The kind in the form in which it is stored here: the storage version where it is served, otherwise the first that is.
 * Nothing when no version is served.
 */
export const kindOfDefinition = (
  definition: Stored<CustomResourceDefinition>,
): Kind<KubeObject> | undefined => {
  const { group, names, scope, versions } = definition.spec
  const served = versions.filter((version) => version.served)
  const version = served.find(({ storage }) => storage) ?? served[0]
  if (version === undefined) return undefined
  const schema = (version.schema?.openAPIV3Schema as JsonSchema | undefined) ?? ANYTHING
  const hasStatus = version.subresources?.status !== undefined
  const content = withoutMetadata(schema)
  const validate = validation(schema, content)
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
    conditionalUpdate: true,
    freeFinalizers: true,
    schema: toSchema(schema),
    openApiSchema: schema,
    ...deprecationWarning(definition.spec, version),
    otherVersions: served
      .filter((other) => other !== version)
      .map((other) => otherVersion(definition.spec, version.name, other)),
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
    selectableFields: selectableFields(version),
  })
}
