/** StorageClass. */
import type { StorageClass } from 'kubernetes-types/storage/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const storageClasses = defineKind<StorageClass>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  singular: 'storageclass',
  namespaced: false,
  hasStatus: false,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
