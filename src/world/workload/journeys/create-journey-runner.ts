/** Runs journeys in this process as one user, whose session lasts from one journey to the next. */
import { type Clock, createRandom, createRealClock, preciseNow } from '#kit'
import {
  type JourneyRecord,
  type OpenEntryPoint,
  RemediumError,
  type RequestRecord,
  type Workload,
} from '#spec'
import type { RecordBatch } from '../generator/generator-messages.ts'
import { checkEntryPoints } from './check-entry-points.ts'
import { createRunContext } from './create-run-context.ts'
import { runWithNeeds } from './run-with-needs.ts'
import { type ConnectUser, createSimulatedUserClient } from './simulated-user-client.ts'
import { createUser } from './user.ts'
import { createUserClient } from './user-client.ts'

export interface JourneyRunnerOptions {
  readonly workload: Workload
  readonly entryPoints: readonly OpenEntryPoint[]
  readonly seed: string
  /** The index of the user, 0 by default. Concurrent runners need different users. */
  readonly user?: number
  /** The time of the cluster; by default that of the machine. */
  readonly clock?: Clock | undefined
  /** Connects to simulated programs; by default, requests are sent over sockets. */
  readonly connectUser?: ConnectUser | undefined
}

export interface JourneyRunner {
  /** Runs a journey. First runs the journeys that it needs, unless this user has already run them. */
  run(journey: string): Promise<JourneyRecord>
  /** Whether this journey has already run because another one needs it. */
  hasPrepared(journey: string): boolean
  /** All requests and runs so far, including those of needed journeys. */
  readonly records: RecordBatch
  /** Aborts active requests. */
  close(): void
}

/** The client and the clock of the user. */
const openClient = ({ clock, connectUser, entryPoints }: JourneyRunnerOptions) => {
  const timers = clock ?? createRealClock({ keepsAlive: true })
  return {
    now: clock === undefined ? preciseNow : () => clock.now(),
    client:
      connectUser === undefined
        ? createUserClient(timers)
        : createSimulatedUserClient({ clock: timers, entryPoints, connectUser }),
  }
}

export const createJourneyRunner = (options: JourneyRunnerOptions): JourneyRunner => {
  const { workload, entryPoints, seed, user: index = 0 } = options
  checkEntryPoints(workload, entryPoints)
  const { client, now } = openClient(options)
  const random = createRandom(seed)
  const user = createUser(index, now)
  const requests: RequestRecord[] = []
  const journeys: JourneyRecord[] = []
  let runs = 0
  const context = createRunContext({
    workload,
    entryPoints,
    random,
    client,
    now,
    onRequest: (record) => void requests.push(record),
    onJourney: (record) => void journeys.push(record),
  })
  return {
    records: { requests, journeys },
    hasPrepared: (journey) => user.prepared.has(journey),
    async run(name) {
      const journey = context.journeys.byName.get(name)
      if (journey === undefined)
        throw new RemediumError('bad-argument', `The workload has no journey "${name}".`)
      const runRandom = random.fork(`${name} ${runs}`)
      const nextNumber = (): number => runs++
      await runWithNeeds({ journey, user, intended: now(), random: runRandom, nextNumber }, context)
      return journeys.findLast((record) => record.journey === name)!
    },
    close: () => client.close(),
  }
}
