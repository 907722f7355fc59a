/** Jobs and pods that the act has added to do its work: what is still at it, and when the last was done. */
import type { ApiObject } from '../spec/index.ts'
import type { EpisodeFacts } from './episode-view.ts'
import { isGoing } from './intent.ts'
import { isControlled } from './is-controlled.ts'
import { toObjectKey } from './object-set.ts'

interface Status {
  readonly phase?: string
  readonly conditions?: readonly { readonly type: string; readonly status: string }[]
}

interface AddedWork {
  readonly unfinished: readonly ApiObject[]
  /** 0 where there was none. */
  readonly endedAt: number
}

export const isWork = ({ kind }: ApiObject): boolean => kind === 'Job' || kind === 'Pod'

const isOver = ({ kind, status }: ApiObject): boolean => {
  const { phase, conditions = [] } = (status ?? {}) as Status
  if (kind === 'Pod') return phase === 'Succeeded' || phase === 'Failed'
  return conditions.some((one) => ['Complete', 'Failed'].includes(one.type) && one.status === 'True')
}

export const addedWork = ({ objects, acts }: EpisodeFacts): AddedWork => {
  const { baseline, injected, now } = objects
  const isAdded = (object: ApiObject): boolean => {
    const key = toObjectKey(object)
    return isWork(object) && !isControlled(object) && !baseline.has(key) && !injected.has(key)
  }
  const isDone = (object: ApiObject | undefined): boolean =>
    object !== undefined && (isGoing(object) || isOver(object))
  return {
    unfinished: [...now.values()].filter((object) => isAdded(object) && !isDone(object)),
    endedAt: Math.max(
      0,
      ...acts
        .filter(({ object }) => isAdded(object))
        .filter(({ change, object, before }) => !isDone(before) && (change === 'deleted' || isDone(object)))
        .map(({ at }) => at),
    ),
  }
}
