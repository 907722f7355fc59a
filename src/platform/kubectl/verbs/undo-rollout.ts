/** kubectl rollout undo. */
import type { ApiObject } from '#spec'
import { type Found, nameOf, objectRef } from '../client/found.ts'
import type { KubectlCall } from '../client/kubectl-call.ts'
import { KubectlError } from '../client/kubectl-error.ts'
import { listRevisions, REVISION, requireDeployment, revisionOf } from './deployment-revisions.ts'

const withoutHash = (replicaSet: ApiObject): Record<string, any> => {
  const { template } = replicaSet.spec as { template: Record<string, any> }
  const { 'pod-template-hash': _, ...labels } = template.metadata.labels ?? {}
  return { ...template, metadata: { ...template.metadata, labels } }
}

const isSameTemplate = (a: unknown, b: unknown): boolean =>
  JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  )
}

/** Annotations of the Deployment that a rollback does not change. */
const KEPT = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  'deployment.kubernetes.io/revision-history',
  'deployment.kubernetes.io/desired-replicas',
  'deployment.kubernetes.io/max-replicas',
  'deprecated.deployment.rollback.to',
])

export const undoRollout = async (call: KubectlCall, found: Found): Promise<void> => {
  requireDeployment(found, 'undo')
  const { object } = found
  const { name } = object.metadata
  const spec = object.spec as { paused?: boolean; template: unknown }
  const toRevision = call.flags.int('to-revision') ?? 0
  if (toRevision < 0)
    throw new KubectlError(`error: unable to find specified revision ${toRevision} in history`)
  const revisions = await listRevisions(call, found)
  const chosen =
    toRevision > 0 ? revisions.get(toRevision) : revisions.get([...revisions.keys()].at(-2) ?? Number.NaN)
  if (chosen === undefined)
    throw new KubectlError(
      toRevision > 0
        ? `error: unable to find specified revision ${toRevision} in history`
        : `error: no rollout history found for deployment "${name}"`,
    )
  if (spec.paused === true)
    throw new KubectlError(
      `error: you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume deployment/${name}' and try again`,
    )
  const template = withoutHash(chosen)
  if (isSameTemplate(template, spec.template))
    return call.out(
      `${nameOf(found)} skipped rollback (current template already matches revision ${revisionOf(chosen)})`,
    )
  const own = (object.metadata.annotations ?? {}) as Record<string, string>
  const old = (chosen.metadata.annotations ?? {}) as Record<string, string>
  const annotations = {
    ...Object.fromEntries(Object.entries(own).filter(([key]) => KEPT.has(key))),
    ...Object.fromEntries(Object.entries(old).filter(([key]) => !KEPT.has(key))),
  }
  await call.program.api.patch(
    objectRef(found),
    'json',
    [
      { op: 'replace', path: '/spec/template', value: template },
      { op: 'replace', path: '/metadata/annotations', value: annotations },
    ],
    { fieldManager: 'kubectl' },
  )
  call.out(`${nameOf(found)} rolled back`)
}
