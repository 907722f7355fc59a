/** PodTemplate. */
import type { PodTemplate } from 'kubernetes-types/core/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const podTemplates = defineKind<PodTemplate>({
  group: '',
  version: 'v1',
  kind: 'PodTemplate',
  plural: 'podtemplates',
  singular: 'podtemplate',
  namespaced: true,
  hasStatus: false,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
