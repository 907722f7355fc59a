/** Job. */
import type { Job } from 'kubernetes-types/batch/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const jobs = defineKind<Job>({
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  singular: 'job',
  namespaced: true,
  hasStatus: true,
  hasGeneration: true,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
