/** Reads the replicas and selector of any kind with a scale subresource, and writes its replicas. */
import {
  type Kind,
  readCountAtPath,
  type ScalePaths,
  scaleSelectorOf,
  withValueAtPath,
} from '#platform/kube/kinds'
import {
  type KubeObject,
  type LabelMatcher,
  parseLabelSelector,
  selectorText,
  toLabelMatcher,
} from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'

export interface Scale {
  kind: Kind
  object: KubeObject
  /** Desired replicas. */
  replicas: number
  /** Observed replicas. */
  current: number
  /** The label selector of the pods as text; empty if the target has none. */
  selector: string
  matches: LabelMatcher
}

const selectionOf = (object: KubeObject, paths: ScalePaths): Pick<Scale, 'selector' | 'matches'> => {
  const selector = scaleSelectorOf(object, paths)
  if (typeof selector === 'object')
    return { selector: selectorText(selector), matches: toLabelMatcher(selector) }
  return selector === undefined || selector === ''
    ? { selector: '', matches: () => false }
    : { selector, matches: parseLabelSelector(selector) }
}

/** Returns undefined if the object does not exist or its kind has no scale. */
export const scaleOf = (client: Client, kind: Kind, namespace: string, name: string): Scale | undefined => {
  const object = client.get(kind, namespace, name) as KubeObject | undefined
  if (object === undefined || kind.scale === undefined) return undefined
  return {
    kind,
    object,
    replicas: readCountAtPath(object, kind.scale.spec),
    current: readCountAtPath(object, kind.scale.status),
    ...selectionOf(object, kind.scale),
  }
}

export const writeScale = (client: Client, { kind, object }: Scale, replicas: number): void => {
  client.update(kind, withValueAtPath(object, kind.scale!.spec, replicas) as never)
}
