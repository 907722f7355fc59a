/** Validates CustomResourceDefinitions. */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from 'kubernetes-types/apiextensions/v1.d.ts'
import {
  type FieldError,
  invalid,
  nameProblems,
  notSupported,
  required,
  type Stored,
} from '#platform/kube/meta'
import { validateDefaults } from './default-validation.ts'
import { validateSelectableFields } from './selectable-fields.ts'
import { type JsonSchema, validateStructure } from './structural-schema.ts'

type Definition = Stored<CustomResourceDefinition>

const SCOPES = ['Cluster', 'Namespaced']
const STRATEGIES = ['None', 'Webhook']
const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string']

const goVersions = (versions: readonly CustomResourceDefinitionVersion[]): { go: string } => ({
  go: `[]apiextensions.CustomResourceDefinitionVersion{${versions
    .map(
      ({ name, served, storage }) =>
        `apiextensions.CustomResourceDefinitionVersion{Name:${JSON.stringify(name)}, Served:${served}, Storage:${storage}}`,
    )
    .join(', ')}}`,
})

const validateMixedCaseName = (word: string, field: string): FieldError[] =>
  nameProblems(word.toLowerCase(), 'label-1035').map((problem) =>
    invalid(field, word, `may have mixed case, but should otherwise match: ${problem}`),
  )

const validateNames = (names: CustomResourceDefinitionNames): FieldError[] => {
  const field = 'spec.names'
  const { plural = '', singular = '', kind = '', listKind = '', shortNames = [], categories = [] } = names
  return [
    ...(plural === '' ? [required(`${field}.plural`)] : validateLowerCaseName(plural, `${field}.plural`)),
    ...(singular === '' ? [] : validateLowerCaseName(singular, `${field}.singular`)),
    ...(kind === '' ? [required(`${field}.kind`)] : validateMixedCaseName(kind, `${field}.kind`)),
    ...shortNames.flatMap((name, index) => validateLowerCaseName(name, `${field}.shortNames[${index}]`)),
    ...(listKind === '' ? [] : validateMixedCaseName(listKind, `${field}.listKind`)),
    ...(kind !== '' && kind === listKind
      ? [invalid(`${field}.listKind`, listKind, 'kind and listKind may not be the same')]
      : []),
    ...categories.flatMap((name, index) => validateLowerCaseName(name, `${field}.categories[${index}]`)),
  ]
}

const validateLowerCaseName = (word: string, field: string): FieldError[] =>
  nameProblems(word, 'label-1035').map((problem) => invalid(field, word, problem))

const validateColumns = (version: CustomResourceDefinitionVersion, field: string): FieldError[] =>
  (version.additionalPrinterColumns ?? []).flatMap(({ name = '', type = '', jsonPath = '' }, index) => {
    const path = `${field}.additionalPrinterColumns[${index}]`
    return [
      ...(name === '' ? [required(`${path}.name`)] : []),
      ...(type === ''
        ? [required(`${path}.type`, `must be one of ${COLUMN_TYPES.join(',')}`)]
        : COLUMN_TYPES.includes(type)
          ? []
          : [invalid(`${path}.type`, type, `must be one of ${COLUMN_TYPES.join(',')}`)]),
      ...(jsonPath === ''
        ? [required(`${path}.jsonPath`)]
        : jsonPath.startsWith('.')
          ? []
          : [invalid(`${path}.jsonPath`, jsonPath, 'must be a simple json path starting with .')]),
    ]
  })

const validateScale = (version: CustomResourceDefinitionVersion, field: string): FieldError[] => {
  const scale = version.subresources?.scale
  if (scale === undefined) return []
  const validatePath = (name: 'specReplicasPath' | 'statusReplicasPath', start: string): FieldError[] => {
    const value = scale[name] ?? ''
    const path = `${field}.subresources.scale.${name}`
    if (value === '') return [required(path)]
    return value.startsWith(start)
      ? []
      : [invalid(path, value, `should be a json path under ${start.slice(0, -1)}`)]
  }
  return [...validatePath('specReplicasPath', '.spec.'), ...validatePath('statusReplicasPath', '.status.')]
}

const validateVersion = (version: CustomResourceDefinitionVersion, field: string): FieldError[] => {
  const schema = version.schema?.openAPIV3Schema as JsonSchema | undefined
  const schemaField = `${field}.schema.openAPIV3Schema`
  return [
    ...validateLowerCaseName(version.name ?? '', `${field}.name`),
    ...(schema === undefined
      ? [required(schemaField, 'schemas are required')]
      : [...validateStructure(schema, schemaField), ...validateDefaults(schema, schemaField)]),
    ...validateSelectableFields(version, schema, `${field}.selectableFields`),
    ...validateColumns(version, field),
    ...validateScale(version, field),
  ]
}

