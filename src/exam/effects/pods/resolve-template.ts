/** Replaces references to ConfigMaps and Secrets in the pod template of a workload by what the pods read. */
import { type ApiObject, type ContainerView, type ObjectsView, podTemplateOf } from '#spec'
import { environmentOf } from './environment.ts'
import { filesOfMount, filesOfVolume } from './files.ts'

type PodSpec = NonNullable<NonNullable<ReturnType<typeof podTemplateOf>>['spec']>

const resolveContainer = (
  objects: ObjectsView,
  container: ContainerView,
  volumes: PodSpec['volumes'],
): object => {
  const { env: _, envFrom: __, volumeMounts, ...rest } = container
  return {
    ...rest,
    env: environmentOf(objects, container),
    ...(volumeMounts === undefined
      ? {}
      : {
          volumeMounts: volumeMounts.map((mount) => {
            const files = filesOfMount(objects, mount, volumes)
            if (files === undefined) return mount
            // Names of volumes and paths in them do not matter to the program.
            const { name: ___, subPath: ____, ...place } = mount
            return { ...place, files }
          }),
        }),
  }
}

/** Two workloads whose pods read the same have the same resolved form, whatever the names of the objects are. */
export const resolveTemplate = (objects: ObjectsView, workload: ApiObject): ApiObject => {
  const template = podTemplateOf(workload)
  if (template?.spec === undefined) return workload
  const { containers = [], initContainers, volumes, ...rest } = template.spec as PodSpec
  const resolve = (list: readonly ContainerView[]): readonly object[] =>
    list.map((container) => resolveContainer(objects, container, volumes))
  const spec = {
    ...rest,
    containers: resolve(containers),
    ...(initContainers === undefined ? {} : { initContainers: resolve(initContainers) }),
    ...(volumes === undefined
      ? {}
      : { volumes: volumes.filter((volume) => filesOfVolume(objects, volume) === undefined) }),
  }
  return { ...workload, spec: { ...(workload.spec as object), template: { ...template, spec } } }
}
