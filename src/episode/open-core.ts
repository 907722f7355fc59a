/** Puts together what the stages share: users, a watch on objects, and the memory of good times. */
import { type JourneyRecord, RemediumError, type Workload } from '../spec/index.ts'
import { createSystemView } from '../system-view/index.ts'
import type { RecordBatch } from '../workload/index.ts'
import { createEpisodeTime } from './episode-time.ts'
import { createHealthyWalks } from './healthy-walks.ts'
import type { LabCore, LabOptions } from './lab-core.ts'
import { createLabUsers } from './lab-users.ts'
import { LABORATORY, loadOf, makeLaboratory } from './laboratory.ts'
import { watchObjects } from './watch-objects.ts'

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

const workloadOf = ({ system }: LabOptions): Workload => {
  if (system.workload === undefined)
    throw new RemediumError('bad-argument', `${system.name} has no users, and an episode needs some.`)
  return system.workload
}

const toLost = (cause: Error): RemediumError =>
  new RemediumError('cluster-lost', `The cluster is lost: ${cause.message}.`, { blame: 'harness', cause })

const toFailure = (error: unknown): RemediumError =>
  error instanceof RemediumError ? error : new RemediumError('defect', String(error), { cause: error })

export const openCore = async (options: LabOptions): Promise<LabCore> => {
  const { cluster, system, faults, seed, engine = 'local' } = options
  const workload = workloadOf(options)
  const view = createSystemView(system)
  const news = createNews()
  const time = createEpisodeTime()
  const fail = (error: RemediumError): void => {
    core.failure ??= error
    news.tell()
  }
  const record = (task: () => void): void => {
    try {
      task()
    } catch (error) {
      fail(toFailure(error))
    }
    news.tell()
  }
  const note = (walk: JourneyRecord): void => {
    if (core.wellSince === undefined) core.walks.push(walk)
    else if (walk.intended >= core.wellSince) core.healthy.add(walk)
  }
  const take = ({ requests, journeys, probes }: RecordBatch): void => {
    const isNew = ({ intended }: { intended: number }): boolean => intended >= core.resetAt
    cluster.telemetry?.record(requests.filter(isNew), journeys.filter(isNew))
    for (const walk of journeys) if (isNew(walk)) note(walk)
    record(() => core.log?.addWalks(journeys, probes?.pending ?? []))
  }
  const core: Omit<LabCore, 'users' | 'objects'> & { -readonly [K in 'users' | 'objects']?: LabCore[K] } = {
    cluster,
    engine,
    system,
    view,
    faults,
    time,
    healthy: createHealthyWalks(view.journeys.map(({ name }) => name)),
    log: undefined,
    wellSince: undefined,
    resetAt: 0,
    resetsWithData: 0,
    failure: undefined,
    walks: [],
    calm: undefined,
    async news(ms) {
      const waiting = new AbortController()
      await Promise.race([news.next(), time.sleep(ms, waiting.signal)])
      waiting.abort()
      if (core.failure !== undefined) throw core.failure
    },
  }
  await makeLaboratory(cluster, view.namespace)
  core.objects = await watchObjects({
    api: cluster.api,
    namespace: view.namespace,
    laboratory: LABORATORY,
    onChange: (change) => record(() => core.log?.add({ type: 'object-changed', ...change })),
    onLost: (cause) => fail(toLost(cause)),
  })
  core.users = await createLabUsers({
    workload,
    load: loadOf(system),
    entryPoints: cluster.entryPoints,
    seed,
    onRecords: take,
    onLost: fail,
  })
  return core as LabCore
}

export const closeCore = async ({ objects, users }: LabCore): Promise<void> => {
  objects.close()
  await users.stop()
}
