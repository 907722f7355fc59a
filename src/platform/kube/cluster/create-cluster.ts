/** A whole cluster in one process: API, controllers, scheduler and a kubelet for each node. */
import { isRestrictedAccount } from '#platform/kube/admission'
import { createInProcessApi, createInProcessDiscovery, createInProcessHttp } from '#platform/kube/api'
import { createAuthenticator } from '#platform/kube/auth'
import { accountAccess } from './account-access.ts'
import type { Cluster, ClusterOptions } from './cluster-options.ts'
import { createControlPlane } from './create-control-plane.ts'
import { listen } from './listen.ts'
import { maintainKubernetesService } from './maintain-kubernetes-service.ts'
import { startComponents } from './start-components.ts'

export const createCluster = (options: ClusterOptions): Cluster => {
  const { onError: report = () => {} } = options
  const plane = createControlPlane(options, report)
  const components = startComponents(plane, options, report)
  const { resources, audit, nodes, service, authorizer, tokens } = plane
  const { client } = resources
  return {
    resources,
    audit,
    nodes,
    kubelets: components.kubelets,
    discovery: createInProcessDiscovery(service),
    apiFor: (user) => createInProcessApi(service, nodes, user),
    accessAs: (account) => accountAccess(plane, account),
    answer: createInProcessHttp({
      service,
      authenticator: createAuthenticator({
        tokens,
        isConfined: (user) => isRestrictedAccount({ user, client }),
      }),
      onUnexpected: (error) => report('api', error),
    }),
    publishAddress: (port) =>
      maintainKubernetesService({
        client,
        clock: options.clock,
        host: '127.0.0.1',
        port,
        onError: (error) => report('kubernetes service', error),
      }),
    listen: (listenOptions = {}) => listen(plane, listenOptions, report),
    stop() {
      components.stop()
      authorizer.index.close()
    },
  }
}
