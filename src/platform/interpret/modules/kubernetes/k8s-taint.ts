/** The module k8s_taint. */
import { UnsupportedPlaybook } from '../../unsupported-playbook.ts'
import type { ArgumentSpec } from '../argument-spec.ts'
import { checkArguments } from '../check-arguments.ts'
import { fail, type Module, PythonError, type Result } from '../module.ts'
import { createApiClient, type Json } from './api-client.ts'
import { AUTH_SPEC, checkAccess } from './common-spec.ts'
import { findResource } from './find-resource.ts'
import { RequestError } from './request-error.ts'

const SPEC: ArgumentSpec = {
  ...AUTH_SPEC,
  state: { default: 'present', choices: ['present', 'absent'] },
  name: { required: true },
  taints: { type: 'list', required: true, elements: 'dict' },
  replace: { type: 'bool', default: false },
}

type Taint = Readonly<Record<string, unknown>>

const isSame = (a: Taint, b: Taint): boolean => {
  if (!('key' in a) || !('key' in b)) throw new PythonError('KeyError', "'key'")
  return a.key === b.key && (!('effect' in a && 'effect' in b) || a.effect === b.effect)
}

const without = (taints: readonly Taint[], others: readonly Taint[]): Taint[] =>
  taints.filter((taint) => !others.some((other) => isSame(taint, other)))

/** The node in the result has the field names of Python's client. It is not supported, but only a playbook that uses it fails. */
const withHiddenNode = (result: Result): Result =>
  Object.defineProperty(result, 'result', {
    enumerable: false,
    configurable: true,
    get() {
      throw new UnsupportedPlaybook('the field result of k8s_taint')
    },
  })

/** The taints to write; undefined if nothing changes. */
const plan = (params: Record<string, any>, existing: readonly Taint[]): readonly Taint[] | undefined => {
  const taints: readonly Taint[] = params.taints
  const missing = without(taints, existing)
  if (params.state === 'present') {
    const isUpdated = existing.some((old) =>
      taints.some((taint) => isSame(old, taint) && (old.value ?? null) !== (taint.value ?? null)),
    )
    if (missing.length === 0 && !isUpdated) return undefined
    return missing.length > 0 && params.replace ? taints : [...without(existing, taints), ...taints]
  }
  const rest = without(existing, taints)
  return missing.length === 0 || rest.length < existing.length ? rest : undefined
}

export const k8sTaint: Module = {
  runsIn: 'kubernetes',
  async run({ args, action, api, discovery, pace, isCheckMode }): Promise<Result> {
    const params = checkArguments(action, SPEC, args)
    checkAccess(params)
    const client = createApiClient(api, pace, false)
    const nodes = findResource(discovery, 'Node', 'v1')
    const { name } = params
    let node: Json = {}
    try {
      node = await client.get(nodes, name)
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      if (error.status === 404) fail(`Node '${name}' has not been found.`)
      fail(`Failed to retrieve node '${name}' due to: ${error.reason}`, { status: error.status })
    }
    const taints = plan(params, node.spec?.taints ?? [])
    if (taints === undefined) return withHiddenNode({ changed: false })
    if (!isCheckMode)
      try {
        await client.patch(nodes, 'strategic', { spec: { taints } }, { name, namespace: undefined })
      } catch (error) {
        if (!(error instanceof RequestError)) throw error
        fail(
          `Failed to patch node due to: (${error.status})\nReason: ${error.reason}\nHTTP response body: ${error.body.slice(2, -1)}\n`,
        )
      }
    return withHiddenNode({ changed: true })
  },
}
