/** The programs of images on simulated clusters. Their code is loaded on request, because other commands do without it. */
import { defined, lazily } from '#kit'
import type { ServiceSlice, SimulatedImage, SimulatedProgram } from '#spec'
import type { runSimulatedTwin, simulatedTools } from '#world/twin/simulated'

interface Programs {
  readonly runSimulatedTwin: typeof runSimulatedTwin
  readonly simulatedTools: typeof simulatedTools
}

/** The private memory of a twin on a real cluster after its start. */
const TWIN_BYTES = 14 * 2 ** 20

let loaded: Programs | undefined

export const loadSimulatedTwins = async (): Promise<void> => {
  loaded ??= await import('#world/twin/simulated')
}

const programs = (): Programs => {
  if (loaded === undefined) throw new Error('the simulated programs were not loaded')
  return loaded
}

const findTools = (paths: readonly string[]): [string, SimulatedProgram][] => {
  const tools = programs().simulatedTools
  return paths.flatMap((path): [string, SimulatedProgram][] => {
    const tool = tools[path.slice(path.lastIndexOf('/') + 1)]
    return tool === undefined ? [] : [[path, tool]]
  })
}

/**
 * Returns a function that returns the programs of an image of services: always the same, so that all clusters share the compiled
 * behaviour. The programs at the paths `commands` are the service itself.
 */
export const createSimulatedTwin = (
  slices: readonly ServiceSlice[],
  tools: readonly string[],
  commands: readonly string[],
): (() => SimulatedImage) =>
  lazily(() => {
    const main = programs().runSimulatedTwin(slices)
    const ofCommands = commands.map((path): [string, SimulatedProgram] => [path, main])
    return {
      main,
      mainBytes: TWIN_BYTES,
      programs: Object.fromEntries([...findTools(tools), ...ofCommands]),
    }
  })

/** The same for an image whose program is a tool. */
export const createSimulatedSidecar = (tool: string, tools: readonly string[]): (() => SimulatedImage) =>
  lazily(() => {
    const main = programs().simulatedTools[tool]
    return {
      ...defined({ main }),
      mainBytes: TWIN_BYTES,
      programs: Object.fromEntries(findTools(tools)),
    }
  })
