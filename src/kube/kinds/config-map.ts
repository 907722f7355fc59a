/** ConfigMap. */
import type { ConfigMap } from 'kubernetes-types/core/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const configMaps = defineKind<ConfigMap>({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  singular: 'configmap',
  namespaced: true,
  hasStatus: false,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
