/** A change of an object. */
import type { KubeObject } from '#platform/kube/meta'

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** One committed write. */
export interface Change {
  type: ChangeType
  version: number
  object: KubeObject
  old: KubeObject | undefined
}
