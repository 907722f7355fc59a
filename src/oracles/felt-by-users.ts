/** Whether users feel something now, against how they fared while all was well. */
import type { EpisodeFacts } from './episode-view.ts'

export interface Feeling {
  readonly shown: boolean
  /** In which something is felt. */
  readonly journeys: readonly string[]
  readonly evidence: string
}

export const feltByUsers = (_view: EpisodeFacts): Feeling => {
  throw new Error('in the making')
}
