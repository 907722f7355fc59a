/** The module k8s. */
import { isTrue } from '../../python/python-text.ts'
import { UnsupportedPlaybook } from '../../unsupported-playbook.ts'
import type { ArgumentSpec } from '../argument-spec.ts'
import { checkArguments } from '../check-arguments.ts'
import { fail, type Module, PythonError, type Result } from '../module.ts'
import { createApiClient } from './api-client.ts'
import {
  AUTH_SPEC,
  checkAccess,
  DEFINITION_SPEC,
  DELETE_OPTIONS_SPEC,
  NAME_SPEC,
  WAIT_SPEC,
} from './common-spec.ts'
import { CoreError, reportCoreError } from './core-error.ts'
import { createDefinitions, type Definition, DefinitionError } from './definitions.ts'
import { findResource, ResourceNotFound } from './find-resource.ts'
import type { ObjectContext } from './object-context.ts'
import { performAction } from './perform-action.ts'

const SPEC: ArgumentSpec = {
  ...NAME_SPEC,
  ...DEFINITION_SPEC,
  ...AUTH_SPEC,
  ...WAIT_SPEC,
  merge_type: { type: 'list', elements: 'str', choices: ['json', 'merge', 'strategic-merge'] },
  validate: {
    type: 'dict',
    options: { fail_on_error: { type: 'bool' }, version: {}, strict: { type: 'bool', default: true } },
  },
  append_hash: { type: 'bool', default: false },
  apply: { type: 'bool', default: false },
  template: { type: 'raw' },
  delete_options: { type: 'dict', options: DELETE_OPTIONS_SPEC },
  continue_on_error: { type: 'bool', default: false },
  state: { default: 'present', choices: ['present', 'absent', 'patched'] },
  force: { type: 'bool', default: false },
  label_selectors: { type: 'list', elements: 'str' },
  generate_name: {},
  server_side_apply: {
    type: 'dict',
    options: { field_manager: { required: true }, force_conflicts: { type: 'bool', default: false } },
  },
}

const EXCLUSIVE = [
  ['resource_definition', 'src'],
  ['merge_type', 'apply'],
  ['template', 'resource_definition'],
  ['template', 'src'],
  ['name', 'generate_name'],
]

const loadDefinitions = (params: Readonly<Record<string, unknown>>): Definition[] => {
  try {
    return createDefinitions(params)
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error
    return reportCoreError(new CoreError(`Failed to load resource definition: ${error.message}`))
  }
}

export const performDefinition = async (
  context: ObjectContext,
  definition: Definition,
  discovery: Parameters<typeof findResource>[0],
): Promise<Result> => {
  const { kind } = definition
  try {
    const resource = findResource(discovery, kind, definition.apiVersion)
    definition.kind = resource.kind
    definition.apiVersion = resource.apiVersion
    return await performAction(context, resource, definition, kind)
  } catch (error) {
    if (error instanceof ResourceNotFound) throw new CoreError(error.message)
    throw error
  }
}

/** The fields of a failure; undefined for an error that is not one of the module. */
const failureOf = (error: unknown): Result | undefined => {
  if (error instanceof PythonError) return { msg: error.message }
  if (!(error instanceof CoreError)) return undefined
  return {
    ...error.result,
    ...(error.reason === undefined ? {} : { reason: error.reason }),
    msg: error.message,
  }
}

export const k8s: Module = {
  runsIn: 'kubernetes',
  async run({ args, action, api, discovery, pace, isCheckMode }): Promise<Result> {
    const params = checkArguments(action, SPEC, args, EXCLUSIVE)
    checkAccess(params)
    for (const name of ['template', 'validate'])
      if (isTrue(params[name])) throw new UnsupportedPlaybook(`the option ${name} of k8s`)
    if (params.append_hash) throw new UnsupportedPlaybook('the option append_hash of k8s')
    const context: ObjectContext = {
      client: createApiClient(api, pace, isCheckMode),
      pace,
      params,
      isCheckMode,
    }
    const results: Result[] = []
    for (const definition of loadDefinitions(params))
      try {
        results.push(await performDefinition(context, definition, discovery))
      } catch (error) {
        const failure = failureOf(error)
        if (failure === undefined) throw error
        const { msg, ...fields } = failure
        if (!params.continue_on_error) fail(msg, fields)
        results.push({ changed: false, result: {}, error: failure })
      }
    if (results.length === 1) return results[0]!
    return { changed: results.some(({ changed }) => isTrue(changed)), result: { results } }
  },
}
