/** Reads and writes the fields behind the `scale` subresource, at the paths that the kind declares. */
import type { LabelSelector } from 'kubernetes-types/meta/v1.d.ts'
import { cloneJson, memberOf, setMember } from '#kit'
import type { KubeObject } from '#platform/kube/meta'
import type { ScalePaths } from './define-kind.ts'

type Members = Record<string, unknown>

const stepsOf = (path: string): string[] => path.split('.').filter((step) => step !== '')

// Reads only own members, because a path of a CustomResourceDefinition must not reach Object.prototype.
const readAtPath = (object: KubeObject, path: string): unknown => {
  let value: unknown = object
  for (const step of stepsOf(path)) {
    if (typeof value !== 'object' || value === null) return undefined
    value = memberOf(value as Members, step)
  }
  return value
}

/** Returns the number at `path`, or 0 if there is none. */
export const readCountAtPath = (object: KubeObject, path: string): number => {
  const value = readAtPath(object, path)
  return typeof value === 'number' ? value : 0
}

/** Returns a copy of `object` with the value at `path` replaced. Creates missing parents. */
export const withValueAtPath = (object: KubeObject, path: string, value: unknown): KubeObject => {
  const copy = cloneJson(object)
  const steps = stepsOf(path)
  let parent: Members = copy
  for (const step of steps.slice(0, -1)) {
    const next = memberOf(parent, step)
    if (typeof next !== 'object' || next === null) setMember<unknown>(parent, step, {})
    parent = memberOf(parent, step) as Members
  }
  setMember(parent, steps.at(-1)!, value)
  return copy
}

/** Returns the selector. Custom resources store a string, ReplicationControllers a map, other kinds a LabelSelector. */
export const scaleSelectorOf = (
  object: KubeObject,
  { selector }: ScalePaths,
): LabelSelector | string | undefined => {
  const value = selector === undefined ? undefined : readAtPath(object, selector)
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return undefined
  return 'matchLabels' in value || 'matchExpressions' in value
    ? (value as LabelSelector)
    : { matchLabels: value as Record<string, string> }
}
