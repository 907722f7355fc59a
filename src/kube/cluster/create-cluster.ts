/** A whole cluster in one process: API, controllers, scheduler and a kubelet for each node. */
import { randomBytes } from 'node:crypto'
import type { Clock, Random } from '../../kit/index.ts'
import { createRealClock } from '../../kit/index.ts'
import type { KubeApi } from '../../spec/index.ts'
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
  createRbacAuthorizer,
  createTokenIssuer,
  kubeconfigOf,
} from '../auth/index.ts'
import { clusterControllers, runControllers, workloadControllers } from '../controllers/index.ts'
import { establishDefinitions } from '../custom/index.ts'
import { createKubelet, createNodeRegistry, type Kubelet, type NodeFacts } from '../node/index.ts'
import { type ContainerRuntime, type NodeDirectory, systemAccount, type User } from '../ports/index.ts'
import { createResources, type Resources } from '../resources/index.ts'
import { createScheduler } from '../scheduler/index.ts'
import type { StoreOptions } from '../store/index.ts'
import { defaultNodes } from './default-nodes.ts'
import { publishKubernetesService } from './kubernetes-service.ts'
import { createMetricsResources } from './metrics-resources.ts'
import { serveDefinitions } from './serve-definitions.ts'

export interface ClusterOptions {
  clock: Clock
  random: Random
  /** Three where absent. */
  nodes?: readonly NodeFacts[]
  runtimeFor(node: NodeFacts, index: number): ContainerRuntime
  store?: StoreOptions
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
