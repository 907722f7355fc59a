/** Whether the causes are gone, checked where they were put. */
import type { Finding, ObjectsView, Scene } from '../spec/index.ts'
import type { EpisodeFacts, Injection } from './episode-view.ts'
import { toObjectsView } from './object-set.ts'
import { faultOf } from './permissions.ts'

export interface CauseFinding extends Finding {
  /** Whether all that is needed to know it is in the record. */
  readonly isCertain: boolean
  /** Whether one is there that no pod on its way can change: neither pods nor what is inside them tell of it. */
  readonly isIndependentOfPods: boolean
  /** Whether it is in pods that are there: those that come change nothing of it. */
  readonly isInOnePod: boolean
  /** Whether all that keeps it from being gone is that nobody has looked since the act, for which whoever acted cannot be blamed. */
  readonly isUnseen: boolean
  /** When somebody last looked into pods for it, of those that are looked for there. */
  readonly probedAt?: number
}

/** Notes which kinds of objects a fault looks at. */
const noteKinds = ({ get, list }: ObjectsView, kinds: Set<string>): ObjectsView => ({
  get(kind, name) {
    kinds.add(kind)
    return get(kind, name)
  },
  list(kind) {
    kinds.add(kind)
    return list(kind)
  },
})

const toScene = (view: EpisodeFacts, index: number, { planned, state }: Injection): Scene => {
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
  }
}

const judgeOne = (view: EpisodeFacts, index: number, injection: Injection): CauseFinding => {
  const { fault: name, shape } = injection.planned
  if (shape.kind === 'transient') {
    const holds = injection.recovered !== undefined
    return {
      holds,
      isCertain: holds,
      isIndependentOfPods: false,
      isInOnePod: false,
      isUnseen: false,
      evidence: `${name} ${holds ? 'has healed' : 'has not yet healed'} by itself`,
    }
  }
  const fault = faultOf(view, name)
  const probed = view.facts.get(index)?.at
  if (fault.probe !== undefined && (probed === undefined || probed < (view.ended?.at ?? 0)))
    return {
      holds: false,
      isCertain: false,
      isIndependentOfPods: false,
      isInOnePod: false,
      isUnseen: true,
      evidence: `${name} was not looked for since the act`,
    }
  const scene = toScene(view, index, injection)
  const kinds = new Set<string>()
  const finding = fault.isGone({ ...scene, now: noteKinds(scene.now, kinds) })
  const isIndependentOfPods = fault.probe === undefined && !kinds.has('Pod')
  return {
    ...finding,
    isCertain: true,
    isIndependentOfPods,
    isInOnePod: fault.binding === 'pod',
    isUnseen: false,
    ...(probed === undefined ? {} : { probedAt: probed }),
  }
}

/** Each of the problem's faults by itself; all must be gone. */
export const judgeCause = (view: EpisodeFacts): CauseFinding => {
  const found = [...view.injections].map(([index, injection]) => judgeOne(view, index, injection))
  if (found.length === 0)
    return {
      holds: true,
      isCertain: true,
      isIndependentOfPods: true,
      isInOnePod: false,
      isUnseen: false,
      evidence: 'nothing was wrong',
    }
  const left = found.filter(({ holds }) => !holds)
  const told = left.length > 0 ? left : found
  const probedAt = Math.min(...told.map((one) => one.probedAt ?? Number.POSITIVE_INFINITY))
  return {
    holds: left.length === 0,
    isCertain: left.length === 0 || left.some(({ isCertain }) => isCertain),
    isIndependentOfPods: told.some(({ isIndependentOfPods }) => isIndependentOfPods),
    isInOnePod: told.some(({ isCertain, isInOnePod }) => isCertain && isInOnePod),
    isUnseen: left.length > 0 && left.every(({ isUnseen }) => isUnseen),
    ...(Number.isFinite(probedAt) ? { probedAt } : {}),
    evidence: told.map(({ evidence }) => evidence).join('; '),
  }
}
