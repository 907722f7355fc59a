/** Serves the API of a cluster on a socket, and issues kubeconfigs for it. */
import { randomBytes } from 'node:crypto'
import { defined } from '#kit'
import { isRestrictedAccount } from '#platform/kube/admission'
import { createApiServer } from '#platform/kube/api'
import { createAuthenticator, kubeconfigOf } from '#platform/kube/auth'
import type { User } from '#platform/kube/ports'
import type { ClusterAccess } from '#spec'
import { userAccess } from './account-access.ts'
import type { ListeningCluster, ListenOptions } from './cluster-options.ts'
import type { ControlPlane, ReportError } from './create-control-plane.ts'
import { apiServerNames, maintainKubernetesService } from './maintain-kubernetes-service.ts'
import { toPortError } from './to-port-error.ts'

const ADMIN: User = { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] }

interface Address {
  server: string
  ca: string
}

const accessOf = (plane: ControlPlane, address: Address, token: string, namespace: string): ClusterAccess => {
  const user = plane.tokens.review(token, [])?.user
  if (user === undefined) throw new TypeError('the service account token is invalid')
  const name = user.username.split(':').at(-1)!
  return {
    ...userAccess(plane, user),
    kubeconfig: kubeconfigOf({ ...address, namespace, cluster: 'cluster', user: { name, token } }),
  }
}

/** Throws if the port is not available, or if the cluster was created without sockets. */
export const listen = async (
  plane: ControlPlane,
  { host = '127.0.0.1', port = 0 }: ListenOptions,
  report: ReportError,
): Promise<ListeningCluster> => {
  const { authority, nodes, realClock, resources, service, staticTokens, tokens } = plane
  if (authority === undefined) throw new TypeError('this cluster was created without sockets')
  // The administrator's token grants full access, so it must not be derived from the seed.
  const token = randomBytes(24).toString('base64url')
  staticTokens.set(token, ADMIN)
  const tls = authority.issueServer(apiServerNames(host))
  const server = await createApiServer({
    service,
    authenticator: createAuthenticator({
      staticTokens,
      tokens,
      isConfined: (user) => isRestrictedAccount({ user, client: resources.client }),
    }),
    nodes,
    tls: { ...tls, clientAuthority: authority.certificate },
    host,
    port,
    realClock,
    onUnexpected: (error) => report('api', error),
  }).catch((cause: unknown) => {
    throw toPortError(cause, port)
  })
  let stopService: () => void
  try {
    stopService = maintainKubernetesService({
      client: resources.client,
      clock: resources.clock,
      host: server.host,
      port: server.port,
      onError: (error) => report('kubernetes service', error),
    })
  } catch (error) {
    await server.close()
    throw error
  }
  const address = { server: server.url, ca: authority.certificate }
  return {
    ...server,
    close() {
      stopService()
      return server.close()
    },
    token,
    certificateAuthority: authority.certificate,
    kubeconfig: kubeconfigOf({ ...address, user: { name: ADMIN.username, token } }),
    certificateKubeconfig: ({ username, groups }, namespace) =>
      kubeconfigOf({
        ...address,
        user: { name: username, ...authority.issueClient(username, groups) },
        ...defined({ namespace }),
      }),
    access: (bearer, namespace) => accessOf(plane, address, bearer, namespace),
  }
}
