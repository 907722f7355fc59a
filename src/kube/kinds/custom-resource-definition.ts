/** CustomResourceDefinition. */
import type { CustomResourceDefinition } from 'kubernetes-types/apiextensions/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const customResourceDefinitions = defineKind<CustomResourceDefinition>({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  singular: 'customresourcedefinition',
  namespaced: false,
  hasStatus: true,
  hasGeneration: true,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
