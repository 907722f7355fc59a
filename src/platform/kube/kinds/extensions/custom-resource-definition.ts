/** The CustomResourceDefinition kind. */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
} from 'kubernetes-types/apiextensions/v1.d.ts'
import { setCondition } from '#platform/kube/meta'
import { defineKind } from '../define-kind.ts'
import { plainTable } from '../standard-columns.ts'
import { validateDefinition } from './definition-validation.ts'

export type { JsonSchema, ValidationRule } from './structural-schema.ts'

/** Blocks the deletion of a definition until its objects are deleted. */
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
  allowUnqualifiedFinalizers: true,
  hasGeneration: true,
  requireResourceVersion: true,
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
  // An update that omits the finalizer must not remove it.
  prepareUpdate: (draft, old) => {
    if (old.metadata.deletionTimestamp === undefined) {
      draft.metadata.finalizers = withFinalizer(draft.metadata.finalizers)
    }
    // A former storage version stays listed until an administrator has migrated its objects.
    const stored = old.status.storedVersions ?? []
    const added = storageVersions(draft.spec).filter((version) => !stored.includes(version))
    if (added.length > 0) draft.status = { ...draft.status, storedVersions: [...stored, ...added] }
  },
  // A definition is removed once its objects are deleted; it has no grace period.
  prepareDelete: (draft, { now }) => {
    delete draft.metadata.deletionGracePeriodSeconds
    const { conditions = [] } = draft.status
    if (conditions.some(({ type }) => type === 'Terminating')) return
    draft.status = { ...draft.status, conditions: setCondition(conditions, DELETION_PENDING, now) }
  },
  validate: validateDefinition,
  ...plainTable,
})
