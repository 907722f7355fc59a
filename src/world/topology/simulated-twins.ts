/** The programs of images on simulated clusters. Their code is loaded on request, because other commands do without it. */
import { defined, lazily } from '#kit'
import { type ServiceSlice, type SimulatedImage, type SimulatedProgram, UnsupportedCommand } from '#spec'
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

/** A tool of the image that is not modelled. Without it, the error would be that the image has no such program. */
const refuse =
  (name: string): SimulatedProgram =>
  async () => {
    throw new UnsupportedCommand(`the program ${name}`)
  }

const findTools = (paths: readonly string[]): [string, SimulatedProgram][] => {
  const tools = programs().simulatedTools
  return paths.map((path) => {
    const name = path.slice(path.lastIndexOf('/') + 1)
    return [path, tools[name] ?? refuse(name)]
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
