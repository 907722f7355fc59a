/** Whether the act has sent pods on their way that may yet change what is seen of a cause. */
import { isDeepStrictEqual } from 'node:util'
import type { ApiObject } from '../spec/index.ts'
import type { EpisodeFacts } from './episode-view.ts'
import { isGoing } from './intent.ts'
import { isMeant } from './is-meant.ts'
import { toObjectKey } from './object-set.ts'
import { isWorkload } from './readiness.ts'
import { type Marks, serviceOf, templateOf } from './workload-template.ts'

/** Whether it is about to replace its pods. */
const isRolling = ({ objects }: EpisodeFacts, key: string): boolean => {
  const [now, injected] = [objects.now.get(key), objects.injected.get(key)]
  return (
    now === undefined || injected === undefined || !isDeepStrictEqual(templateOf(now), templateOf(injected))
  )
}

const hasUnsettledWorkload = ({ unsettled, objects }: EpisodeFacts, pod: ApiObject): boolean => {
  const service = (pod.metadata.labels as Marks | undefined)?.app
  return [...unsettled].some((key) => {
    const workload = objects.now.get(key)
    return workload !== undefined && serviceOf(workload) === service
  })
}

/** `isInOnePod`: then only pods that go matter, not those that come. */
export const arePodsOnTheWay = (view: EpisodeFacts, isInOnePod: boolean): boolean =>
  (isInOnePod && [...view.objects.now.values()].some((one) => one.kind === 'Pod' && isGoing(one))) ||
  view.acts.some((act) => {
    const { object } = act
    if (!isMeant(act)) return false
    if (object.kind === 'Pod') return !isInOnePod && hasUnsettledWorkload(view, object)
    const key = toObjectKey(object)
    return isWorkload(object) && view.unsettled.has(key) && (!isInOnePod || isRolling(view, key))
  })
