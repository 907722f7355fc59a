/** One user who walks the journeys he is told to, in this process, and keeps his session from one to the next. */
import { createRandom, createRealClock, preciseNow } from '../kit/index.ts'
import type { JourneyRecord, OpenEntryPoint, RequestRecord, Workload } from '../spec/index.ts'
import { checkDoors } from './check-doors.ts'
import { createSurroundings } from './create-surroundings.ts'
import type { RecordBatch } from './generator-messages.ts'
import { createUser } from './user.ts'
import { createUserClient } from './user-client.ts'
import { walkWithNeeds } from './walk-with-needs.ts'

export interface WalkerOptions {
  readonly workload: Workload
  readonly entryPoints: readonly OpenEntryPoint[]
  readonly seed: string
  /** Which of the users it is, 0 where absent: those who act at the same time are not the same. */
  readonly user?: number
}

export interface Walker {
  /** Walks a journey of the workload, after those it needs that this user has not walked yet. */
  walk(journey: string): Promise<JourneyRecord>
  /** Whether another journey needed this one and it went well. */
  hasPrepared(journey: string): boolean
  /** All that he has lived so far, with what was needed. */
  readonly records: RecordBatch
  /** Breaks off what is on its way. */
  close(): void
}

export const createWalker = ({ workload, entryPoints, seed, user: index = 0 }: WalkerOptions): Walker => {
  checkDoors(workload, entryPoints)
  const client = createUserClient(createRealClock({ keepsAlive: true }))
  const random = createRandom(seed)
  const user = createUser(index, preciseNow)
  const requests: RequestRecord[] = []
  const journeys: JourneyRecord[] = []
  let begun = 0
  const around = createSurroundings({
    workload,
    entryPoints,
    random,
    client,
    now: preciseNow,
    onRequest: (record) => void requests.push(record),
    onJourney: (record) => void journeys.push(record),
  })
  return {
    records: { requests, journeys },
    hasPrepared: (journey) => user.prepared.has(journey),
    async walk(name) {
      const journey = around.journeys.byName.get(name)
      if (journey === undefined) throw new Error(`there is no journey "${name}"`)
      const chance = random.fork(`${name} ${begun}`)
      const nextNumber = (): number => begun++
      await walkWithNeeds({ journey, user, intended: preciseNow(), random: chance, nextNumber }, around)
      return journeys.findLast((record) => record.journey === name)!
    },
    close: () => client.close(),
  }
}
