/** The 409 for an apply that would change fields of other managers. */
import { ApiError, type FieldSet, type ManagedFields } from '#platform/kube/meta'
import { isEmpty, listPaths } from './field-set.ts'
import { managerId } from './managed-entries.ts'

/** Fields that another manager owns and that the apply would change. */
export interface Conflict {
  readonly owner: ManagedFields
  readonly fields: FieldSet
}

const describeOwner = ({ manager = '', operation, apiVersion, subresource }: ManagedFields): string => {
  const name =
    JSON.stringify(manager) + (subresource === undefined ? '' : ` with subresource "${subresource}"`)
  return operation === 'Update' ? `${name} using ${apiVersion}` : name
}

export const applyConflict = (conflicts: readonly Conflict[]): ApiError => {
  const rows = conflicts
    .filter(({ fields }) => !isEmpty(fields))
    .toSorted((a, b) => (managerId(a.owner) < managerId(b.owner) ? -1 : 1))
    .map(({ owner, fields }) => ({ owner: describeOwner(owner), paths: listPaths(fields) }))
  const causes = rows.flatMap(({ owner, paths }) =>
    paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${owner}`, field })),
  )
  const text =
    causes.length === 1
      ? `1 conflict: ${causes[0]!.message}: ${causes[0]!.field}`
      : `${causes.length} conflicts: ${rows
          .flatMap(({ owner, paths }) => [`conflicts with ${owner}:`, ...paths.map((path) => `- ${path}`)])
          .join('\n')}`
  return new ApiError(409, 'Conflict', `Apply failed with ${text}`, { causes })
}
