/** What is done to pods and accounts by creating something under them: evict, bind, ask for a token. */
import { serviceAccounts } from '../kinds/index.ts'
import { badRequest, type KubeObject, noSuchResource, notFound, type Status, toTime } from '../meta/index.ts'
import type { TokenIssuer } from '../ports/index.ts'
import { bindPod, type Core, evictPod } from '../resources/index.ts'
import type { ApiCall } from './api-call.ts'
import { missingBody } from './decode-call-body.ts'
import type { Answer } from './perform.ts'
import { readDeleteOptions } from './perform.ts'
import { readWriteOptions } from './write-options.ts'

const SUCCESS: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' }

const bodyOf = (call: ApiCall): Record<string, unknown> => {
  if (call.body === undefined) throw missingBody()
  return call.body.value as Record<string, unknown>
}

const evict = (core: Core, call: ApiCall): Answer => {
  const eviction = bodyOf(call) as { metadata?: { name?: string }; deleteOptions?: unknown }
  const name = eviction.metadata?.name
  if (name !== undefined && name !== '' && name !== call.name)
    throw badRequest('name in URL does not match name in Eviction object')
  const { dryRun, manager } = readWriteOptions(call)
  const options = readDeleteOptions({ ...call, body: { value: eviction.deleteOptions ?? {} } })
  const context = { user: call.user, manager, dryRun: dryRun || options.dryRun === true }
  evictPod(core, call.namespace, call.name, options, context)
  return { code: 201, status: { ...SUCCESS, code: 201 } }
}

const bind = (core: Core, call: ApiCall): Answer => {
  const { target } = bodyOf(call) as { target?: { kind?: string; name?: string } }
  const { manager } = readWriteOptions(call)
  if (target?.name === undefined || target.name === '') throw badRequest('target.name: Required value')
  bindPod(core, call.namespace, call.name, target.name, { user: call.user, manager })
  return { code: 201, status: { ...SUCCESS, code: 201 } }
}

const DEFAULT_LIFE = 3600
const SHORTEST_LIFE = 600
const API_AUDIENCE = 'https://kubernetes.default.svc.cluster.local'

const issueToken = (core: Core, call: ApiCall, issuer: TokenIssuer): Answer => {
  const account = core.store.get(serviceAccounts.id, call.namespace, call.name)
  if (account === undefined) throw notFound(serviceAccounts, call.name)
  const request = bodyOf(call) as KubeObject
  const spec = (request.spec ?? {}) as {
    audiences?: string[]
    expirationSeconds?: number
    boundObjectRef?: { kind: string; apiVersion: string; name: string; uid?: string }
  }
  const expirationSeconds = spec.expirationSeconds ?? DEFAULT_LIFE
  if (expirationSeconds < SHORTEST_LIFE) {
    throw badRequest(
      `TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: ${expirationSeconds}: may not specify a duration less than 10 minutes`,
    )
  }
  const audiences = spec.audiences?.length ? spec.audiences : [API_AUDIENCE]
  const { token, expiresAt } = issuer.issue({
    namespace: call.namespace,
    name: call.name,
    uid: account.metadata.uid,
    audiences,
    expirationSeconds,
    ...(spec.boundObjectRef === undefined ? {} : { boundTo: { uid: '', ...spec.boundObjectRef } }),
  })
  return {
    code: 201,
    object: {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: {
        name: call.name,
        namespace: call.namespace,
        creationTimestamp: toTime(core.clock.now()),
      } as KubeObject['metadata'],
      spec: { audiences, expirationSeconds, boundObjectRef: spec.boundObjectRef ?? null },
      status: { token, expirationTimestamp: toTime(expiresAt) },
    },
  }
}

/** Serves POST on `eviction`, `binding` and `token`. */
export const performOperation = (core: Core, call: ApiCall, issuer: TokenIssuer): Answer => {
  const { id } = call.served.kind
  if (id === 'pods' && call.subresource === 'eviction') return evict(core, call)
  if (id === 'pods' && call.subresource === 'binding') return bind(core, call)
  if (id === 'serviceaccounts' && call.subresource === 'token') return issueToken(core, call, issuer)
  throw noSuchResource()
}
