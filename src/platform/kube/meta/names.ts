/** Validates names, labels, annotations and other metadata, with the messages of kube-apiserver. */
import { type FieldError, forbiddenField, goStrings, invalid, required, tooLong } from './field-error.ts'
import type { OwnerReference } from './object.ts'
import { validateOwnerReferences } from './owner.ts'

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const LABEL_1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const QUALIFIED = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/

const LABEL_TEXT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const LABEL_1035_TEXT =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const QUALIFIED_TEXT =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const LABEL_VALUE_TEXT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

export type NameRule = 'subdomain' | 'label' | 'label-1035' | 'path-segment'

/** Limits count bytes, although the messages say characters. */
const bytes = (text: string): number => Buffer.byteLength(text)

const findPatternProblems = (text: string, limit: number, pattern: RegExp, wording: string): string[] => [
  ...(bytes(text) > limit ? [`must be no more than ${limit} characters`] : []),
  ...(pattern.test(text) ? [] : [wording]),
]

/** Returns the messages about an invalid name; an empty list if it is valid. */
export const nameProblems = (name: string, rule: NameRule): string[] => {
  switch (rule) {
    case 'label':
      return findPatternProblems(name, 63, LABEL, SUBDOMAIN.test(name) ? 'must not contain dots' : LABEL_TEXT)
    case 'label-1035':
      return findPatternProblems(name, 63, LABEL_1035, LABEL_1035_TEXT)
    case 'subdomain':
      return findPatternProblems(name, 253, SUBDOMAIN, SUBDOMAIN_TEXT)
    case 'path-segment':
      if (name === '.' || name === '..') return [`may not be '${name}'`]
      return ['/', '%'].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`)
  }
}

/** Checks the key of a label, annotation, taint or selector: `prefix/name`. */
export const qualifiedNameProblems = (key: string): string[] => {
  const parts = key.split('/')
  const name = parts.at(-1)!
  if (parts.length > 2) {
    return [
      `a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  }
  const problems: string[] = []
  if (parts.length === 2) {
    if (parts[0] === '') problems.push('prefix part must be non-empty')
    else problems.push(...nameProblems(parts[0]!, 'subdomain').map((problem) => `prefix part ${problem}`))
  }
  if (name === '') problems.push('name part must be non-empty')
  else if (bytes(name) > 63) problems.push('name part must be no more than 63 characters')
  if (!QUALIFIED.test(name)) problems.push(QUALIFIED_TEXT)
  return problems
}

export const labelValueProblems = (value: string): string[] =>
  findPatternProblems(value, 63, LABEL_VALUE, LABEL_VALUE_TEXT)

export const validateLabels = (
  labels: Readonly<Record<string, string>> | undefined,
  field: string,
): FieldError[] =>
  Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...qualifiedNameProblems(key).map((problem) => invalid(field, key, problem)),
    ...labelValueProblems(value).map((problem) => invalid(field, value, problem)),
  ])

const MAX_ANNOTATIONS_BYTES = 256 * 1024

export const validateAnnotations = (
  annotations: Readonly<Record<string, string>> | undefined,
  field: string,
): FieldError[] => {
  const entries = Object.entries(annotations ?? {})
  const size = entries.reduce((sum, [key, value]) => sum + bytes(key) + bytes(value), 0)
  return [
    ...entries.flatMap(([key]) =>
      qualifiedNameProblems(key.toLowerCase()).map((problem) => invalid(field, key, problem)),
    ),
    ...(size > MAX_ANNOTATIONS_BYTES ? [tooLong(field, MAX_ANNOTATIONS_BYTES)] : []),
  ]
}

/** Replaces a trailing dash, which a `generateName` may have because the server appends a suffix. */
const maskTrailingDash = (prefix: string): string =>
  prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix

// RBAC names may end in any character, so their prefix is checked unchanged.
const prefixProblems = (prefix: string, rule: NameRule): string[] =>
  nameProblems(rule === 'path-segment' ? prefix : maskTrailingDash(prefix), rule)

const GARBAGE_COLLECTION_FINALIZERS = ['orphan', 'foregroundDeletion']
const STANDARD_FINALIZERS = ['kubernetes', ...GARBAGE_COLLECTION_FINALIZERS]

/** Whether a finalizer has a domain prefix or is a standard one. */
export const isQualifiedFinalizer = (finalizer: string): boolean =>
  finalizer.includes('/') || STANDARD_FINALIZERS.includes(finalizer)

const UNQUALIFIED_FINALIZER = 'name is neither a standard finalizer name nor is it fully qualified'

const validateFinalizers = (finalizers: readonly string[] = [], allowUnqualified = false): FieldError[] => [
  ...finalizers.flatMap((finalizer) =>
    qualifiedNameProblems(finalizer).map((problem) => invalid('metadata.finalizers', finalizer, problem)),
  ),
  ...(GARBAGE_COLLECTION_FINALIZERS.every((finalizer) => finalizers.includes(finalizer))
    ? [
        invalid(
          'metadata.finalizers',
          goStrings(finalizers),
          `finalizer ${GARBAGE_COLLECTION_FINALIZERS.join(' and ')} cannot be both set`,
        ),
      ]
    : []),
  ...finalizers.flatMap((finalizer, index) =>
    allowUnqualified || isQualifiedFinalizer(finalizer)
      ? []
      : [invalid(`metadata.finalizers[${index}]`, finalizer, UNQUALIFIED_FINALIZER)],
  ),
]

const validateNamespace = (namespace: string, namespaced: boolean): FieldError[] => {
  if (!namespaced)
    return namespace === '' ? [] : [forbiddenField('metadata.namespace', 'not allowed on this type')]
  if (namespace === '') return [required('metadata.namespace')]
  return nameProblems(namespace, 'label').map((problem) => invalid('metadata.namespace', namespace, problem))
}

/** The rules of a kind for the metadata of its objects. */
export interface MetadataRules {
  nameRule?: NameRule
  namespaced: boolean
  /** Finalizers need no domain prefix. */
  allowUnqualifiedFinalizers?: boolean
}

/** Validates the metadata of an object. */
export const validateMetadata = (
  metadata: {
    name: string
    generateName?: string
    namespace?: string
    labels?: Readonly<Record<string, string>>
    annotations?: Readonly<Record<string, string>>
    ownerReferences?: readonly OwnerReference[]
    finalizers?: readonly string[]
  },
  { nameRule: rule = 'subdomain', namespaced, allowUnqualifiedFinalizers }: MetadataRules,
): FieldError[] => [
  ...(metadata.generateName
    ? prefixProblems(metadata.generateName, rule).map((problem) =>
        invalid('metadata.generateName', metadata.generateName, problem),
      )
    : []),
  ...(metadata.name === ''
    ? [required('metadata.name', 'name or generateName is required')]
    : nameProblems(metadata.name, rule).map((problem) => invalid('metadata.name', metadata.name, problem))),
  ...validateNamespace(metadata.namespace ?? '', namespaced),
  ...validateLabels(metadata.labels, 'metadata.labels'),
  ...validateAnnotations(metadata.annotations, 'metadata.annotations'),
  ...validateOwnerReferences(metadata.ownerReferences, 'metadata.ownerReferences'),
  ...validateFinalizers(metadata.finalizers, allowUnqualifiedFinalizers),
]
