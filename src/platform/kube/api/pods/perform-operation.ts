/** Performs POST on a subresource: eviction and binding of pods, and tokens of service accounts. */
import { serviceAccounts } from '#platform/kube/kinds'
import {
  badRequest,
  invalid,
  invalidObject,
  type KubeObject,
  noSuchResource,
  notFound,
  required,
  type Status,
  toTime,
} from '#platform/kube/meta'
import { API_AUDIENCE, type TokenIssuer } from '#platform/kube/ports'
import { bindPod, type Core, evictPod } from '#platform/kube/resources'
import type { Answer } from '../objects/perform.ts'
import { type ApiCall, requireBody } from '../request/api-call.ts'
import { decodeBody, expectType } from '../request/decode-call-body.ts'
import { readDeleteOptions } from '../request/read-delete-options.ts'
import { readWriteOptions, type WriteOptions, writeContext } from '../request/write-options.ts'
import { checkBoundObject, type ObjectReference } from './check-bound-object.ts'

const SUCCESS: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' }

const decodeOperation = (
  call: ApiCall,
  [group, version, kind]: [string, string, string],
  { validation }: WriteOptions,
): KubeObject => {
  const object = decodeBody(expectType(group, version, kind), requireBody(call), {
    validation,
    warnings: call.warnings,
  })
  const { name } = object.metadata
  if (name !== undefined && name !== '' && name !== call.name)
    throw badRequest(`name in URL does not match name in ${kind} object`)
  return object
}

/** Clients older than 1.22 send policy/v1beta1, which has the same fields. */
const upgradeEviction = (call: ApiCall): ApiCall => {
  const value = call.body?.value as { apiVersion?: unknown } | null | undefined
  if (value?.apiVersion !== 'policy/v1beta1') return call
  return { ...call, body: { ...call.body, value: { ...value, apiVersion: 'policy/v1' } } }
}

const evict = (core: Core, call: ApiCall): Answer => {
  const writeOptions = readWriteOptions(call)
  const { deleteOptions } = decodeOperation(upgradeEviction(call), ['policy', 'v1', 'Eviction'], writeOptions)
  const query = new URLSearchParams()
  const options = readDeleteOptions({ query, ...(deleteOptions ? { body: { value: deleteOptions } } : {}) })
  const dryRun = writeOptions.dryRun || options.dryRun === true
  evictPod(core, call, options, writeContext(call, { ...writeOptions, dryRun }))
  return { code: 201, status: { ...SUCCESS, code: 201 } }
}

const bind = (core: Core, call: ApiCall): Answer => {
  const writeOptions = readWriteOptions(call)
  const { target } = decodeOperation(call, ['', 'v1', 'Binding'], writeOptions)
  if (!target?.name) throw invalidObject('', 'Binding', call.name, [required('target.name')])
  if (target.kind && target.kind !== 'Node') {
    const message = `Unsupported value: ${JSON.stringify(target.kind)}: supported values: "Node", "<empty>"`
    throw invalidObject('', 'Binding', call.name, [
      { field: 'target.kind', reason: 'FieldValueNotSupported', message },
    ])
  }
  bindPod(core, call, target.name, writeContext(call, writeOptions))
  return { code: 201, status: { ...SUCCESS, code: 201 } }
}

const DEFAULT_LIFETIME_SECONDS = 3600
const MIN_LIFETIME_SECONDS = 600
const MAX_LIFETIME_SECONDS = 2 ** 32

const checkLifetime = (seconds: number): void => {
  const problem =
    seconds < MIN_LIFETIME_SECONDS
      ? 'may not specify a duration less than 10 minutes'
      : seconds > MAX_LIFETIME_SECONDS
        ? 'may not specify a duration larger than 2^32 seconds'
        : undefined
  if (problem !== undefined) {
    throw invalidObject('authentication.k8s.io', 'TokenRequest', '', [
      invalid('spec.expirationSeconds', seconds, problem),
    ])
  }
}

const issueToken = (core: Core, call: ApiCall, issuer: TokenIssuer): Answer => {
  const account = core.store.get(serviceAccounts.id, call.namespace, call.name)
  if (account === undefined) throw notFound(serviceAccounts, call.name)
  const writeOptions = readWriteOptions(call)
  const request = decodeOperation(call, ['authentication.k8s.io', 'v1', 'TokenRequest'], writeOptions)
  const spec = (request.spec ?? {}) as {
    audiences?: string[]
    expirationSeconds?: number
    boundObjectRef?: ObjectReference
  }
  const expirationSeconds = spec.expirationSeconds ?? DEFAULT_LIFETIME_SECONDS
  checkLifetime(expirationSeconds)
  const audiences = spec.audiences?.length ? spec.audiences : [API_AUDIENCE]
  const { token, expiresAt } = issuer.issue({
    namespace: call.namespace,
    name: call.name,
    uid: account.metadata.uid,
    audiences,
    expirationSeconds,
    ...(spec.boundObjectRef === undefined
      ? {}
      : {
          boundTo: checkBoundObject(
            core,
            { namespace: call.namespace, name: call.name },
            spec.boundObjectRef,
          ),
        }),
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
