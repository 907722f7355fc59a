/** What is done to pods and accounts by creating something under them: evict, bind, ask for a token. */
import { serviceAccounts } from '../kinds/index.ts'
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
} from '../meta/index.ts'
import { API_AUDIENCE, type TokenIssuer } from '../ports/index.ts'
import { bindPod, type Core, evictPod } from '../resources/index.ts'
import { type ApiCall, requireBody } from './api-call.ts'
import { checkBoundObject, type ObjectReference } from './bound-object.ts'
import { decodeBody, expectType } from './decode-call-body.ts'
import type { Answer } from './perform.ts'
import { readDeleteOptions } from './read-delete-options.ts'
import { readWriteOptions, type WriteOptions, writeContext } from './write-options.ts'

const SUCCESS: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' }

const bodyOf = (
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

/** Clients from before 1.22 send evictions in the older version, which says the same. */
const modern = (call: ApiCall): ApiCall => {
  const value = call.body?.value as { apiVersion?: unknown } | null | undefined
  if (value?.apiVersion !== 'policy/v1beta1') return call
  return { ...call, body: { ...call.body, value: { ...value, apiVersion: 'policy/v1' } } }
}

const evict = (core: Core, call: ApiCall): Answer => {
  const write = readWriteOptions(call)
  const { deleteOptions } = bodyOf(modern(call), ['policy', 'v1', 'Eviction'], write)
  const query = new URLSearchParams()
  const options = readDeleteOptions({ query, ...(deleteOptions ? { body: { value: deleteOptions } } : {}) })
  const dryRun = write.dryRun || options.dryRun === true
  evictPod(core, call.namespace, call.name, options, writeContext(call, { ...write, dryRun }))
  return { code: 201, status: { ...SUCCESS, code: 201 } }
}

const bind = (core: Core, call: ApiCall): Answer => {
  const write = readWriteOptions(call)
  const { target } = bodyOf(call, ['', 'v1', 'Binding'], write)
  if (!target?.name) throw invalidObject('', 'Binding', call.name, [required('target.name')])
  if (target.kind && target.kind !== 'Node') {
    const message = `Unsupported value: ${JSON.stringify(target.kind)}: supported values: "Node", "<empty>"`
    throw invalidObject('', 'Binding', call.name, [
      { field: 'target.kind', reason: 'FieldValueNotSupported', message },
    ])
  }
  bindPod(core, call.namespace, call.name, target.name, writeContext(call, write))
  return { code: 201, status: { ...SUCCESS, code: 201 } }
}

const DEFAULT_LIFE = 3600
const SHORTEST_LIFE = 600
const LONGEST_LIFE = 2 ** 32

const checkLife = (seconds: number): void => {
  const problem =
    seconds < SHORTEST_LIFE
      ? 'may not specify a duration less than 10 minutes'
      : seconds > LONGEST_LIFE
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
  const write = readWriteOptions(call)
  const request = bodyOf(call, ['authentication.k8s.io', 'v1', 'TokenRequest'], write)
  const spec = (request.spec ?? {}) as {
    audiences?: string[]
    expirationSeconds?: number
    boundObjectRef?: ObjectReference
  }
  const expirationSeconds = spec.expirationSeconds ?? DEFAULT_LIFE
  checkLife(expirationSeconds)
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
