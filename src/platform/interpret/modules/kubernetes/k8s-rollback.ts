/** The module k8s_rollback. */
import { pythonString } from '../../python/python-text.ts'
import type { ArgumentSpec } from '../argument-spec.ts'
import { checkArguments } from '../check-arguments.ts'
import { type Module, type ModuleCall, PythonError, type Result } from '../module.ts'
import { type ApiClient, createApiClient, type Json } from './api-client.ts'
import { AUTH_SPEC, checkAccess, NAME_SPEC } from './common-spec.ts'
import { CoreError, reportCoreError } from './core-error.ts'
import { findResource } from './find-resource.ts'
import { findObjects } from './k8s-info.ts'
import { RequestError } from './request-error.ts'

const SPEC: ArgumentSpec = {
  ...AUTH_SPEC,
  ...NAME_SPEC,
  label_selectors: { type: 'list', elements: 'str', default: [] },
  field_selectors: { type: 'list', elements: 'str', default: [] },
}

const REVISION = 'deployment.kubernetes.io/revision'
const GENERATION = 'deprecated.daemonset.template.generation'

const annotation = (object: Json, name: string): string => {
  const value = object.metadata.annotations?.[name]
  if (value === undefined)
    throw new PythonError(
      'KeyError',
      object.metadata.annotations === undefined ? "'annotations'" : `'${name}'`,
    )
  return String(value)
}

/** The patch that returns to the previous revision. */
const toPatch = (kind: string, previous: Json): unknown => {
  if (kind === 'DaemonSet') return previous.data
  const { template } = previous.spec
  const { 'pod-template-hash': _, ...labels } = template.metadata.labels
  return [
    {
      op: 'replace',
      path: '/spec/template',
      value: { ...template, metadata: { ...template.metadata, labels } },
    },
    {
      op: 'replace',
      path: '/metadata/annotations',
      value: { [REVISION]: annotation(previous, REVISION) },
    },
  ]
}

const rollBack = async (
  { discovery, pace, isCheckMode }: ModuleCall,
  client: ApiClient,
  params: Record<string, any>,
  object: Json,
): Promise<Result> => {
  const { kind, namespace } = params
  if (kind !== 'DaemonSet' && kind !== 'Deployment')
    throw new CoreError(`Cannot perform rollback on resource of kind ${pythonString(kind)}`)
  const current = kind === 'DaemonSet' ? object.metadata.generation : annotation(object, REVISION)
  const { resources } = await findObjects(client, pace, discovery, {
    kind: kind === 'DaemonSet' ? 'ControllerRevision' : 'ReplicaSet',
    apiVersion: 'apps/v1',
    name: '',
    namespace,
    // The module joins the keys of the selector only.
    labelSelectors: Object.keys(object.spec.selector.matchLabels ?? {}),
    fieldSelectors: [],
  })
  const revisionName = kind === 'DaemonSet' ? GENERATION : REVISION
  const previous = resources.find((each) => Number(annotation(each, revisionName)) === Number(current) - 1)
  if (previous === undefined)
    return {
      changed: false,
      warnings: [`No rollout history found for resource ${kind}/${object.metadata.name}`],
    }
  const body = toPatch(kind, previous)
  let patched = object
  if (!isCheckMode) {
    if (params.api_version !== 'apps/v1')
      throw new PythonError('kubernetes.dynamic.exceptions.NotFoundError', '404\nReason: Not Found')
    const resource = findResource(discovery, kind, 'apps/v1')
    try {
      patched = await client.patch(resource, kind === 'DaemonSet' ? 'strategic' : 'json', body, {
        name: pythonString(params.name),
        namespace: pythonString(namespace),
      })
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      throw new PythonError(
        `kubernetes.dynamic.exceptions.${error.reason.replaceAll(' ', '')}Error`,
        error.message,
      )
    }
  }
  return { changed: true, method: 'patch', body, resources: patched }
}

export const k8sRollback: Module = {
  runsIn: 'kubernetes',
  async run(call): Promise<Result> {
    const { args, action, api, discovery, pace } = call
    const params = checkArguments(action, SPEC, args)
    checkAccess(params)
    const client = createApiClient(api, pace, false)
    try {
      const { resources } = await findObjects(client, pace, discovery, {
        kind: params.kind,
        apiVersion: params.api_version,
        name: params.name,
        namespace: params.namespace,
        labelSelectors: params.label_selectors,
        fieldSelectors: params.field_selectors,
      })
      const results: Result[] = []
      for (const object of resources) results.push(await rollBack(call, client, params, object))
      return { changed: results.some(({ changed }) => changed === true), rollback_info: results }
    } catch (error) {
      return reportCoreError(error)
    }
  },
}
