/** Replicas and selector of anything that has a `scale`, and the writing of its replicas. */
import type { LabelSelector } from 'kubernetes-types/meta/v1.d.ts'
import { cloneJson } from '../../../kit/index.ts'
import type { Kind, ScalePaths } from '../../kinds/index.ts'
import {
  type KubeObject,
  type LabelMatcher,
  matcherOf,
  parseLabelSelector,
  selectorText,
} from '../../meta/index.ts'
import type { Client } from '../../ports/index.ts'

export interface Scale {
  kind: Kind
  object: KubeObject
  /** What is wanted. */
  replicas: number
  /** What there is. */
  current: number
  /** Which pods count, as text; empty where the target does not say. */
  selector: string
  matches: LabelMatcher
}

const stepsOf = (path: string): string[] => path.split('.').filter((step) => step !== '')

const read = (object: KubeObject, path: string): unknown => {
  let value: unknown = object
  for (const step of stepsOf(path)) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<string, unknown>)[step]
  }
  return value
}

/** Built-in kinds hold a selector object (old ones plain labels), custom ones a text. */
const selectorOf = (object: KubeObject, { selector }: ScalePaths): Pick<Scale, 'selector' | 'matches'> => {
  const value = selector === undefined ? undefined : read(object, selector)
  if (typeof value === 'string') {
    return { selector: value, matches: value === '' ? () => false : parseLabelSelector(value) }
  }
  if (typeof value !== 'object' || value === null) return { selector: '', matches: () => false }
  const labelSelector: LabelSelector =
    'matchLabels' in value || 'matchExpressions' in value
      ? (value as LabelSelector)
      : { matchLabels: value as Record<string, string> }
  return { selector: selectorText(labelSelector), matches: matcherOf(labelSelector) }
}

const count = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** Nothing where the object is not there or cannot be scaled. */
export const scaleOf = (client: Client, kind: Kind, namespace: string, name: string): Scale | undefined => {
  const object = client.get(kind, namespace, name) as KubeObject | undefined
  if (object === undefined || kind.scale === undefined) return undefined
  return {
    kind,
    object,
    replicas: count(read(object, kind.scale.spec)),
    current: count(read(object, kind.scale.status)),
    ...selectorOf(object, kind.scale),
  }
}

export const writeScale = (client: Client, { kind, object }: Scale, replicas: number): void => {
  const next = cloneJson(object)
  const steps = stepsOf(kind.scale?.spec ?? '')
  let at: Record<string, unknown> = next
  for (const step of steps.slice(0, -1)) {
    at[step] ??= {}
    at = at[step] as Record<string, unknown>
  }
  at[steps.at(-1)!] = replicas
  client.update(kind, next as never)
}
