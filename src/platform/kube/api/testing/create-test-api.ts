/** The whole API over plain HTTP, with a virtual clock and permissive authorisation, for tests. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  createRandom,
  createRealClock,
  createVirtualClock,
  deepFreeze,
  defined,
  type VirtualClock,
} from '#kit'
import type { Kind } from '#platform/kube/kinds'
import type { AdmissionPlugin, Attributes, Authenticator, NodeDirectory, User } from '#platform/kube/ports'
import { createResources, type Resources } from '#platform/kube/resources'
import { type ApiService, createApiService } from '../api-service.ts'
import { type Audit, createAudit } from '../audit/audit.ts'
import { createHttpHandler } from '../http/http-handler.ts'
import { createPathServer } from '../http/path-server.ts'
import { createServerMetrics } from '../http/server-metrics.ts'
import { createReviews } from '../reviews/create-reviews.ts'
import { createHttpClient, type HttpClient } from './http-client.ts'
import { testTokens } from './test-tokens.ts'

export interface TestApiOptions {
  /** By default, all users except the anonymous one may do everything. */
  allows?(attributes: Attributes): boolean
  admission?: readonly AdmissionPlugin[]
  historyLimit?: number
  quotaBytes?: number
  kinds?: readonly Kind[]
  nodes?: NodeDirectory
  /** False leaves stored objects unfrozen, as in a real cluster. */
  frozen?: boolean
}

export interface TestService {
  clock: VirtualClock
  resources: Resources
  service: ApiService
  audit: Audit
}

export interface TestApi extends TestService, HttpClient {
  url: string
  /** Unexpected errors; must be empty at the end of a test. */
  unexpected: unknown[]
  close(): Promise<void>
}

export const ADMIN: User = { username: 'admin', groups: ['system:masters', 'system:authenticated'] }

const ANONYMOUS: User = { username: 'system:anonymous', groups: ['system:unauthenticated'] }

/** A token is the name of its user; the token `wrong` is invalid. */
export const testAuthenticator: Authenticator = {
  authenticate({ bearerToken }) {
    if (bearerToken === undefined) return ANONYMOUS
    return bearerToken === 'wrong' ? undefined : { ...ADMIN, username: bearerToken }
  },
}

const NO_NODES: NodeDirectory = { runtimeOf: () => undefined }

export const createTestService = (options: TestApiOptions = {}): TestService => {
  const { allows = ({ user }) => user.username !== ANONYMOUS.username } = options
  const clock = createVirtualClock()
  const random = createRandom('api')
  const resources = createResources({
    clock,
    random,
    ...defined({ admission: options.admission, kinds: options.kinds }),
    store: {
      ...(options.frozen === false ? {} : { seal: deepFreeze }),
      ...defined({ historyLimit: options.historyLimit, quotaBytes: options.quotaBytes }),
    },
  })
  const authorizer = {
    authorize: (attributes: Attributes) => ({ allowed: allows(attributes), reason: '' }),
    rulesFor: () => ({ resourceRules: [], nonResourceRules: [] }),
  }
  const audit = createAudit({ clock, random })
  const virtual = createReviews(authorizer, testTokens, new Map([['admin', ADMIN]]))
  const service = createApiService({ core: resources, authorizer, tokens: testTokens, audit, virtual })
  return { clock, resources, service, audit }
}

export const createTestApi = async (options: TestApiOptions = {}): Promise<TestApi> => {
  const testService = createTestService(options)
  const metrics = createServerMetrics()
  const unexpected: unknown[] = []
  const paths = createPathServer(testService.service, metrics, () => '192.0.2.1:6443')
  const handler = createHttpHandler({
    service: testService.service,
    authenticator: testAuthenticator,
    nodes: options.nodes ?? NO_NODES,
    paths,
    metrics,
    realClock: createRealClock(),
    watchLimits: { backlogBytes: 1 << 20, stalledMs: 10_000 },
    isFromSandbox: false,
    onUnexpected: (error) => unexpected.push(error),
  })
  const server = createServer({ shouldUpgradeCallback: handler.mayUpgrade }, handler.request)
  server.on('upgrade', (request, socket, head) => handler.upgrade({ request, socket, head }))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = createHttpClient(url, { Authorization: 'Bearer admin', 'User-Agent': 'test/1.0' })
  return {
    ...testService,
    ...client,
    url,
    unexpected,
    close: () =>
      new Promise((resolve) => {
        paths.close()
        client.close()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
