/** Removes fields that a manager applied before and now omits, unless another manager owns them. */
import type { FieldSet } from '#platform/kube/meta'
import type { Schema } from '#platform/kube/schema'
import { difference, intersection, isEmpty, union } from './field-set.ts'
import { listFields } from './list-fields.ts'
import { removeFields, withParents } from './remove-fields.ts'

/**
 * `last` is the set that the manager owned before this apply; `owned` is the union of all managers' sets now.
 * Fields below `last` that never had an owner stay.
 */
export const pruneApplied = <T>(schema: Schema, merged: T, last: FieldSet, owned: FieldSet): T => {
  if (isEmpty(difference(last, owned))) return merged
  const fieldsOf = (value: unknown): FieldSet => withParents(schema, listFields(schema, value))
  const before = withParents(schema, last)
  const all = fieldsOf(merged)
  const withoutLast = removeFields(schema, merged, before)
  const unowned = difference(all, union(fieldsOf(withoutLast), withParents(schema, owned)))
  const pruned = removeFields(schema, merged, unowned)
  return removeFields(schema, merged, intersection(difference(all, fieldsOf(pruned)), before)) as T
}
