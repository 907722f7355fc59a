/** Judges whether the injected causes are gone. */
import { defined } from '#kit'
import type { CauseSnapshot, Finding, ObjectsView } from '#spec'
import { cachePerState } from '../view/cache-per-state.ts'
import type { EpisodeFacts, Injection } from '../view/episode-view.ts'
import { faultOf } from '../view/fault-of.ts'
import { toObjectsView } from '../view/object-set.ts'

export interface CauseFinding extends Finding {
  /**
   * Whether the finding is final: the record contains all the evidence, and the cause cannot vanish without a further
   * change.
   */
  readonly isCertain: boolean
  /** Whether the evidence is only in objects other than pods, so that pods do not change the finding. */
  readonly isIndependentOfPods: boolean
  /** Whether the cause is inside an existing pod, so that new pods do not change the finding. */
  readonly isInOnePod: boolean
  /**
   * Whether the only missing evidence is a probe after the end of the solver. The solver is not to blame for a
   * missing probe. A failed probe is not missing: a solver can prevent a pod from responding.
   */
  readonly isUnprobed: boolean
  /** When the cause was last probed inside pods, if the fault has a probe. */
  readonly probedAt?: number
}

/** Returns a view that adds each kind that a fault reads to `kinds`. */
const trackKinds = ({ get, list }: ObjectsView, kinds: Set<string>): ObjectsView => ({
  get(kind, name) {
    kinds.add(kind)
    return get(kind, name)
  },
  list(kind) {
    kinds.add(kind)
    return list(kind)
  },
})

const toSnapshot = (view: EpisodeFacts, index: number, { planned, state }: Injection): CauseSnapshot => {
  const { namespace } = view.system
  return {
    system: view.system,
    target: planned.target,
    params: planned.params,
    state,
    baseline: toObjectsView(view.objects.baseline, namespace),
    injected: toObjectsView(view.objects.injected, namespace),
    now: toObjectsView(view.objects.now, namespace),
    facts: view.facts.get(index)?.facts ?? {},
    rules: view.rules,
  }
}

const NO_FLAGS = { isIndependentOfPods: false, isInOnePod: false, isUnprobed: false }

const judgeTransient = ({ planned, recoveredAt }: Injection): CauseFinding => {
  const holds = recoveredAt !== undefined
  const evidence = `the transient fault ${planned.fault} ${holds ? 'has ended' : 'has not ended yet'}`
  return { ...NO_FLAGS, holds, isCertain: holds, evidence }
}

const judgeInjection = (view: EpisodeFacts, index: number, injection: Injection): CauseFinding => {
  const { fault: name, shape } = injection.planned
  if (shape.kind === 'transient') return judgeTransient(injection)
  const fault = faultOf(view, name)
  const { at: probedAt, failed } = view.facts.get(index) ?? {}
  if (fault.probe !== undefined && (probedAt === undefined || probedAt < (view.solverEnded?.at ?? 0))) {
    const evidence = `${name} was not probed after the solver ended`
    return { ...NO_FLAGS, holds: false, isCertain: false, isUnprobed: true, evidence }
  }
  if (failed !== undefined) {
    const evidence = `${name} could not be probed: ${failed}`
    return { ...NO_FLAGS, holds: false, isCertain: false, evidence }
  }
  const snapshot = toSnapshot(view, index, injection)
  const kinds = new Set<string>()
  const { holds, evidence, isPending } = fault.isGone({ ...snapshot, now: trackKinds(snapshot.now, kinds) })
  return {
    holds,
    evidence,
    isCertain: holds || isPending !== true,
    isIndependentOfPods: fault.probe === undefined && !kinds.has('Pod'),
    isInOnePod: fault.binding === 'pod',
    isUnprobed: false,
    ...defined({ probedAt }),
  }
}

/** Judges each fault of the problem separately; all must be gone. */
export const judgeCause = cachePerState((view): CauseFinding => {
  const findings = [...view.injections].map(([index, injection]) => judgeInjection(view, index, injection))
  if (findings.length === 0)
    return {
      ...NO_FLAGS,
      holds: true,
      isCertain: true,
      isIndependentOfPods: true,
      evidence: 'no fault was injected',
    }
  const remaining = findings.filter(({ holds }) => !holds)
  const decisive = remaining.length > 0 ? remaining : findings
  const probedAt = Math.min(...decisive.map((finding) => finding.probedAt ?? Number.POSITIVE_INFINITY))
  return {
    holds: remaining.length === 0,
    isCertain: remaining.length === 0 || remaining.some(({ isCertain }) => isCertain),
    isIndependentOfPods: decisive.some(({ isIndependentOfPods }) => isIndependentOfPods),
    isInOnePod: decisive.some(({ isCertain, isInOnePod }) => isCertain && isInOnePod),
    isUnprobed: remaining.length > 0 && remaining.every(({ isUnprobed }) => isUnprobed),
    ...(Number.isFinite(probedAt) ? { probedAt } : {}),
    evidence: decisive.map(({ evidence }) => evidence).join('; '),
  }
})
