/** The engines on which workers open clusters, by name. */
import { canFork } from '#machine/host'
import { type Engine, type EngineName, RemediumError } from '#spec'

type OnError = (source: string, error: unknown) => void

interface EngineEntry {
  /** Whether clusters are processes on this machine: that requires permissions and programs, and killed workers leave remains. */
  readonly usesMachine: boolean
  create(onError: OnError): Promise<Engine>
}

const ENGINES: Readonly<Record<EngineName, EngineEntry>> = {
  local: {
    usesMachine: true,
    async create(onError) {
      const { createLocalEngine } = await import('#platform/engines/local')
      return createLocalEngine({ onError })
    },
  },
  sim: {
    usesMachine: false,
    async create(onError) {
      const { createSimEngine } = await import('#platform/engines/sim')
      return createSimEngine({ onError })
    },
  },
}

const entryOf = (name: string): EngineEntry => {
  if (Object.hasOwn(ENGINES, name)) return ENGINES[name as EngineName]
  throw new RemediumError('bad-argument', `There is no engine "${name}".`, {
    hint: `The engines are: ${Object.keys(ENGINES).join(', ')}.`,
  })
}

/** Whether clusters of the engine are processes on this machine. */
export const usesMachine = (name: string): boolean => entryOf(name).usesMachine

/** Whether incidents on the engine can be forked on this machine: their whole state is in the process that prepared them. */
export const canForkOn = (name: string): boolean => !usesMachine(name) && canFork()

/** `onError` is called for errors inside the clusters, which continue to run. */
export const createEngine = async (name: string, onError: OnError): Promise<Engine> =>
  entryOf(name).create(onError)
