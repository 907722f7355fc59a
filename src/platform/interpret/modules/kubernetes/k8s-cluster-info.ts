/** The module k8s_cluster_info. */
import { UnsupportedPlaybook } from '../../unsupported-playbook.ts'
import type { ArgumentSpec } from '../argument-spec.ts'
import { checkArguments } from '../check-arguments.ts'
import type { Module, Result } from '../module.ts'
import { AUTH_SPEC, checkAccess } from './common-spec.ts'

const SPEC: ArgumentSpec = { ...AUTH_SPEC, invalidate_cache: { type: 'bool', default: true } }

/** The version of Debian's python3-kubernetes. */
const CLIENT_VERSION = '22.6.0'

export const k8sClusterInfo: Module = {
  runsIn: 'kubernetes',
  async run({ args, action, discovery }): Promise<Result> {
    checkAccess(checkArguments(action, SPEC, args))
    const apis: Record<string, Record<string, object>> = {}
    for (const resource of discovery.resources()) {
      const version = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`
      apis[version] ??= {}
      apis[version][resource.kind] = {
        categories: resource.categories,
        name: resource.plural,
        namespaced: resource.namespaced,
        preferred: resource.isPreferred,
        short_names: resource.shortNames,
        singular_name: resource.singular,
      }
    }
    const result = {
      changed: false,
      apis,
      version: { client: CLIENT_VERSION, server: { kubernetes: discovery.version } },
    }
    // The address of the server differs in every run.
    return Object.defineProperty(result, 'connection', {
      enumerable: false,
      configurable: true,
      get() {
        throw new UnsupportedPlaybook('the field connection of k8s_cluster_info')
      },
    })
  },
}
