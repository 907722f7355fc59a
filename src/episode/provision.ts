/** The first stage: users on a cluster, a watch on its objects, and enough walks to know how it is when all is well. */
import {
  type EngineCluster,
  type Fault,
  type JourneyRecord,
  type Problem,
  RemediumError,
  type System,
} from '../spec/index.ts'
import { createSystemView } from '../system-view/index.ts'
import { type RecordBatch, startWorkload } from '../workload/index.ts'
import { createEpisodeTime } from './episode-time.ts'
import { createHealthyWalks } from './healthy-walks.ts'
import type { LabCore } from './lab-core.ts'
import { LABORATORY, loadOf, makeLaboratory } from './laboratory.ts'
import { type Prepared, type PrepareOptions, prepare } from './prepare.ts'
import { warmUp } from './warm-up.ts'
import { watchObjects } from './watch-objects.ts'

export interface LabOptions {
  readonly cluster: EngineCluster
  readonly system: System
  readonly faults: ReadonlyMap<string, Fault>
  readonly seed: string
  /** Told in words what is done just now. */
  onProgress?(line: string): void
}

/** A cluster with users on it, on which one episode after another is played. */
export interface Lab {
  /** Baseline, injection, until users feel it, report. One at a time: the one before must have been restored. */
  prepare(problem: Problem, options?: PrepareOptions): Promise<Prepared>
  /** Sends the users away. The cluster stays. */
  close(): Promise<void>
}

export const openLab = async (options: LabOptions): Promise<Lab> => {
  const core = await openCore(options)
  try {
    options.onProgress?.('Walking every journey until programs are warm')
    await warmUp(core)
  } catch (error) {
    await closeCore(core)
    throw error
  }
  let current: Prepared | undefined
  return {
    async prepare(problem, choices) {
      if (problem.system !== core.system.name)
        throw new RemediumError(
          'bad-argument',
          `The problem ${problem.id} is about ${problem.system}, and this laboratory has ${core.system.name}.`,
        )
      if (current?.isRestored === false)
        throw new RemediumError('defect', 'A problem was prepared before the one before it was restored.')
      current = await prepare(core, problem, choices)
      return current
    },
    close: () => closeCore(core),
  }
}

const closeCore = async ({ objects, users }: LabCore): Promise<void> => {
  objects.close()
  await users.stop(0).catch(() => {})
}

/** Told of walks and changes as they come. */
const createNews = () => {
  let { promise, resolve } = Promise.withResolvers<void>()
  return {
    next: () => promise,
    tell() {
      resolve()
      ;({ promise, resolve } = Promise.withResolvers<void>())
    },
  }
}

const openCore = async ({ cluster, system, faults, seed }: LabOptions): Promise<LabCore> => {
  if (system.workload === undefined)
    throw new RemediumError('bad-argument', `${system.name} has no users, and an episode needs some.`)
  const view = createSystemView(system)
  const news = createNews()
  const time = createEpisodeTime()
  await makeLaboratory(cluster)
  const fail = (error: RemediumError): void => {
    core.failure ??= error
    news.tell()
  }
  const objects = await watchObjects({
    api: cluster.api,
    namespace: view.namespace,
    laboratory: LABORATORY,
    onChange(change) {
      guarded(() => core.log?.add({ type: 'object-changed', ...change }))
      news.tell()
    },
    onLost: (cause) =>
      fail(
        new RemediumError('cluster-lost', `The cluster is lost: ${cause.message}.`, {
          blame: 'harness',
          cause,
        }),
      ),
  })
  const guarded = (task: () => void): void => {
    try {
      task()
    } catch (error) {
      fail(
        error instanceof RemediumError ? error : new RemediumError('defect', String(error), { cause: error }),
      )
    }
  }
  let orders = 0
  let left = new Map<string, number>()
  const take = ({ requests, journeys, probes }: RecordBatch): void => {
    const isNew = ({ intended }: { intended: number }): boolean => intended >= core.resetAt
    cluster.telemetry?.record(requests.filter(isNew), journeys.filter(isNew))
    if (probes?.orders === orders) left = new Map(Object.entries(probes.left))
    for (const record of journeys) if (isNew(record)) note(record)
    guarded(() => core.log?.addWalks(journeys, probes?.pending ?? []))
    news.tell()
  }
  const note = (record: JourneyRecord): void => {
    if (core.wellSince === undefined) core.walks.push(record)
    else if (record.intended >= core.wellSince) core.healthy.add(record)
  }
  const users = await startWorkload({
    workload: system.workload,
    load: loadOf(system),
    entryPoints: cluster.entryPoints,
    seed,
    onRecords: take,
  })
  users.ended.then(
    () => fail(lostUsers()),
    (cause) => fail(lostUsers(cause)),
  )
  const core: LabCore = {
    ...{ cluster, system, view, faults, time, objects },
    users: {
      ...users,
      control: {
        async multiply(factor) {
          users.setRate(factor)
        },
      },
    },
    healthy: createHealthyWalks(view.journeys.map(({ name }) => name)),
    log: undefined,
    wellSince: undefined,
    resetAt: 0,
    failure: undefined,
    walks: [],
    walk(journey, most) {
      const more = most - (left.get(journey) ?? 0)
      if (more <= 0) return
      orders += 1
      left.set(journey, most)
      users.walk(journey, more)
    },
    async news(ms) {
      const waiting = new AbortController()
      await Promise.race([news.next(), time.sleep(ms, waiting.signal)])
      waiting.abort()
      if (core.failure !== undefined) throw core.failure
    },
  }
  return core
}

const lostUsers = (cause?: unknown): RemediumError =>
  new RemediumError('defect', 'The load generator has ended in the middle of an episode.', { cause })
