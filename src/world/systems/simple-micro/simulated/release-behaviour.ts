/** The effects of the Python module of each release, as in the folder `releases`. */
import { type ProgramHost, UnsupportedCommand } from '#spec'

/** The interval at which the threads of Python take turns. */
const SWITCH_MS = 5
const PAUSE_MS = 5
const SLOW_MS = 300
/** The measured cost of one round of the leak: the lists that it keeps, the memory of each, and the CPU time to build and to collect one. */
const LISTS = 6000
const LIST_BYTES = 250
const BUILD_MS = 3
const COLLECT_MS = 0.0001
const OTHER_PORT = 1000

const burn = async ({ cpu }: ProgramHost): Promise<void> => {
  for (;;) await cpu.use(SWITCH_MS)
}

/** Other threads take turns with a long computation. */
const useInTurns = async ({ cpu }: ProgramHost, ms: number): Promise<void> => {
  for (let left = ms; left > 0; left -= SWITCH_MS) await cpu.use(Math.min(left, SWITCH_MS))
}

const grow = async (host: ProgramHost): Promise<void> => {
  for (let kept = LISTS; ; kept += LISTS) {
    host.memory.allocate(LISTS * LIST_BYTES)
    await useInTurns(host, BUILD_MS)
    // The garbage collector does not let other threads run.
    await host.cpu.use(kept * COLLECT_MS)
    await new Promise<void>((resolve) => host.time.after(PAUSE_MS, resolve))
  }
}

export interface ReleaseBehaviour {
  /** Runs when Python starts. Returns false if Python ends. */
  start(host: ProgramHost): boolean
  readonly beforeRequest: (host: ProgramHost) => Promise<void>
  readonly portOffset: number
  /** Whether the encoding of an object with a time fails. */
  readonly failsToEncodeTime: boolean
}

const GOOD: ReleaseBehaviour = {
  start: () => true,
  beforeRequest: async () => undefined,
  portOffset: 0,
  failsToEncodeTime: false,
}

const BEHAVIOURS: Readonly<Record<string, Partial<ReleaseBehaviour>>> = {
  good: {},
  crash: {
    start(host) {
      host.writeError('ImportError: libpython3.9.so.1.0: undefined symbol: PyThread_get_thread_native_id\n')
      host.exit(1)
      return false
    },
  },
  'failing-endpoint': { failsToEncodeTime: true },
  'hot-loop': {
    start(host) {
      void burn(host)
      return true
    },
  },
  leak: {
    start(host) {
      void grow(host)
      return true
    },
  },
  slow: {
    beforeRequest: ({ time }) => new Promise((resolve) => time.after(SLOW_MS, () => resolve())),
  },
  'wrong-port': { portOffset: OTHER_PORT },
}

export const behaviourOf = (quality: string): ReleaseBehaviour => {
  const behaviour = BEHAVIOURS[quality]
  if (behaviour === undefined) throw new UnsupportedCommand(`python3 with the defect ${quality}`)
  return { ...GOOD, ...behaviour }
}
