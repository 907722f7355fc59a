/** Replicas and selector of an object, at the paths where its kind says that `scale` finds them. */
import type { LabelSelector } from 'kubernetes-types/meta/v1.d.ts'
import { cloneJson, memberOf, setMember } from '../../kit/index.ts'
import type { KubeObject } from '../meta/index.ts'
import type { ScalePaths } from './define-kind.ts'

type Members = Record<string, unknown>

const stepsOf = (path: string): string[] => path.split('.').filter((step) => step !== '')

// Own members only: a path that somebody defined must not lead into what all objects share.
const readAtPath = (object: KubeObject, path: string): unknown => {
  let value: unknown = object
  for (const step of stepsOf(path)) {
    if (typeof value !== 'object' || value === null) return undefined
    value = memberOf(value as Members, step)
  }
  return value
}

/** The number at `path`; 0 where there is none. */
export const countAtPath = (object: KubeObject, path: string): number => {
  const value = readAtPath(object, path)
  return typeof value === 'number' ? value : 0
}

/** A copy of `object` with the value at `path` replaced. */
export const withValueAtPath = (object: KubeObject, path: string, value: unknown): KubeObject => {
  const copy = cloneJson(object)
  const steps = stepsOf(path)
  let at: Members = copy
  for (const step of steps.slice(0, -1)) {
    const next = memberOf(at, step)
    if (typeof next !== 'object' || next === null) setMember<unknown>(at, step, {})
    at = memberOf(at, step) as Members
  }
  setMember(at, steps.at(-1)!, value)
  return copy
}

/** Built-in kinds hold a selector object (old ones plain labels), custom ones a text. */
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
