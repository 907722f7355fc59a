/** Computes the fields that differ between two states of an object. Parts with the same reference are skipped. */
import { deepEqual, isPlainObject, memberOf } from '#kit'
import type { FieldSet } from '#platform/kube/meta'
import type { ListSchema, Schema } from '#platform/kube/schema'
import { elementMember } from './field-member.ts'
import { LEAF, NO_FIELDS, sorted } from './field-set.ts'
import { isLeaf } from './is-leaf.ts'
import { schemaOfMember } from './schema-of-member.ts'

export interface FieldChanges {
  /** Added or modified fields. */
  readonly changed: FieldSet
  readonly removed: FieldSet
}

const CHANGED: FieldChanges = { changed: LEAF, removed: NO_FIELDS }
const REMOVED: FieldChanges = { changed: NO_FIELDS, removed: LEAF }

/** Collects the changes below one node. Allocates sets lazily, because most nodes are unchanged. */
class ChangeCollector {
  changed: FieldSet | undefined
  removed: FieldSet | undefined

  add(member: string, changes: FieldChanges | undefined): void {
    if (changes === undefined) return
    if (changes.changed !== NO_FIELDS) {
      this.changed ??= {}
      this.changed[member] = changes.changed
    }
    if (changes.removed !== NO_FIELDS) {
      this.removed ??= {}
      this.removed[member] = changes.removed
    }
  }

  /** An added or removed list or map is itself in the set. */
  finish(old: unknown, next: unknown): FieldChanges | undefined {
    if (old === undefined) this.changed = { '.': LEAF, ...this.changed }
    else if (next === undefined) this.removed = { '.': LEAF, ...this.removed }
    if (this.changed === undefined && this.removed === undefined) return undefined
    return {
      changed: this.changed === undefined ? NO_FIELDS : sorted(this.changed),
      removed: this.removed === undefined ? NO_FIELDS : sorted(this.removed),
    }
  }
}

const compare = (schema: Schema, old: unknown, next: unknown): FieldChanges | undefined => {
  if (old === next) return undefined
  if (isLeaf(schema, old, next)) {
    if (old === undefined) return CHANGED
    if (next === undefined) return REMOVED
    return deepEqual(old, next) ? undefined : CHANGED
  }
  const collector =
    schema.type === 'list'
      ? compareLists(schema, (old ?? []) as unknown[], (next ?? []) as unknown[])
      : compareMembers(schema, old, next, NO_NAMES)
  return collector.finish(old, next)
}

const NO_NAMES: ReadonlySet<string> = new Set()

/** Compares the members of two objects, except those that `ignored` names. */
const compareMembers = (
  schema: Schema,
  old: unknown,
  next: unknown,
  ignored: ReadonlySet<string>,
): ChangeCollector => {
  const collector = new ChangeCollector()
  const [before, after] = [isPlainObject(old) ? old : {}, isPlainObject(next) ? next : {}]
  for (const key in after) {
    const previous = memberOf(before, key)
    if (after[key] === previous || ignored.has(key)) continue
    collector.add(`f:${key}`, compare(schemaOfMember(schema, key), previous, after[key]))
  }
  for (const key in before) {
    if (memberOf(after, key) !== undefined || before[key] === undefined || ignored.has(key)) continue
    collector.add(`f:${key}`, compare(schemaOfMember(schema, key), before[key], undefined))
  }
  return collector
}

const indexByMember = (list: ListSchema, elements: readonly unknown[]): Map<string, unknown[]> => {
  const byMember = new Map<string, unknown[]>()
  for (const element of elements) {
    const member = elementMember(list, element)
    if (member === undefined) continue
    const duplicates = byMember.get(member)
    if (duplicates === undefined) byMember.set(member, [element])
    else duplicates.push(element)
  }
  return byMember
}

const compareLists = (
  list: ListSchema,
  old: readonly unknown[],
  next: readonly unknown[],
): ChangeCollector => {
  const collector = new ChangeCollector()
  const [before, after] = [indexByMember(list, old), indexByMember(list, next)]
  for (const [member, elements] of after) {
    collector.add(member, compareElements(list.items, before.get(member) ?? [], elements))
  }
  for (const [member, elements] of before) {
    if (!after.has(member)) collector.add(member, compareElements(list.items, elements, []))
  }
  return collector
}

/** Compares elements with the same key as one value, because a field set cannot distinguish them. */
const compareElements = (
  items: Schema,
  old: readonly unknown[],
  next: readonly unknown[],
): FieldChanges | undefined => {
  if (old.length <= 1 && next.length <= 1) return compare(items, old[0], next[0])
  if (old.length >= 2 && next.length >= 2) return deepEqual(old, next) ? undefined : CHANGED
  const collector = new ChangeCollector()
  collector.add('', old.length >= 2 ? REMOVED : compare(items, old[0], undefined))
  collector.add('', next.length >= 2 ? CHANGED : compare(items, undefined, next[0]))
  return { changed: collector.changed?.[''] ?? NO_FIELDS, removed: collector.removed?.[''] ?? NO_FIELDS }
}

/** Fields of the root that are not compared as ordinary members. Metadata is compared separately. */
const SPECIAL_ROOT_FIELDS = new Set(['apiVersion', 'kind', 'metadata'])

/** Metadata fields without an owner. */
const SYSTEM_METADATA = new Set([
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
])

/** All fields without an owner, as a field set. */
export const UNMANAGED: FieldSet = {
  'f:apiVersion': LEAF,
  'f:kind': LEAF,
  'f:metadata': { '.': LEAF, ...Object.fromEntries([...SYSTEM_METADATA].map((name) => [`f:${name}`, LEAF])) },
}

/** Returns the changes between two states of an API object, without the fields that have no owner. */
export const changedFields = (schema: Schema, old: unknown, next: unknown): FieldChanges | undefined => {
  if (old === next) return undefined
  const [before, after] = [old as { metadata?: object }, next as { metadata?: object }]
  const collector = compareMembers(schema, before, after, SPECIAL_ROOT_FIELDS)
  if (before.metadata !== after.metadata) {
    const metaSchema = schemaOfMember(schema, 'metadata')
    const metadata = compareMembers(metaSchema, before.metadata, after.metadata, SYSTEM_METADATA)
    collector.add('f:metadata', metadata.finish(before.metadata ?? null, after.metadata ?? null))
  }
  return collector.finish(before, after)
}
