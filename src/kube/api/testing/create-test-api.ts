/** The whole API over a plain socket, with a virtual clock and permissive doors, for tests. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  createRandom,
  createRealClock,
  createVirtualClock,
  deepFreeze,
  type VirtualClock,
} from '../../../kit/index.ts'
import type { Kind } from '../../kinds/index.ts'
import type { AdmissionPlugin, Attributes, Authenticator, NodeDirectory, User } from '../../ports/index.ts'
import { createResources, type Resources } from '../../resources/index.ts'
import { type ApiService, createApiService } from '../api-service.ts'
import { type Audit, createAudit } from '../audit.ts'
import { createHttpHandler } from '../http-handler.ts'
import { createReviews } from '../reviews.ts'
import { createPathServer } from '../serve-path.ts'
import { createServerMetrics } from '../server-metrics.ts'
import { createHttpClient, type HttpClient } from './http-client.ts'
import { testTokens } from './test-tokens.ts'

export interface TestApiOptions {
  /** Everybody but the anonymous may do everything where absent. */
  allows?(attributes: Attributes): boolean
  admission?: readonly AdmissionPlugin[]
  historyLimit?: number
  quotaBytes?: number
  kinds?: readonly Kind[]
  nodes?: NodeDirectory
  /** False: stored objects are left as they are in a real cluster. */
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
  /** What nobody foresaw; a test that leaves something here has found a defect. */
  unexpected: unknown[]
  close(): Promise<void>
}

export const ADMIN: User = { username: 'admin', groups: ['system:masters', 'system:authenticated'] }

const ANONYMOUS: User = { username: 'system:anonymous', groups: ['system:unauthenticated'] }

/** A token is the name of its user; the token `wrong` is nobody's. */
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
    ...(options.admission === undefined ? {} : { admission: options.admission }),
    ...(options.kinds === undefined ? {} : { kinds: options.kinds }),
    store: {
      ...(options.frozen === false ? {} : { seal: deepFreeze }),
      ...(options.historyLimit === undefined ? {} : { historyLimit: options.historyLimit }),
      ...(options.quotaBytes === undefined ? {} : { quotaBytes: options.quotaBytes }),
    },
  })
  const authorizer = {
    authorize: (attributes: Attributes) => ({ allowed: allows(attributes), reason: '' }),
    rulesFor: () => ({ resourceRules: [], nonResourceRules: [] }),
  }
  const audit = createAudit({ clock, random })
  const virtual = createReviews(authorizer, testTokens)
  const service = createApiService({ core: resources, authorizer, tokens: testTokens, audit, virtual })
  return { clock, resources, service, audit }
}

export const createTestApi = async (options: TestApiOptions = {}): Promise<TestApi> => {
  const made = createTestService(options)
  const metrics = createServerMetrics()
  const unexpected: unknown[] = []
  const paths = createPathServer(made.service, metrics, () => '192.0.2.1:6443')
  const handler = createHttpHandler({
    service: made.service,
    authenticator: testAuthenticator,
    nodes: options.nodes ?? NO_NODES,
    paths,
    metrics,
    realClock: createRealClock(),
    watchLimits: { backlogBytes: 1 << 20, stalledMs: 10_000 },
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
    ...made,
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
