/** Deployment. */
import type { Deployment } from 'kubernetes-types/apps/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const deployments = defineKind<Deployment>({
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  singular: 'deployment',
  namespaced: true,
  hasStatus: true,
  hasGeneration: true,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
