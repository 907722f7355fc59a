/** The Namespace kind. */
import type { Namespace } from 'kubernetes-types/core/v1.d.ts'
import { invalid, qualifiedNameProblems } from '#platform/kube/meta'
import { defineKind } from '../define-kind.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from '../standard-columns.ts'

const NAME_LABEL = 'kubernetes.io/metadata.name'
const FINALIZER = 'kubernetes'

export const namespaces = defineKind<Namespace>({
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  singular: 'namespace',
  shortNames: ['ns'],
  namespaced: false,
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  hasStatus: true,
  nameRule: 'label',
  defaults: (draft) => {
    draft.spec ??= {}
    draft.status = { phase: 'Active', ...draft.status }
    if (draft.metadata.name === undefined || draft.metadata.name === '') return
    draft.metadata.labels = { ...draft.metadata.labels, [NAME_LABEL]: draft.metadata.name }
  },
  prepareCreate: (draft) => {
    const finalizers = draft.spec.finalizers ?? []
    draft.spec.finalizers = finalizers.includes(FINALIZER) ? finalizers : [...finalizers, FINALIZER]
    draft.status = { phase: 'Active' }
    draft.metadata.labels = { ...draft.metadata.labels, [NAME_LABEL]: draft.metadata.name }
  },
  // Only the `finalize` subresource changes spec.finalizers.
  prepareUpdate: (draft, old) => {
    if (old.spec.finalizers === undefined) delete draft.spec.finalizers
    else draft.spec.finalizers = old.spec.finalizers
  },
  // A namespace is removed once it is empty; it has no grace period.
  prepareDelete: (draft) => {
    delete draft.metadata.deletionGracePeriodSeconds
    draft.status = { ...draft.status, phase: 'Terminating' }
  },
  isDeletionBlocked: (namespace) => (namespace.spec.finalizers ?? []).length > 0,
  validate: (namespace) =>
    (namespace.spec.finalizers ?? []).flatMap((finalizer, index) => [
      ...qualifiedNameProblems(finalizer).map((problem) =>
        invalid(`spec.finalizers[${index}]`, finalizer, problem),
      ),
      ...(finalizer === FINALIZER || finalizer.includes('/')
        ? []
        : [
            invalid(
              `spec.finalizers[${index}]`,
              finalizer,
              'name is neither a standard finalizer name nor is it fully qualified',
            ),
          ]),
    ]),
  columns: [nameColumn, textColumn('Status', 'The status of the namespace'), ageColumn],
  row: (namespace, context) => [
    namespace.metadata.name,
    namespace.status.phase ?? '',
    ageCell(namespace, context),
  ],
  selectableFields: (namespace) => ({
    name: namespace.metadata.name,
    'status.phase': namespace.status.phase ?? '',
  }),
})
