/** Implements the KubeDiscovery port in process: the resources that are served, and their tables. */
import type { KubeObject } from '#platform/kube/meta'
import type { KubeDiscovery, ServedResource } from '#spec'
import type { ApiService } from '../api-service.ts'
import { surfaceGroups, surfaceResources } from '../discovery/surface.ts'
import { VERSION } from '../discovery/version.ts'

const listResources = ({ core, virtual }: ApiService): readonly ServedResource[] =>
  surfaceGroups(surfaceResources(core.directory, virtual)).flatMap(({ versions }) =>
    versions.flatMap(({ resources }, index) =>
      resources.map(
        ({ subresources, storage, served, ...resource }): ServedResource => ({
          ...resource,
          subresources: subresources.map(({ name }) => name),
          isPreferred: index === 0,
        }),
      ),
    ),
  )

export const createInProcessDiscovery = (service: ApiService): KubeDiscovery => {
  const { core } = service
  // Clients ask before every request, and kinds change rarely.
  let resources: readonly ServedResource[] | undefined
  core.directory.watch(() => {
    resources = undefined
  })
  return {
    version: VERSION,
    resources() {
      resources ??= listResources(service)
      return resources
    },
    table({ apiVersion, plural }, objects) {
      const [first = '', second] = apiVersion.split('/')
      const [group, version] = second === undefined ? ['', first] : [first, second]
      const served = core.directory.find(group, version, plural)
      if (served === undefined) throw new TypeError(`${apiVersion} serves no ${plural}`)
      const context = { now: core.clock.now() }
      return {
        columns: served.columns.map(({ name, priority }) => ({ name, priority })),
        rows: objects.map((object) => served.row(object as unknown as KubeObject, context)),
      }
    },
  }
}
