/** Follows a record event by event. */
import type { ApiObject, EpisodeEvent, Fault, SystemView, WalkNote } from '../spec/index.ts'
import type { EpisodeFacts, EpisodeView, Injection, Walk } from './episode-view.ts'
import { toObjectKey } from './object-set.ts'
import { isSettled, isWorkload } from './readiness.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

interface Draft extends Mutable<Omit<EpisodeFacts, 'objects'>> {
  objects: { baseline: Map<string, ApiObject>; injected: Map<string, ApiObject>; now: Map<string, ApiObject> }
  acts: EpisodeFacts['acts'][number][]
  injections: Map<number, Injection>
  interventions: { index: number; from: number; to?: number }[]
  walks: Map<string, Walk[]>
  answers: EpisodeFacts['answers'][number][]
  steps: EpisodeFacts['steps'][number][]
  modelAnswers: EpisodeFacts['modelAnswers'][number][]
  facts: Map<number, EpisodeFacts['facts'] extends ReadonlyMap<number, infer T> ? T : never>
  calls: EpisodeFacts['calls'][number][]
  unsettled: Set<string>
}

type Handlers = {
  readonly [T in EpisodeEvent['type']]?: (draft: Draft, event: EpisodeEvent & { type: T }) => void
}

const noteReadiness = (draft: Draft, key: string, workload: ApiObject | undefined): void => {
  if (workload !== undefined && !isSettled(workload)) draft.unsettled.add(key)
  else if (draft.unsettled.delete(key)) draft.settledAt = draft.at
}

const noteWalk = (draft: Draft, [journey, ended, latencyMs, failedAt]: WalkNote): void => {
  const walk = { began: ended - latencyMs, ended, latencyMs, ...(failedAt === undefined ? {} : { failedAt }) }
  const walks = draft.walks.get(journey)
  if (walks === undefined) draft.walks.set(journey, [walk])
  else walks.push(walk)
}

/** Faults that come and go do so side by side. */
const endIntervention = ({ interventions }: Draft, index: number, at: number): void => {
  const last = interventions.findLast((one) => one.index === index)
  if (last !== undefined) last.to ??= at
}

const noteInjection = (draft: Draft, event: EpisodeEvent & { type: 'fault-injected' }): void => {
  const { index, fault, target, params, shape, state, at } = event
  const since = draft.injections.get(index)?.since ?? at
  draft.injections.set(index, { planned: { fault, target, params, shape }, state, since })
  endIntervention(draft, index, at)
}

const noteChange = (draft: Draft, event: EpisodeEvent & { type: 'object-changed' }): void => {
  const { at, change, object } = event
  const { now, injected } = draft.objects
  const key = toObjectKey(object)
  const before = now.get(key)
  if (change === 'deleted') now.delete(key)
  else now.set(key, object)
  if (isWorkload(object)) noteReadiness(draft, key, now.get(key))
  if (draft.began !== undefined) {
    draft.acts.push({ at, change, object, ...(before === undefined ? {} : { before }) })
  } else if (change === 'deleted') injected.delete(key)
  else injected.set(key, object)
}

const HANDLERS: Handlers = {
  'episode-began': (draft, { problem }) => {
    draft.problem = problem
  },
  'baseline-taken': (draft, { journeys }) => {
    draft.isBaselineTaken = true
    draft.baseline = new Map(journeys.map((one) => [one.journey, one]))
  },
  'objects-listed': (draft, { objects }) => {
    draft.areObjectsListed = true
    const entries = objects.map((object) => [toObjectKey(object), object] as const)
    draft.objects = { baseline: new Map(entries), injected: new Map(entries), now: new Map(entries) }
    for (const [key, object] of entries) if (isWorkload(object)) noteReadiness(draft, key, object)
  },
  'object-changed': noteChange,
  'fault-injected': noteInjection,
  'laboratory-acts': (draft, { index, at }) => void draft.interventions.push({ index, from: at }),
  'fault-recovered': (draft, { index, at }) => {
    const injection = draft.injections.get(index)
    if (injection !== undefined) draft.injections.set(index, { ...injection, recovered: at })
    endIntervention(draft, index, at)
  },
  'fault-shown': (draft, event) => {
    draft.shown = event
  },
  'solver-began': (draft, { at }) => {
    draft.began = at
  },
  walks: (draft, { walks, pending }) => {
    for (const walk of walks) noteWalk(draft, walk)
    if (pending !== undefined) draft.pending = pending
  },
  'step-taken': (draft, event) => void draft.steps.push(event),
  'model-called': (draft, { answer }) => void draft.modelAnswers.push(answer),
  'answers-given': (draft, { at, answers }) => void draft.answers.push({ at, answers }),
  'solver-ended': (draft, event) => {
    draft.ended = event
  },
  'cause-probed': (draft, { index, at, facts }) => void draft.facts.set(index, { at, facts }),
  'calls-observed': (draft, event) => {
    draft.calls.push({ ...event, from: draft.calls.at(-1)?.at ?? 0 })
  },
  'harness-failed': (draft, event) => {
    draft.failure ??= event
  },
}

/** Events are added in the order of the record. */
export const createEpisodeView = (system: SystemView, faults: ReadonlyMap<string, Fault>): EpisodeView => {
  const draft: Draft = {
    isBaselineTaken: false,
    areObjectsListed: false,
    system,
    faults,
    at: 0,
    baseline: new Map(),
    pending: [],
    settledAt: 0,
    objects: { baseline: new Map(), injected: new Map(), now: new Map() },
    acts: [],
    injections: new Map(),
    interventions: [],
    walks: new Map(),
    answers: [],
    steps: [],
    modelAnswers: [],
    facts: new Map(),
    calls: [],
    unsettled: new Set<string>(),
  }
  return Object.assign(draft, {
    add(event: EpisodeEvent) {
      draft.at = event.at
      const handle = HANDLERS[event.type] as ((draft: Draft, event: EpisodeEvent) => void) | undefined
      handle?.(draft, event)
    },
  })
}
