/** Builds the state of an episode from its events. */

import { programsOf } from '#exam/effects'
import { defined } from '#kit'
import {
  type ApiObject,
  type ContainerProcesses,
  type EpisodeEvent,
  type Fault,
  type InspectedContainer,
  isCreatorKind,
  type JourneyRunNote,
  type SystemView,
} from '#spec'
import { isSettled, isWorkload } from '../objects/readiness.ts'
import type { EpisodeFacts, EpisodeView, Injection, JourneyRun } from './episode-view.ts'
import { toObjectKey } from './object-set.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

interface Draft extends Mutable<Omit<EpisodeFacts, 'objects'>> {
  objects: { baseline: Map<string, ApiObject>; injected: Map<string, ApiObject>; now: Map<string, ApiObject> }
  owners: Map<string, ApiObject[]>
  changes: EpisodeFacts['changes'][number][]
  injections: Map<number, Injection>
  interventions: { index: number; from: number; to?: number }[]
  runs: Map<string, JourneyRun[]>
  answers: EpisodeFacts['answers'][number][]
  steps: EpisodeFacts['steps'][number][]
  writes: number
  modelAnswers: EpisodeFacts['modelAnswers'][number][]
  facts: Map<number, EpisodeFacts['facts'] extends ReadonlyMap<number, infer T> ? T : never>
  calls: EpisodeFacts['calls'][number][]
  unsettled: Set<string>
  brokenByFault: Set<string>
  rollingOut: Set<string>
  processes: Map<string, (ContainerProcesses & { at: number })[]>
  containers: Map<string, (InspectedContainer & { at: number })[]>
  enteredPods: Set<string>
  data: EpisodeFacts['data'][number][]
}

type Handlers = {
  readonly [T in EpisodeEvent['type']]?: (draft: Draft, event: EpisodeEvent & { type: T }) => void
}

/** A request that runs or attaches a program in a pod. */
const ENTRY = /^pods\/([^/]+)\/(?:exec|attach|ephemeralcontainers)$/
/** The object of writes that were counted together. */
const ANY_OBJECT = '*'

/** Adds a version of an object that may own others. Versions that run the same programs count once. */
const noteOwner = ({ owners, rules }: Draft, object: ApiObject): void => {
  const uid = String(object.metadata.uid)
  if (!isCreatorKind(object.kind)) return
  const versions = owners.get(uid) ?? []
  const last = versions.at(-1)
  if (last !== undefined && programsOf(last, rules) === programsOf(object, rules)) return
  owners.set(uid, [...versions, object])
}

const noteReadiness = (draft: Draft, key: string, workload: ApiObject | undefined): void => {
  if (workload !== undefined && !isSettled(workload)) {
    const isBrokenByFault = draft.injections.size > 0 && draft.solverStartedAt === undefined
    if (isBrokenByFault && !draft.unsettled.has(key)) draft.brokenByFault.add(key)
    draft.unsettled.add(key)
  } else if (draft.unsettled.delete(key)) draft.settledAt = draft.at
  if (!draft.unsettled.has(key) && draft.rollingOut.delete(key)) draft.rolledOutAt = draft.at
}

const noteRun = (draft: Draft, [journey, endedAt, latencyMs, failedAt]: JourneyRunNote): void => {
  const run = {
    startedAt: endedAt - latencyMs,
    endedAt,
    latencyMs,
    ...defined({ failedAt }),
  }
  const runs = draft.runs.get(journey)
  if (runs === undefined) draft.runs.set(journey, [run])
  else runs.push(run)
}

/** Interventions of different faults may overlap. */
const endIntervention = ({ interventions }: Draft, index: number, at: number): void => {
  const last = interventions.findLast((candidate) => candidate.index === index)
  if (last !== undefined) last.to ??= at
}

const noteInjection = (draft: Draft, event: EpisodeEvent & { type: 'fault-injected' }): void => {
  const { index, fault, target, params, shape, state, at } = event
  const since = draft.injections.get(index)?.since ?? at
  draft.injections.set(index, { planned: { fault, target, params, shape }, state, since })
  endIntervention(draft, index, at)
  for (const key of draft.unsettled) draft.rollingOut.add(key)
}

const noteChange = (draft: Draft, event: EpisodeEvent & { type: 'object-changed' }): void => {
  const { at, change, object } = event
  const { now, injected } = draft.objects
  const key = toObjectKey(object)
  const before = now.get(key)
  noteOwner(draft, object)
  if (change === 'deleted') now.delete(key)
  else now.set(key, object)
  if (isWorkload(object)) noteReadiness(draft, key, now.get(key))
  if (draft.solverStartedAt !== undefined) {
    draft.changes.push({ at, change, object, ...defined({ before }) })
  } else if (change === 'deleted') injected.delete(key)
  else injected.set(key, object)
}

