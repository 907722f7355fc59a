/** The module k8s_drain. */
import type { ArgumentSpec } from '../argument-spec.ts'
import { checkArguments } from '../check-arguments.ts'
import type { Module, Result } from '../module.ts'
import { createApiClient } from './api-client.ts'
import { changeSchedulability, readNode } from './change-schedulability.ts'
import { AUTH_SPEC, checkAccess } from './common-spec.ts'
import type { DrainContext } from './drain-context.ts'
import { drainNode } from './drain-node.ts'
import { findResource } from './find-resource.ts'

const SPEC: ArgumentSpec = {
  ...AUTH_SPEC,
  state: { default: 'drain', choices: ['cordon', 'drain', 'uncordon'] },
  name: { required: true },
  delete_options: {
    type: 'dict',
    default: {},
    options: {
      terminate_grace_period: { type: 'int' },
      force: { type: 'bool', default: false },
      ignore_daemonsets: { type: 'bool', default: false },
      delete_emptydir_data: { type: 'bool', default: false },
      disable_eviction: { type: 'bool', default: false },
      wait_timeout: { type: 'int' },
      wait_sleep: { type: 'int', default: 5 },
    },
  },
}

export const k8sDrain: Module = {
  runsIn: 'kubernetes',
  async run(call): Promise<Result> {
    const { args, action, api, discovery, pace, isCheckMode } = call
    const params = checkArguments(action, SPEC, args)
    if (isCheckMode) return { skipped: true, msg: `remote module (${action}) does not support check mode` }
    checkAccess(params)
    const context: DrainContext = {
      call,
      client: createApiClient(api, pace, false),
      nodes: findResource(discovery, 'Node', 'v1'),
      pods: findResource(discovery, 'Pod', 'v1'),
      name: params.name,
      options: params.delete_options,
      isChanged: false,
    }
    const node = await readNode(context)
    const result =
      params.state === 'drain'
        ? await drainNode(context, node)
        : await changeSchedulability(context, node, params.state === 'cordon')
    return { changed: context.isChanged, ...result }
  },
}
