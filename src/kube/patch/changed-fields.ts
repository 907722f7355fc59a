/** Which fields differ between two states of an object. Parts that are the same reference cost nothing. */
import { deepEqual, memberOf } from '../../kit/index.ts'
import type { FieldSet } from '../meta/index.ts'
import type { ListSchema, Schema } from '../schema/index.ts'
import { elementMember } from './field-member.ts'
import { LEAF, NO_FIELDS, sorted } from './field-set.ts'
import { isLeaf } from './is-leaf.ts'
import { isPlainObject } from './plain-object.ts'
import { schemaOfMember } from './schema-of-member.ts'

export interface FieldChanges {
  /** Added, or given another value. */
  readonly changed: FieldSet
  readonly removed: FieldSet
}

const ADDED: FieldChanges = { changed: LEAF, removed: NO_FIELDS }
const REMOVED: FieldChanges = { changed: NO_FIELDS, removed: LEAF }

/** Collects the changes below one node; nothing is made before there is one. */
class Collector {
  changed: FieldSet | undefined
  removed: FieldSet | undefined

  take(member: string, changes: FieldChanges | undefined): void {
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

  /** A container that appears or goes is in the set itself, too. */
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
    if (old === undefined) return ADDED
    if (next === undefined) return REMOVED
    return deepEqual(old, next) ? undefined : ADDED
  }
  const collector = new Collector()
  if (schema.type === 'list') {
    compareLists(schema, (old ?? []) as unknown[], (next ?? []) as unknown[], collector)
  } else {
    compareMembers(schema, old, next, collector, undefined)
  }
  return collector.finish(old, next)
}

const compareMembers = (
  schema: Schema,
  old: unknown,
  next: unknown,
  collector: Collector,
  ignored: ReadonlySet<string> | undefined,
): void => {
  const [before, after] = [isPlainObject(old) ? old : {}, isPlainObject(next) ? next : {}]
  for (const key in after) {
    const was = memberOf(before, key)
    if (after[key] === was || ignored?.has(key)) continue
    collector.take(`f:${key}`, compare(schemaOfMember(schema, key), was, after[key]))
  }
  for (const key in before) {
    if (memberOf(after, key) !== undefined || before[key] === undefined || ignored?.has(key)) continue
    collector.take(`f:${key}`, compare(schemaOfMember(schema, key), before[key], undefined))
  }
}

const index = (list: ListSchema, elements: readonly unknown[]): Map<string, unknown[]> => {
  const byMember = new Map<string, unknown[]>()
  for (const element of elements) {
    const member = elementMember(list, element)
    if (member === undefined) continue
    const twins = byMember.get(member)
    if (twins === undefined) byMember.set(member, [element])
    else twins.push(element)
  }
  return byMember
}

const compareLists = (
  list: ListSchema,
  old: readonly unknown[],
  next: readonly unknown[],
  collector: Collector,
): void => {
  const [before, after] = [index(list, old), index(list, next)]
  for (const [member, theirs] of after) {
    collector.take(member, compareElements(list.items, before.get(member) ?? [], theirs))
  }
  for (const [member, ours] of before) {
    if (!after.has(member)) collector.take(member, compareElements(list.items, ours, []))
  }
}

/** Elements with the same key are compared as one value, because a set cannot tell them apart. */
const compareElements = (
  items: Schema,
  old: readonly unknown[],
  next: readonly unknown[],
): FieldChanges | undefined => {
  if (old.length <= 1 && next.length <= 1) return compare(items, old[0], next[0])
  if (old.length >= 2 && next.length >= 2) return deepEqual(old, next) ? undefined : ADDED
  const collector = new Collector()
  collector.take('', old.length >= 2 ? REMOVED : compare(items, old[0], undefined))
  collector.take('', next.length >= 2 ? ADDED : compare(items, undefined, next[0]))
  return { changed: collector.changed?.[''] ?? NO_FIELDS, removed: collector.removed?.[''] ?? NO_FIELDS }
}

const TYPE_FIELDS = new Set(['apiVersion', 'kind', 'metadata'])

/** Fields of metadata that no manager owns. */
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

/** The same fields as a set, to be taken away from what a manager applied. */
export const UNMANAGED: FieldSet = {
  'f:apiVersion': LEAF,
  'f:kind': LEAF,
  'f:metadata': { '.': LEAF, ...Object.fromEntries([...SYSTEM_METADATA].map((name) => [`f:${name}`, LEAF])) },
}

/** What changed between two states of an API object, without the fields that nobody manages. */
export const changedFields = (schema: Schema, old: unknown, next: unknown): FieldChanges | undefined => {
  if (old === next) return undefined
  const [before, after] = [old as { metadata?: object }, next as { metadata?: object }]
  const collector = new Collector()
  compareMembers(schema, before, after, collector, TYPE_FIELDS)
  if (before.metadata !== after.metadata) {
    const metadata = new Collector()
    const metaSchema = schemaOfMember(schema, 'metadata')
    compareMembers(metaSchema, before.metadata, after.metadata, metadata, SYSTEM_METADATA)
    collector.take('f:metadata', metadata.finish(before.metadata ?? null, after.metadata ?? null))
  }
  return collector.finish(before, after)
}
