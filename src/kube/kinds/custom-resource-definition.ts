/** CustomResourceDefinition. */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
} from 'kubernetes-types/apiextensions/v1.d.ts'
import { defineKind } from './define-kind.ts'
import { validateDefinition } from './definition-validation.ts'
import { plainTable } from './standard-columns.ts'

export type { JsonSchema, ValidationRule } from './structural-schema.ts'

const storageVersions = ({ versions = [] }: CustomResourceDefinitionSpec): string[] =>
  versions.filter(({ storage }) => storage).map(({ name }) => name)

export const customResourceDefinitions = defineKind<CustomResourceDefinition>({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  singular: 'customresourcedefinition',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  namespaced: false,
  hasStatus: true,
  hasGeneration: true,
  defaults: (draft) => {
    const { names } = draft.spec
    draft.spec.conversion ??= { strategy: 'None' }
    if (names === undefined) return
    if ((names.singular ?? '') === '') names.singular = (names.kind ?? '').toLowerCase()
    if ((names.listKind ?? '') === '' && (names.kind ?? '') !== '') names.listKind = `${names.kind}List`
  },
  prepareCreate: (draft) => {
    draft.status = {
      conditions: [],
      acceptedNames: { plural: '', kind: '' },
      storedVersions: storageVersions(draft.spec),
    }
  },
  // A version once used for storing stays listed until an administrator has migrated its objects.
  prepareUpdate: (draft, old) => {
    const stored = old.status.storedVersions ?? []
    const added = storageVersions(draft.spec).filter((version) => !stored.includes(version))
    if (added.length > 0) draft.status = { ...draft.status, storedVersions: [...stored, ...added] }
  },
  validate: validateDefinition,
  ...plainTable,
})
