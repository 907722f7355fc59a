/** The module k8s_service. */
import { isPlainObject } from '#kit'
import { isTrue } from '../../python/python-text.ts'
import type { ArgumentSpec } from '../argument-spec.ts'
import { checkArguments } from '../check-arguments.ts'
import { type Module, PythonError, type Result } from '../module.ts'
import { createApiClient } from './api-client.ts'
import { AUTH_SPEC, checkAccess, DEFINITION_SPEC } from './common-spec.ts'
import { reportCoreError } from './core-error.ts'
import { createDefinitions, type Definition, DefinitionError } from './definitions.ts'
import { performDefinition } from './k8s.ts'

const SPEC: ArgumentSpec = {
  ...AUTH_SPEC,
  state: { default: 'present', choices: ['present', 'absent'] },
  force: { type: 'bool', default: false },
  ...DEFINITION_SPEC,
  apply: { type: 'bool', default: false },
  name: { required: true },
  namespace: { required: true },
  merge_type: { type: 'list', elements: 'str', choices: ['json', 'merge', 'strategic-merge'] },
  selector: { type: 'dict' },
  type: { choices: ['NodePort', 'ClusterIP', 'LoadBalancer', 'ExternalName'] },
  ports: { type: 'list', elements: 'dict' },
}

/** Values of `b` have precedence, unless they are empty. */
const merge = (a: Definition, b: Definition): Definition => {
  const result: Definition = { ...a }
  for (const [key, value] of Object.entries(b)) {
    if (!(key in a)) result[key] = value
    else if (isPlainObject(a[key]) && isPlainObject(value)) result[key] = merge(a[key], value)
    else result[key] = isTrue(value) ? value : a[key]
  }
  return result
}

export const k8sService: Module = {
  runsIn: 'kubernetes',
  async run({ args, action, api, discovery, pace, isCheckMode }): Promise<Result> {
    const params = checkArguments(action, SPEC, args)
    checkAccess(params)
    const { name, namespace, selector, type, ports } = params
    const context = { client: createApiClient(api, pace, isCheckMode), pace, params, isCheckMode }
    try {
      const [written = {}] = createDefinitions(params)
      // Options that are not set are sent as null, which removes the fields of an existing Service.
      const definition = merge(written, {
        kind: 'Service',
        apiVersion: 'v1',
        spec: { type, ports, selector },
        metadata: { name, namespace },
      })
      return await performDefinition(context, definition, discovery)
    } catch (error) {
      if (error instanceof DefinitionError) throw new PythonError('AttributeError', error.message)
      return reportCoreError(error)
    }
  },
}
