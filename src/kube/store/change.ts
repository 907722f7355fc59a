/** What a write did to an object. */
import type { KubeObject } from '../meta/index.ts'

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** One committed write. */
export interface Change {
  type: ChangeType
  version: number
  object: KubeObject
  old: KubeObject | undefined
}
