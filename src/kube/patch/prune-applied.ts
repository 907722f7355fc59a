/** Removes what a manager applied before and applies no longer, unless somebody else owns it. */
import type { FieldSet } from '../meta/index.ts'
import type { Schema } from '../schema/index.ts'
import { difference, intersection, isEmpty, union } from './field-set.ts'
import { fieldsOf } from './fields-of.ts'
import { removeFields, withParents } from './remove-fields.ts'

/**
 * `last` is what the manager owned before this apply; `owned` is what anybody owns now, the manager included.
 * Fields below `last` that nobody ever owned stay.
 */
export const pruneApplied = <T>(schema: Schema, merged: T, last: FieldSet, owned: FieldSet): T => {
  if (isEmpty(difference(last, owned))) return merged
  const fields = (value: unknown): FieldSet => withParents(schema, fieldsOf(schema, value))
  const before = withParents(schema, last)
  const all = fields(merged)
  const bare = removeFields(schema, merged, before)
  const unowned = difference(all, union(fields(bare), withParents(schema, owned)))
  const pruned = removeFields(schema, merged, unowned)
  return removeFields(schema, merged, intersection(difference(all, fields(pruned)), before)) as T
}
