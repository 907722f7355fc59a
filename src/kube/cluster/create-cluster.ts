/** A whole cluster in one process: API, controllers, scheduler and a kubelet for each node. */
import { randomBytes } from 'node:crypto'
import { type Clock, createRealClock, type Random } from '../../kit/index.ts'
import type { ClusterAccess, KubeApi } from '../../spec/index.ts'
import { admissionPlugins } from '../admission/index.ts'
import {
  type ApiServer,
  type Audit,
  type AuditEvent,
  createApiServer,
  createApiService,
  createAudit,
  createInProcessApi,
  createReviews,
} from '../api/index.ts'
import {
  bootstrapCluster,
  createAuthenticator,
  createCertificateAuthority,
  createEscalationCheck,
  createRbacAuthorizer,
  createTokenIssuer,
  kubeconfigOf,
  type RbacAuthorizer,
} from '../auth/index.ts'
import { chaosAdmission, chaosDefinitions, createChaosController } from '../chaos/index.ts'
import {
  clusterControllers,
  type PersistentVolumeOptions,
  runControllers,
  workloadControllers,
} from '../controllers/index.ts'
import { establishDefinitions } from '../custom/index.ts'
import { customResourceDefinitions } from '../kinds/index.ts'
import {
  createKubelet,
  createNodeRegistry,
  type Kubelet,
  type NodeFacts,
  type StorageAllowance,
} from '../node/index.ts'
import {
  type ContainerRuntime,
  type NodeDirectory,
  type PodFaults,
  systemAccount,
  type User,
} from '../ports/index.ts'
import { createResources, type Resources } from '../resources/index.ts'
import { createScheduler } from '../scheduler/index.ts'
import type { StoreOptions } from '../store/index.ts'
import { defaultNodes } from './default-nodes.ts'
import { apiServerNames, publishKubernetesService } from './kubernetes-service.ts'
import { createMetricsResources } from './metrics-resources.ts'
import { createPodUsage } from './pod-usage.ts'
import { toPortError } from './port-error.ts'
import { serveDefinitions } from './serve-definitions.ts'

export interface ClusterOptions {
  clock: Clock
  random: Random
  /** Three where absent. */
  nodes?: readonly NodeFacts[]
  runtimeFor(node: NodeFacts, index: number): ContainerRuntime
  store?: StoreOptions
  /** Serves the objects of Chaos Mesh, which act through this. */
  faults?: PodFaults
  /** Where volumes for claims lie, and who clears them away. */
  volumes?: PersistentVolumeOptions
  /** How often kubelets measure the disk usage of pods with limits; ten seconds where absent. */
  diskCheckMs?: number
  /** To what pods without limits are held; to nothing where absent. */
  storageAllowance?: StorageAllowance
  /**
   * False: nobody will ever listen. No keys are made, and the same seed gives the same objects to the byte.
   */
  sockets?: boolean
  /** Told of every mutating request. */
  onAudit?(event: AuditEvent): void
  /** Told of errors inside the cluster, which goes on regardless. */
  onError?(where: string, error: unknown): void
}

export interface ListenOptions {
  host?: string
  port?: number
}

/** A cluster that answers on a socket, with the credentials of its administrator. */
export interface ListeningCluster extends ApiServer {
  token: string
  /** PEM. */
  certificateAuthority: string
  kubeconfig: string
  /** A kubeconfig whose user proves himself by a certificate made for it. */
  certificateKubeconfig(user: User, namespace?: string): string
  /** What the bearer of a token of a service account has. Throws where it stands for nobody. */
  access(token: string, namespace: string): ClusterAccess
}

export interface Cluster {
  readonly resources: Resources
  readonly audit: Audit
  readonly nodes: NodeDirectory
  readonly kubelets: ReadonlyMap<string, Kubelet>
  /** The API under an identity, without sockets. */
  apiFor(user: User): KubeApi
  listen(options?: ListenOptions): Promise<ListeningCluster>
  /** Ends everything but the sockets, which have their own `close`. */
  stop(): void
}

const ADMIN: User = { username: 'kubernetes-admin', groups: ['system:masters'] }