const validateVersions = (versions: readonly CustomResourceDefinitionVersion[]): FieldError[] => {
  const names = versions.map(({ name }) => name)
  return [
    ...versions.flatMap((version, index) => validateVersion(version, `spec.versions[${index}]`)),
    ...(new Set(names).size < names.length
      ? [invalid('spec.versions', goVersions(versions), 'must contain unique version names')]
      : []),
    ...(versions.filter(({ storage }) => storage).length === 1
      ? []
      : [
          invalid(
            'spec.versions',
            goVersions(versions),
            'must have exactly one version marked as storage version',
          ),
        ]),
  ]
}

const validateGroup = (group: string): FieldError[] => {
  if (group === '') return [required('spec.group')]
  const problems = nameProblems(group, 'subdomain').map((problem) => invalid('spec.group', group, problem))
  if (problems.length > 0) return problems
  return group.includes('.') ? [] : [invalid('spec.group', group, 'should be a domain with at least one dot')]
}

const validateSpec = (spec: CustomResourceDefinitionSpec): FieldError[] => {
  const { group = '', scope = '', versions = [], conversion } = spec
  return [
    ...validateGroup(group),
    ...(scope === ''
      ? [required('spec.scope')]
      : SCOPES.includes(scope)
        ? []
        : [notSupported('spec.scope', scope, SCOPES)]),
    ...(spec.preserveUnknownFields === true
      ? [
          invalid(
            'spec.preserveUnknownFields',
            true,
            'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
          ),
        ]
      : []),
    ...validateVersions(versions),
    ...validateNames(spec.names ?? { kind: '', plural: '' }),
    ...(STRATEGIES.includes(conversion?.strategy ?? '')
      ? []
      : [notSupported('spec.conversion.strategy', conversion?.strategy, STRATEGIES)]),
    ...(conversion?.strategy === 'Webhook' && conversion.webhook?.clientConfig === undefined
      ? [required('spec.conversion.webhookClientConfig', 'required when strategy is set to Webhook')]
      : []),
  ]
}

const isEstablished = ({ status }: Definition): boolean =>
  status.conditions?.some(({ type, status: state }) => type === 'Established' && state === 'True') === true

const validateChange = ({ spec }: Definition, old: Definition): FieldError[] => {
  const requireUnchanged = (value: string, before: string, field: string): FieldError[] =>
    value === before ? [] : [invalid(field, value, 'field is immutable')]
  return [
    ...(isEstablished(old)
      ? [
          ...requireUnchanged(spec.scope, old.spec.scope, 'spec.scope'),
          ...requireUnchanged(spec.names.kind, old.spec.names.kind, 'spec.names.kind'),
        ]
      : []),
    ...requireUnchanged(spec.group, old.spec.group, 'spec.group'),
    ...requireUnchanged(spec.names.plural, old.spec.names.plural, 'spec.names.plural'),
  ]
}

const validateStoredVersions = ({ spec, status }: Definition): FieldError[] =>
  (status.storedVersions ?? []).flatMap((version, index) =>
    spec.versions.some(({ name }) => name === version)
      ? []
      : [invalid(`status.storedVersions[${index}]`, version, 'must appear in spec.versions')],
  )

const APPROVAL_ANNOTATION = 'api-approved.kubernetes.io'

/** The groups of the Kubernetes project require an approval annotation. */
const validateApproval = ({ metadata, spec }: Definition): FieldError[] =>
  /(^|\.)(k8s|kubernetes)\.io$/.test(spec.group ?? '') &&
  (metadata.annotations?.[APPROVAL_ANNOTATION] ?? '') === ''
    ? [
        required(
          `metadata.annotations[${APPROVAL_ANNOTATION}]`,
          `protected groups must have approval annotation "${APPROVAL_ANNOTATION}", see https://github.com/kubernetes/enhancements/pull/1111`,
        ),
      ]
    : []

export const validateDefinition = (definition: Definition, old: Definition | undefined): FieldError[] => {
  const { name } = definition.metadata
  const expected = `${definition.spec.names?.plural}.${definition.spec.group}`
  return [
    ...(name === expected
      ? []
      : [invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group')]),
    ...validateSpec(definition.spec),
    ...validateStoredVersions(definition),
    ...(old === undefined ? validateApproval(definition) : []),
    ...(old === undefined ? [] : validateChange(definition, old)),
  ]
}
