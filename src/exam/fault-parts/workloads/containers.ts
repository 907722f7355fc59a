/** Finds the containers of a service, in its manifest and in recorded objects. */
import { quoteShellWord } from '#kit'
import {
  type ApiObject,
  type ContainerView,
  containersOf,
  type FaultCase,
  type ObjectsView,
  type PodSpecView,
  podTemplateOf,
  type SystemView,
  type WorkloadView,
} from '#spec'

/** The container that serves requests: the first. */
export const mainContainer = (system: SystemView, service: string): ContainerView =>
  system.workloadOf(service).podSpec.containers[0]!

/** The command of the main container, or that of its image; empty if neither is known. */
export const deployedCommand = (system: SystemView, service: string): readonly string[] => {
  const { command, image = '' } = mainContainer(system, service)
  return command ?? system.entrypointOf?.(image) ?? []
}

/** The same as a line of a shell, without the arguments that the container has besides. */
export const deployedCommandLine = (system: SystemView, service: string): string =>
  deployedCommand(system, service).map(quoteShellWord).join(' ')

/** The pod spec of a workload; without containers if the recorded object lacks it. */
export const podSpecOf = (workload: ApiObject): PodSpecView =>
  podTemplateOf(workload)?.spec ?? { containers: [] }

/** The main container of the target in a workload; undefined if it was removed. */
export const mainContainerIn = (
  workload: ApiObject,
  { system, target }: FaultCase,
): ContainerView | undefined => {
  const { name } = mainContainer(system, target.service)
  return containersOf(workload).find((container) => container.name === name)
}

/** The workload among recorded objects; undefined if it does not exist. */
export const workloadIn = (objects: ObjectsView, { kind, name }: WorkloadView): ApiObject | undefined =>
  objects.get(kind, name)

/** A container, by name, of a workload among recorded objects. */
export const containerIn = (
  objects: ObjectsView,
  workload: WorkloadView,
  container: string,
): ContainerView | undefined => {
  const found = workloadIn(objects, workload)
  return found && containersOf(found).find(({ name }) => name === container)
}

/** Splits `a/b:v1` into `a/b` and `v1`. The port of a registry is not a tag. */
export const splitImage = (image = ''): { readonly repository: string; readonly tag: string } => {
  const colon = image.lastIndexOf(':')
  return colon <= image.lastIndexOf('/')
    ? { repository: image, tag: 'latest' }
    : { repository: image.slice(0, colon), tag: image.slice(colon + 1) }
}
