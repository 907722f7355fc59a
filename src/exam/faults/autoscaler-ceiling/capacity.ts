/** Judges the capacity of the entry service: pods that serve users count, and pods that an autoscaler might add do not. */
import {
  isLimitRestored,
  isRequestRestored,
  mayStillGrow,
  podSpecOf,
  RULES_WITH_LASTING_CAPACITY,
  reactsToLoad,
  scalesWorkload,
  servingPodsOf,
  workloadIn,
} from '#exam/fault-parts'
import {
  type ApiObject,
  type CauseSnapshot,
  type CauseState,
  type FaultCase,
  JUDGING_RULES,
  type ObjectsView,
  viewAs,
} from '#spec'

/** The number of small pods that can serve all users. */
export const SUFFICIENT_PODS = 4

export const targetOf = ({ system, target }: FaultCase, objects: ObjectsView): ApiObject | undefined =>
  workloadIn(objects, system.workloadOf(target.service))

export const maximumOf = (autoscaler: ApiObject): number =>
  viewAs('HorizontalPodAutoscaler', autoscaler).spec?.maxReplicas ?? 0

const minimumOf = (autoscaler: ApiObject): number =>
  viewAs('HorizontalPodAutoscaler', autoscaler).spec?.minReplicas ?? 1

/** The autoscaler of the fault and others of the workload: a second one does not help, because both act. */
export const findAutoscalers = ({ now, state, system, target }: CauseSnapshot): ApiObject[] => {
  const { kind, name } = system.workloadOf(target.service)
  const workload = { apiVersion: 'apps/v1', kind, metadata: { name } }
  return now
    .list('HorizontalPodAutoscaler')
    .filter((object) => object.metadata.name === state.name || scalesWorkload(object, workload))
}

/** Whether the pods have their former size, so that one of them serves all users. */
export const hasFormerSize = (snapshot: CauseSnapshot): boolean => {
  const [before, after] = [snapshot.baseline, snapshot.now].map((objects) => targetOf(snapshot, objects))
  const resources = [before, after].map((object) => object && podSpecOf(object).containers[0]?.resources)
  return [isLimitRestored, isRequestRestored].every((isRestored) =>
    isRestored(resources[0], resources[1], 'cpu'),
  )
}

export const judgeCapacity = (snapshot: CauseSnapshot): CauseState => {
  const workload = targetOf(snapshot, snapshot.now)
  if (workload === undefined) return { holds: false, evidence: 'the workload does not exist' }
  const ceiling = Number(snapshot.state.ceiling)
  const autoscalers = findAutoscalers(snapshot)
  const { rules = JUDGING_RULES } = snapshot
  const isLarge = hasFormerSize(snapshot)
  // Pods that only the minimum keeps must be enough.
  const needed = isLarge || rules < RULES_WITH_LASTING_CAPACITY ? ceiling + 1 : SUFFICIENT_PODS
  const scalesUnderLoad = (object: ApiObject): boolean =>
    scalesWorkload(object, workload) && (reactsToLoad(object, workload, rules) || minimumOf(object) >= needed)
  const isRaised = autoscalers.every((object) => maximumOf(object) > ceiling)
  const serving = servingPodsOf(workload)
  // Without an autoscaler the number of pods stays the same.
  const hasEnough = autoscalers.length === 0 ? serving >= SUFFICIENT_PODS : serving > ceiling && isRaised
  const toText = (object: ApiObject): string =>
    `the autoscaler ${object.metadata.name} ${scalesUnderLoad(object) ? 'scales' : 'does not scale'} the workload under load, up to ${maximumOf(object)} pods`
  return {
    holds: autoscalers.every(scalesUnderLoad) && (isLarge ? serving > 0 : hasEnough),
    isPending: mayStillGrow(snapshot.now, snapshot),
    evidence: `${autoscalers.map(toText).join(', ') || 'there is no autoscaler'}; ${serving} ${isLarge ? 'pods of their former size' : 'small pods'} are ready`,
  }
}
