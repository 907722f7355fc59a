/** CronJob. */
import type { CronJob } from 'kubernetes-types/batch/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const cronJobs = defineKind<CronJob>({
  group: 'batch',
  version: 'v1',
  kind: 'CronJob',
  plural: 'cronjobs',
  singular: 'cronjob',
  namespaced: true,
  hasStatus: true,
  hasGeneration: true,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
