/** Caches what does not depend on journey runs and on the time: most events of a record are journey runs. */
import { cachePerObject } from '#kit'
import type { EpisodeFacts } from './episode-view.ts'

export const cachePerState = <T>(derive: (view: EpisodeFacts) => T): ((view: EpisodeFacts) => T) => {
  const cacheOf = cachePerObject((_state: object): { value?: T } => ({}))
  return (view) => {
    const cache = cacheOf(view.state)
    if (!('value' in cache)) cache.value = derive(view)
    return cache.value as T
  }
}
