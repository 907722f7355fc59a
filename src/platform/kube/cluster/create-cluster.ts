/** A whole cluster in one process: API, controllers, scheduler and a kubelet for each node. */
import { createInProcessApi, createInProcessDiscovery } from '#platform/kube/api'
import { accountAccess } from './account-access.ts'
import type { Cluster, ClusterOptions } from './cluster-options.ts'
import { createControlPlane } from './create-control-plane.ts'
import { listen } from './listen.ts'
import { startComponents } from './start-components.ts'

export const createCluster = (options: ClusterOptions): Cluster => {
  const { onError: report = () => {} } = options
  const plane = createControlPlane(options, report)
  const components = startComponents(plane, options, report)
  const { resources, audit, nodes, service, authorizer } = plane
  return {
    resources,
    audit,
    nodes,
    kubelets: components.kubelets,
    discovery: createInProcessDiscovery(service),
    apiFor: (user) => createInProcessApi(service, nodes, user),
    accessAs: (account) => accountAccess(plane, account),
    listen: (listenOptions = {}) => listen(plane, listenOptions, report),
    stop() {
      components.stop()
      authorizer.index.close()
    },
  }
}
