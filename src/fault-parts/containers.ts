/** The containers of a service, in its manifest and in objects of the cluster. */
import type {
  ApiObject,
  ContainerView,
  ObjectsView,
  PodSpecView,
  SystemView,
  WorkloadView,
} from '../spec/index.ts'

/** The one that serves: the first. */
export const mainContainer = (system: SystemView, service: string): ContainerView =>
  system.workloadOf(service).podSpec.containers[0]!

/** The pod template's spec of a Deployment or StatefulSet. */
export const podSpecOf = (workload: ApiObject): PodSpecView =>
  (workload.spec as { template: { spec: PodSpecView } }).template.spec

/** The workload as it is at that moment; nothing where it is gone. */
export const workloadIn = (objects: ObjectsView, { kind, name }: WorkloadView): ApiObject | undefined =>
  objects.get(kind, name)

/** A container of a workload at that moment, by its name. */
export const containerIn = (
  objects: ObjectsView,
  workload: WorkloadView,
  container: string,
): ContainerView | undefined => {
  const found = workloadIn(objects, workload)
  return found === undefined ? undefined : podSpecOf(found).containers.find(({ name }) => name === container)
}

/** `a/b` and `v1` of `a/b:v1`; a port of the registry is none of the tag. */
export const splitImage = (image: string): { readonly repository: string; readonly tag: string } => {
  const colon = image.lastIndexOf(':')
  return colon <= image.lastIndexOf('/')
    ? { repository: image, tag: 'latest' }
    : { repository: image.slice(0, colon), tag: image.slice(colon + 1) }
}
