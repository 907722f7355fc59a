/** PersistentVolumeClaim. */
import type { PersistentVolumeClaim } from 'kubernetes-types/core/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const persistentVolumeClaims = defineKind<PersistentVolumeClaim>({
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  singular: 'persistentvolumeclaim',
  namespaced: true,
  hasStatus: true,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
