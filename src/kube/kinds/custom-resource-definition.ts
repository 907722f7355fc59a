/** CustomResourceDefinition. */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
} from 'kubernetes-types/apiextensions/v1.d.ts'
import { putCondition } from '../meta/index.ts'
import { defineKind } from './define-kind.ts'
import { validateDefinition } from './definition-validation.ts'
import { plainTable } from './standard-columns.ts'

export type { JsonSchema, ValidationRule } from './structural-schema.ts'

/** Holds a definition back until its objects are gone. */
export const DEFINITION_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io'

const DELETION_PENDING = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionPending',
  message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
}

const storageVersions = ({ versions = [] }: CustomResourceDefinitionSpec): string[] =>
  versions.filter(({ storage }) => storage).map(({ name }) => name)

const withFinalizer = (finalizers: readonly string[] = []): string[] =>
  finalizers.includes(DEFINITION_FINALIZER) ? [...finalizers] : [...finalizers, DEFINITION_FINALIZER]

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
  freeFinalizers: true,
  hasGeneration: true,
  conditionalUpdate: true,
  defaults: (draft) => {
    draft.spec ??= { group: '', names: { plural: '', kind: '' }, scope: '', versions: [] }
    const { names } = draft.spec
    draft.spec.conversion ??= { strategy: 'None' }
    if (names === undefined) return
    if ((names.singular ?? '') === '') names.singular = (names.kind ?? '').toLowerCase()
    if ((names.listKind ?? '') === '' && (names.kind ?? '') !== '') names.listKind = `${names.kind}List`
  },
  prepareCreate: (draft) => {
    draft.metadata.finalizers = withFinalizer(draft.metadata.finalizers)
    draft.status = {
      conditions: [],
      acceptedNames: { plural: '', kind: '' },
      storedVersions: storageVersions(draft.spec),
    }
  },
  // Clients that know nothing of the finalizer must not lose it.
  prepareUpdate: (draft, old) => {
    if (old.metadata.deletionTimestamp === undefined) {
      draft.metadata.finalizers = withFinalizer(draft.metadata.finalizers)
    }
    // A version once used for storing stays listed until an administrator has migrated its objects.
    const stored = old.status.storedVersions ?? []
    const added = storageVersions(draft.spec).filter((version) => !stored.includes(version))
    if (added.length > 0) draft.status = { ...draft.status, storedVersions: [...stored, ...added] }
  },
  // It goes when its objects are gone, and not by the clock; that is told from the first moment on.
  markDeleted: (draft, { now }) => {
    delete draft.metadata.deletionGracePeriodSeconds
    const { conditions = [] } = draft.status
    if (conditions.some(({ type }) => type === 'Terminating')) return
    draft.status = { ...draft.status, conditions: putCondition(conditions, DELETION_PENDING, now) }
  },
  validate: validateDefinition,
  ...plainTable,
})
