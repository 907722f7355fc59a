/** The API of a cluster without its controllers: storage, admission, authorisation, tokens and audit. */
import { type Clock, createRealClock, defined } from '#kit'
import { admissionPlugins } from '#platform/kube/admission'
import { type Audit, createApiService, createAudit, createReviews } from '#platform/kube/api'
import {
  bootstrapCluster,
  createCertificateAuthority,
  createEscalationCheck,
  createRbacAuthorizer,
  createTokenIssuer,
  type RbacAuthorizer,
} from '#platform/kube/auth'
import { chaosAdmission } from '#platform/kube/chaos'
import { createNodeRegistry } from '#platform/kube/node'
import type { User } from '#platform/kube/ports'
import { createResources, type Resources } from '#platform/kube/resources'
import type { ClusterOptions } from './cluster-options.ts'
import { createMetricsResources } from './metrics-resources.ts'

export type ReportError = (source: string, error: unknown) => void

export interface ControlPlane {
  readonly resources: Resources
  readonly authorizer: RbacAuthorizer
  readonly tokens: ReturnType<typeof createTokenIssuer>
  /** Bearer tokens that never expire, with their users. */
  readonly staticTokens: Map<string, User>
  readonly audit: Audit
  readonly nodes: ReturnType<typeof createNodeRegistry>
  readonly service: ReturnType<typeof createApiService>
  /** Undefined for a cluster without sockets. */
  readonly authority: ReturnType<typeof createCertificateAuthority> | undefined
  /** Clients verify certificates in real time, even under a virtual clock. */
  readonly realClock: Clock
}

const createStorage = (
  options: ClusterOptions,
  report: ReportError,
): Pick<ControlPlane, 'resources' | 'authorizer'> => {
  const { clock, random, faults, store } = options
  // Admission needs the authorizer, which reads the resources that admission guards.
  let authorizer: RbacAuthorizer
  const resources = createResources({
    clock,
    random,
    admission: [
      ...admissionPlugins(random),
      createEscalationCheck(() => authorizer),
      ...(faults === undefined ? [] : [chaosAdmission]),
    ],
    ...defined({ store }),
    onError: (error) => report('watch', error),
  })
  authorizer = createRbacAuthorizer(resources.client)
  return { resources, authorizer }
}

export const createControlPlane = (options: ClusterOptions, report: ReportError): ControlPlane => {
  const { clock, random } = options
  const realClock = createRealClock()
  const authority = options.sockets === false ? undefined : createCertificateAuthority(realClock)
  const { resources, authorizer } = createStorage(options, report)
  const { client } = resources
  bootstrapCluster(client)
  const tokens = createTokenIssuer({
    client,
    clock,
    random: random.fork('tokens'),
    // A cluster without sockets generates no keys: signatures would make runs differ.
    ...(authority === undefined ? { sharedKey: random.fork('token key').uuid() } : {}),
  })
  // The audit has its own random source, so that it does not change the objects of the cluster.
  const audit = createAudit({ clock, random: random.fork('audit'), ...defined({ sink: options.onAudit }) })
  const nodes = createNodeRegistry()
  const staticTokens = new Map<string, User>()
  const service = createApiService({
    core: resources,
    authorizer,
    tokens,
    audit,
    virtual: [
      ...createReviews(authorizer, tokens, staticTokens),
      ...createMetricsResources(resources, nodes),
    ],
  })
  return { resources, authorizer, tokens, staticTokens, audit, nodes, service, authority, realClock }
}
