/** The ControllerRevision kind. */
import type { ControllerRevision } from 'kubernetes-types/apps/v1.d.ts'
import { deepEqual } from '#kit'
import { controllerOf, invalid, required, type Stored } from '#platform/kube/meta'
import { defineKind } from '../define-kind.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from '../standard-columns.ts'
import { goStruct } from '../validation/go-text.ts'
import { validateNonnegative } from '../validation/number-validation.ts'

/** Formats the owner: `statefulset.apps/web`. */
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
    textColumn('Controller', 'Controller of the object'),
    textColumn('Revision', 'revision indicates the revision of the state represented by Data.'),
    ageColumn,
  ],
  row: (revision, context) => [
    revision.metadata.name,
    controllerText(revision),
    revision.revision,
    ageCell(revision, context),
  ],
})
