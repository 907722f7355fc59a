/** PersistentVolume. */
import type { PersistentVolume } from 'kubernetes-types/core/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const persistentVolumes = defineKind<PersistentVolume>({
  group: '',
  version: 'v1',
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  singular: 'persistentvolume',
  namespaced: false,
  hasStatus: true,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
