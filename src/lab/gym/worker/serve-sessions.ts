/** Serves the sessions of one worker: receives calls as input of a job, and replies with its results. */
import { loadFaults } from '#exam/faults'
import { defined, lazily } from '#kit'
import {
  createLabClusterKeeper,
  type JobContext,
  type JobServer,
  type LabClusterKeeper,
  withHeartbeat,
} from '#lab/workers'
import { type Fault, toRemediumError } from '#spec'
import { createSession, type Session } from './create-session.ts'
import type { GymCalls, GymInput, GymJob, GymReply } from './gym-job.ts'
import { performCall } from './perform-call.ts'

export interface SessionServerOptions {
  loadFaults?(): Promise<ReadonlyMap<string, Fault>>
  createKeeper?(): LabClusterKeeper
}

/** Keepers without a session. Their lab clusters, if they have one, stay open for the next session. */
const createKeeperStock = (create: () => LabClusterKeeper) => {
  const all: LabClusterKeeper[] = []
  const idle: LabClusterKeeper[] = []
  return {
    take(): LabClusterKeeper {
      const keeper = idle.pop() ?? create()
      if (!all.includes(keeper)) all.push(keeper)
      return keeper
    },
    giveBack: (keeper: LabClusterKeeper) => void idle.push(keeper),
    closeAll: async () => void (await Promise.allSettled(all.map((keeper) => keeper.close()))),
  }
}

type Context = Pick<JobContext<GymReply>, 'signal' | 'stage' | 'result'>

const createSessions = (
  job: GymJob,
  { signal, stage }: Context,
  faults: ReadonlyMap<string, Fault>,
  keepers: ReturnType<typeof createKeeperStock>,
) => {
  const sessions = new Map<string, { readonly session: Session; readonly labClusters: LabClusterKeeper }>()
  const open = (name: string): Session => {
    const found = sessions.get(name)
    if (found !== undefined) return found.session
    const labClusters = keepers.take()
    const session = createSession({ job, faults, labClusters, signal, stage })
    sessions.set(name, { session, labClusters })
    return session
  }
  return {
    open,
    async close(name: string): Promise<void> {
      const found = sessions.get(name)
      if (found === undefined) return
      sessions.delete(name)
      await found.session.close()
      keepers.giveBack(found.labClusters)
    },
  }
}

const perform = async (
  input: GymInput,
  sessions: ReturnType<typeof createSessions>,
): Promise<GymCalls[GymInput['call']]['result']> => {
  if (input.call !== 'close') return performCall(sessions.open(input.session), input)
  await sessions.close(input.session)
  return null
}

export const createSessionServer = (options: SessionServerOptions = {}): JobServer<GymJob, GymReply> => {
  const faults = lazily(options.loadFaults ?? loadFaults)
  const keepers = createKeeperStock(options.createKeeper ?? createLabClusterKeeper)
  return {
    close: keepers.closeAll,
    async run(job, context) {
      const { result, alive, onInput } = context
      const opening = faults().then((loaded) => createSessions(job, context, loaded, keepers))
      onInput((received) => {
        const input = received as GymInput
        const { id } = input
        opening
          .then((sessions) => perform(input, sessions))
          .then(
            (value) => result({ id, result: value }),
            (thrown) => {
              const { code, message, blame, hint, cause } = toRemediumError(thrown)
              if (code === 'defect') console.error(cause ?? thrown)
              result({ id, failure: { code, message, blame, ...defined({ hint }) } })
            },
          )
      })
      await opening
      await withHeartbeat(alive, Number.POSITIVE_INFINITY, new Promise<never>(() => {}))
    },
  }
}
