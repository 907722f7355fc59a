/** Starts containers on a simulated node. */
import type { Container } from 'kubernetes-types/core/v1.d.ts'
import {
  ContainerStartError,
  checkHostAccess,
  commandLineOf,
  cpuMillisOf,
  createNoCommandError,
  environmentOf,
  fullImageName,
  memoryLimitOf,
  oomScoreOf,
  type RunningContainer,
  type StartContainer,
  startProblem,
  userIdOf,
} from '#platform/kube/simulated'
import type { SimulatedProgram } from '#spec'
import { findProgram, missingProgramText } from '../processes/find-program.ts'
import type { MainProgram } from '../processes/process-table.ts'
import { SMALL_PROCESS_BYTES } from '../processes/spawn-process.ts'
import type { ProgramImage, ProgramRuntimeOptions } from '../program-runtime-options.ts'
import { createContainerMounts } from '../volumes/container-mounts.ts'
import type { NodePod } from './node-pod.ts'
import { createProgramContainer, type ProgramContainer } from './program-container.ts'

/** As on a local cluster. */
const SEARCH_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/remedium/bin'

export interface StartProgramOptions {
  readonly runtime: ProgramRuntimeOptions
  readonly nodePod: NodePod
  readonly image: ProgramImage
  readonly start: StartContainer
  readonly identity: RunningContainer
  /** Called before the program runs. */
  onStart(container: ProgramContainer): void
  onExit: StartContainer['onExit']
}

/** Throws ContainerStartError if the command is empty or its program does not exist. */
const mainOf = (
  container: Container,
  image: ProgramImage,
  find: (name: string) => SimulatedProgram | undefined,
  identity: RunningContainer,
): MainProgram => {
  const { replacesEntrypoint, program, args } = commandLineOf(container, image)
  const { main } = image
  if (!replacesEntrypoint && main !== undefined)
    return { program: main, command: [...program, ...args], args, isDirect: true }
  const command = [...program, ...args]
  const [name] = command
  if (name === undefined) throw createNoCommandError()
  const found = find(name)
  if (found === undefined)
    throw new ContainerStartError(
      startProblem(`runc create failed: ${missingProgramText(name)}`),
      'start',
      identity,
    )
  return { program: found, command, args: command.slice(1), isDirect: found === main }
}

const resourcesOf = (
  { runtime, nodePod, start: { container, attempt }, image }: StartProgramOptions,
  main: MainProgram,
) => {
  const { pod } = nodePod
  const cpu = cpuMillisOf(container)
  const isMain = main.program === image.main
  return {
    random: runtime.random.fork(`${pod.metadata.uid}/${container.name}/${attempt}`),
    node: runtime.load,
    cpuLimit: cpu.limit / 1000,
    cpuRequest: cpu.request / 1000,
    memoryLimitBytes: memoryLimitOf(container),
    programBytes: isMain ? (image.mainBytes ?? SMALL_PROCESS_BYTES) : SMALL_PROCESS_BYTES,
    oomScoreAdj: oomScoreOf(pod, container, runtime.memoryBytes),
  }
}

/** Throws ContainerStartError. */
export const startProgram = (options: StartProgramOptions): void => {
  const { runtime, nodePod, image, start, identity, onStart, onExit } = options
  const { pod, sim, sandbox, volumes } = nodePod
  const { container, environment: variables } = start
  checkHostAccess(pod, container)
  const folder = container.workingDir || image.workingDirectory || '/'
  const environment = environmentOf({
    pod,
    container,
    image,
    environment: variables,
    searchPath: SEARCH_PATH,
  })
  const mounts = createContainerMounts({
    pod,
    ip: sandbox.ip,
    container,
    image,
    environment: variables,
    volumes,
    folder,
  })
  userIdOf(pod, container, image.user)
  const find = (name: string, from = folder) => findProgram(image, runtime.everydayPrograms, name, from)
  const main = mainOf(container, image, find, identity)
  const created = createProgramContainer({
    clock: runtime.clock,
    id: identity.id.slice(identity.id.lastIndexOf('/') + 1),
    podUid: pod.metadata.uid,
    pod: sim,
    container,
    image: fullImageName(container.image ?? ''),
    mounts,
    environment,
    folder,
    resources: resourcesOf(options, main),
    findProgram: find,
    startNetwork: () => sim.network.startProcess(),
    exportSpan: (span) => runtime.onSpan(sim, span),
    onError: (error) => runtime.onProgramError?.(sim, error),
    onExit(exit) {
      nodePod.running.delete(created)
      onExit(exit)
    },
  })
  nodePod.running.add(created)
  onStart(created)
  runtime.pods.start(created)
  created.run(main)
}
