/** Replaces references to ConfigMaps and Secrets in the pod template of a workload with the values that the pods read. */
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
            // The program does not see the names of volumes and the paths in them.
            const { name: ___, subPath: ____, ...visible } = mount
            return { ...visible, files }
          }),
        }),
  }
}

/** Workloads whose pods read the same values have the same resolved form, even if the names of the objects differ. */
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