const HANDLERS: Handlers = {
  'episode-started': (draft, { problem, rules = 1 }) => {
    draft.problem = problem
    draft.rules = rules
  },
  'baseline-taken': (draft, { journeys }) => {
    draft.isBaselineTaken = true
    draft.baseline = new Map(journeys.map((baseline) => [baseline.journey, baseline]))
  },
  'objects-listed': (draft, { objects }) => {
    draft.areObjectsListed = true
    const entries = objects.map((object) => [toObjectKey(object), object] as const)
    draft.objects = { baseline: new Map(entries), injected: new Map(entries), now: new Map(entries) }
    for (const [key, object] of entries) {
      noteOwner(draft, object)
      if (isWorkload(object)) noteReadiness(draft, key, object)
    }
  },
  'object-changed': noteChange,
  'fault-injected': noteInjection,
  'fault-change-started': (draft, { index, at }) => void draft.interventions.push({ index, from: at }),
  'fault-recovered': (draft, { index, at }) => {
    const injection = draft.injections.get(index)
    if (injection !== undefined) draft.injections.set(index, { ...injection, recoveredAt: at })
    endIntervention(draft, index, at)
  },
  'user-impact-observed': (draft, event) => {
    draft.userImpact = event
  },
  'solver-started': (draft, { at }) => {
    draft.solverStartedAt = at
    if (draft.injections.size > 0) for (const key of draft.unsettled) draft.brokenByFault.add(key)
  },
  'journeys-run': (draft, { runs, pending }) => {
    for (const run of runs) noteRun(draft, run)
    if (pending !== undefined) draft.pending = pending
  },
  'step-taken': (draft, event) => void draft.steps.push(event),
  'write-audited': (draft, { object, count = 1 }) => {
    draft.writes += count
    const pod = object === ANY_OBJECT ? object : ENTRY.exec(object)?.[1]
    if (pod !== undefined) draft.enteredPods.add(pod)
  },
  'model-called': (draft, { answer }) => void draft.modelAnswers.push(answer),
  'usage-reported': (draft, { tokens, costUsd }) =>
    void draft.modelAnswers.push({ usage: tokens, ...defined({ costUsd }) }),
  'answers-given': (draft, { at, answers }) => void draft.answers.push({ at, answers }),
  'solver-ended': (draft, event) => {
    draft.solverEnded = event
  },
  'cause-probed': (draft, { index, at, facts, failed }) =>
    void draft.facts.set(index, { at, facts, ...defined({ failed }) }),
  'processes-observed': ({ processes }, { at, containers }) => {
    for (const container of containers)
      processes.set(container.id, [...(processes.get(container.id) ?? []), { ...container, at }])
  },
  'containers-inspected': (draft, { at, containers }) => {
    for (const container of containers)
      draft.containers.set(container.id, [
        ...(draft.containers.get(container.id) ?? []),
        { ...container, at },
      ])
  },
  'data-observed': (draft, event) => void draft.data.push(event),
  'calls-observed': (draft, event) => {
    draft.calls.push({ ...event, from: draft.calls.at(-1)?.at ?? 0 })
  },
  'harness-failed': (draft, event) => {
    draft.failure ??= event
  },
}

/** `add` takes the events in the order of the record. */
export const createEpisodeView = (system: SystemView, faults: ReadonlyMap<string, Fault>): EpisodeView => {
  const draft: Draft = {
    state: {},
    isBaselineTaken: false,
    areObjectsListed: false,
    system,
    faults,
    rules: 1,
    at: 0,
    baseline: new Map(),
    pending: [],
    settledAt: 0,
    objects: { baseline: new Map(), injected: new Map(), now: new Map() },
    owners: new Map(),
    changes: [],
    injections: new Map(),
    interventions: [],
    runs: new Map(),
    answers: [],
    steps: [],
    writes: 0,
    modelAnswers: [],
    facts: new Map(),
    calls: [],
    unsettled: new Set<string>(),
    brokenByFault: new Set<string>(),
    rollingOut: new Set<string>(),
    processes: new Map(),
    containers: new Map(),
    enteredPods: new Set<string>(),
    data: [],
  }
  return Object.assign(draft, {
    add(event: EpisodeEvent) {
      draft.at = event.at
      if (event.type !== 'journeys-run') draft.state = {}
      const handle = HANDLERS[event.type] as ((draft: Draft, event: EpisodeEvent) => void) | undefined
      handle?.(draft, event)
    },
  })
}