export const createCluster = (options: ClusterOptions): Cluster => {
  const { clock, random, onError = () => {} } = options
  // Certificates are checked by clients, who live in real time.
  const realClock = createRealClock()
  const authority = options.sockets === false ? undefined : createCertificateAuthority(realClock)
  // Admission asks the authorizer, which reads the resources that admission guards.
  let authorizer: RbacAuthorizer
  const resources = createResources({
    clock,
    random,
    admission: [
      ...admissionPlugins(random),
      createEscalationCheck(() => authorizer),
      ...(options.faults === undefined ? [] : [chaosAdmission]),
    ],
    ...(options.store === undefined ? {} : { store: options.store }),
    onError: (error) => onError('watch', error),
  })
  const { client, directory } = resources
  authorizer = createRbacAuthorizer(client)
  bootstrapCluster(client)

  const tokens = createTokenIssuer({ client, clock, random: random.fork('tokens') })
  // Signatures differ from run to run, and without sockets nobody could show a token anyway.
  const podTokens = authority === undefined ? {} : { tokens }
  const audit = createAudit({
    clock,
    // Whoever looks on must not change what happens: the audit draws its identities apart.
    random: random.fork('audit'),
    ...(options.onAudit === undefined ? {} : { sink: options.onAudit }),
  })
  const nodes = createNodeRegistry()
  const service = createApiService({
    core: resources,
    authorizer,
    tokens,
    audit,
    virtual: [...createReviews(authorizer, tokens), ...createMetricsResources(resources, nodes)],
  })

  const stopDefinitions = serveDefinitions(client, directory)
  if (options.faults !== undefined)
    for (const definition of chaosDefinitions) client.create(customResourceDefinitions, definition)
  const controllers = runControllers(
    [
      establishDefinitions,
      ...workloadControllers,
      ...clusterControllers({
        rootCertificate: authority?.certificate ?? '',
        metrics: createPodUsage(client, nodes),
        ...(options.volumes === undefined ? {} : { volumes: options.volumes }),
        ...podTokens,
      }),
      ...(options.faults === undefined ? [] : [createChaosController({ faults: options.faults })]),
    ],
    { ...resources, onError: (name, key, error) => onError(`${name} ${key}`, error) },
  )
  const scheduler = createScheduler({
    client: resources.clientFor(systemAccount('kube-scheduler'), 'kube-scheduler'),
    clock,
    random,
    events: resources.seriesRecorderFor('default-scheduler'),
    onError,
  })
  const kubelets = new Map<string, Kubelet>()
  for (const [index, node] of (options.nodes ?? defaultNodes()).entries()) {
    const runtime = options.runtimeFor(node, index)
    nodes.add(node.name, runtime)
    const user = { username: `system:node:${node.name}`, groups: ['system:nodes', 'system:authenticated'] }
    kubelets.set(
      node.name,
      createKubelet({
        node,
        client: resources.clientFor(user, 'kubelet'),
        clock,
        random,
        events: resources.recorderFor('kubelet', node.name),
        runtime,
        onError,
        ...podTokens,
        ...(options.diskCheckMs === undefined ? {} : { diskCheckMs: options.diskCheckMs }),
        ...(options.storageAllowance === undefined ? {} : { storageAllowance: options.storageAllowance }),
      }),
    )
  }

  return {
    resources,
    audit,
    nodes,
    kubelets,
    apiFor: (user) => createInProcessApi(service, nodes, user),
    async listen({ host = '127.0.0.1', port = 0 } = {}) {
      if (authority === undefined) throw new TypeError('this cluster was made without sockets')
      // The administrator's token opens everything: it is never drawn from the seed.
      const token = randomBytes(24).toString('base64url')
      const tls = authority.issueServer(apiServerNames(host))
      const server = await createApiServer({
        service,
        authenticator: createAuthenticator({ staticTokens: new Map([[token, ADMIN]]), tokens }),
        nodes,
        tls: { ...tls, clientAuthority: authority.certificate },
        host,
        port,
        realClock,
        onUnexpected: (error) => onError('api', error),
      }).catch((cause: unknown) => {
        throw toPortError(cause, port)
      })
      try {
        publishKubernetesService(client, server.host, server.port)
      } catch (error) {
        await server.close()
        throw error
      }
      return {
        ...server,
        token,
        certificateAuthority: authority.certificate,
        kubeconfig: kubeconfigOf({
          server: server.url,
          ca: authority.certificate,
          user: { name: ADMIN.username, token },
        }),
        certificateKubeconfig: ({ username, groups }, namespace) =>
          kubeconfigOf({
            server: server.url,
            ca: authority.certificate,
            user: { name: username, ...authority.issueClient(username, groups) },
            ...(namespace === undefined ? {} : { namespace }),
          }),
        access(bearer, namespace) {
          const user = tokens.review(bearer, [])?.user
          if (user === undefined) throw new TypeError('the token stands for nobody')
          const name = user.username.split(':').at(-1)!
          return {
            api: createInProcessApi(service, nodes, user),
            kubeconfig: kubeconfigOf({
              server: server.url,
              ca: authority.certificate,
              namespace,
              cluster: 'cluster',
              user: { name, token: bearer },
            }),
          }
        },
      }
    },
    stop() {
      for (const kubelet of kubelets.values()) kubelet.stop()
      scheduler.stop()
      controllers.stop()
      stopDefinitions()
      authorizer.index.close()
    },
  }
}
