/** Replicas and selector of anything that has a `scale`, and the writing of its replicas. */
import {
  countAtPath,
  type Kind,
  type ScalePaths,
  scaleSelectorOf,
  withValueAtPath,
} from '../../kinds/index.ts'
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

const selectionOf = (object: KubeObject, paths: ScalePaths): Pick<Scale, 'selector' | 'matches'> => {
  const selector = scaleSelectorOf(object, paths)
  if (typeof selector === 'object') return { selector: selectorText(selector), matches: matcherOf(selector) }
  return selector === undefined || selector === ''
    ? { selector: '', matches: () => false }
    : { selector, matches: parseLabelSelector(selector) }
}

/** Nothing where the object is not there or cannot be scaled. */
export const scaleOf = (client: Client, kind: Kind, namespace: string, name: string): Scale | undefined => {
  const object = client.get(kind, namespace, name) as KubeObject | undefined
  if (object === undefined || kind.scale === undefined) return undefined
  return {
    kind,
    object,
    replicas: countAtPath(object, kind.scale.spec),
    current: countAtPath(object, kind.scale.status),
    ...selectionOf(object, kind.scale),
  }
}

export const writeScale = (client: Client, { kind, object }: Scale, replicas: number): void => {
  client.update(kind, withValueAtPath(object, kind.scale!.spec, replicas) as never)
}
