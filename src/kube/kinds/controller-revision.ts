/** ControllerRevision. */
import type { ControllerRevision } from 'kubernetes-types/apps/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const controllerRevisions = defineKind<ControllerRevision>({
  group: 'apps',
  version: 'v1',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  singular: 'controllerrevision',
  namespaced: true,
  hasStatus: false,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
