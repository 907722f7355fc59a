/** ControllerRevision. */
import type { ControllerRevision } from 'kubernetes-types/apps/v1.d.ts'
import { deepEqual } from '../../kit/index.ts'
import { controllerOf, invalid, required, type Stored } from '../meta/index.ts'
import { defineKind } from './define-kind.ts'
import { goStruct } from './go-text.ts'
import { validateNonnegative } from './number-validation.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from './standard-columns.ts'

/** `statefulset.apps/web`: the workload whose history this is. */
const controllerText = (revision: Stored<ControllerRevision>): string => {
  const owner = controllerOf(revision)
  if (owner === undefined) return '<none>'
  const slash = owner.apiVersion.indexOf('/')
  const group = slash < 0 ? '' : `.${owner.apiVersion.slice(0, slash)}`
  return `${owner.kind.toLowerCase()}${group}/${owner.name}`
}

export const controllerRevisions = defineKind<ControllerRevision>({
  group: 'apps',
  version: 'v1',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  singular: 'controllerrevision',
  namespaced: true,
  hasStatus: false,
  validate: (revision, old) => [
    ...(revision.data === undefined ? [required('data', 'data is mandatory')] : []),
    ...validateNonnegative(revision.revision, 'revision'),
    ...(old === undefined || deepEqual(revision.data, old.data)
      ? []
      : [invalid('data', goStruct('runtime.RawExtension', revision.data ?? {}), 'field is immutable')]),
  ],
  columns: [
    nameColumn,
    textColumn('Controller', 'The workload whose history it is part of.'),
    textColumn('Revision', 'Its place in that history.'),
    ageColumn,
  ],
  row: (revision, context) => [
    revision.metadata.name,
    controllerText(revision),
    revision.revision,
    ageCell(revision, context),
  ],
})
