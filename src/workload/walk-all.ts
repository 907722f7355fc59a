/** Walks every journey once, in this process, by one user: what tests and preparation do. */
import { createRandom, createRealClock, preciseNow } from '../kit/index.ts'
import type { JourneyRecord, OpenEntryPoint, RequestRecord, Workload } from '../spec/index.ts'
import { checkDoors } from './check-doors.ts'
import { createSurroundings } from './create-surroundings.ts'
import type { RecordBatch } from './generator-messages.ts'
import { createUser } from './user.ts'
import { createUserClient } from './user-client.ts'
import { walkWithNeeds } from './walk-with-needs.ts'

export interface WalkAllOptions {
  readonly workload: Workload
  readonly entryPoints: readonly OpenEntryPoint[]
  readonly seed: string
  /** Only these; all where absent. */
  readonly journeys?: readonly string[]
}

/** In the order in which they are written; one that another needed is not walked a second time. */
export const walkAll = async (options: WalkAllOptions): Promise<RecordBatch> => {
  const { workload, entryPoints } = options
  checkDoors(workload, entryPoints)
  const client = createUserClient(createRealClock({ keepsAlive: true }))
  const random = createRandom(options.seed)
  const user = createUser(0, preciseNow)
  const requests: RequestRecord[] = []
  const walks: JourneyRecord[] = []
  let begun = 0
  const around = createSurroundings({
    workload,
    entryPoints,
    random,
    client,
    now: preciseNow,
    onRequest: (record) => void requests.push(record),
    onJourney: (record) => void walks.push(record),
  })
  try {
    for (const journey of around.journeys.byName.values()) {
      if (options.journeys?.includes(journey.name) === false || user.prepared.has(journey.name)) continue
      const intended = preciseNow()
      const chance = random.fork(journey.name)
      await walkWithNeeds({ journey, user, intended, random: chance, nextNumber: () => begun++ }, around)
    }
  } finally {
    client.close()
  }
  return { requests, journeys: walks }
}
