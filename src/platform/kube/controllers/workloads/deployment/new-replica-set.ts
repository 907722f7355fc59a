/** Finds or creates the ReplicaSet of a Deployment's current template, and numbers its revision. */
import type { Deployment, ReplicaSet } from 'kubernetes-types/apps/v1.d.ts'
import type { PodTemplateSpec } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual, defined } from '#kit'
import { deployments, replicaSets } from '#platform/kube/kinds'
import {
  controlledBy,
  controllerOf,
  type Draft,
  isAlreadyExists,
  type Stored,
  toLabelMatcher,
} from '#platform/kube/meta'
import { messageOf } from '../../message-of.ts'
import { claimOwned } from '../ownership/claim-owned.ts'
import { isNamespaceTerminating } from '../ownership/owned-pods.ts'
import { safeHash } from '../revisions/safe-hash.ts'
import { newSetAnnotations, REVISION, revisionOf } from './annotations.ts'
import { conditionOf, progressDeadline, withCondition } from './conditions.ts'
import { allSets, byAge, desiredReplicas, isRolling, type Rollout, sizeOf, total } from './rollout.ts'
import { limitsOf } from './rollout-limits.ts'

const HASH_LABEL = 'pod-template-hash'

const withoutHash = (template: PodTemplateSpec): PodTemplateSpec => {
  const { [HASH_LABEL]: hash, ...labels } = template.metadata?.labels ?? {}
  return hash === undefined ? template : { ...template, metadata: { ...template.metadata, labels } }
}

const hasSameTemplate = (set: Stored<ReplicaSet>, deployment: Stored<Deployment>): boolean =>
  deepEqual(withoutHash(set.spec.template ?? {}), withoutHash(deployment.spec.template))

/** Splits the ReplicaSets into the new one and the old ones. If several match the template, the oldest is the new one. */
export const findSets = (rollout: Rollout): void => {
  const { deployment, context } = rollout
  const matches = toLabelMatcher(deployment.spec.selector)
  const sets = claimOwned(context.client, replicaSets, deployment, (set) =>
    matches(set.metadata.labels),
  ).sort(byAge)
  rollout.newSet = sets.find((set) => hasSameTemplate(set, deployment))
  rollout.oldSets = sets.filter((set) => set !== rollout.newSet)
}

/** Returns the size that the strategy currently allows for the new ReplicaSet. */
export const newSetSize = (rollout: Rollout): number => {
  const { deployment, newSet } = rollout
  const desired = desiredReplicas(deployment)
  const size = newSet === undefined ? 0 : sizeOf(newSet)
  if (!isRolling(deployment)) return desired
  const capacity = desired + limitsOf(deployment).surge - total(allSets(rollout), sizeOf)
  return capacity <= 0 ? size : size + Math.min(capacity, desired - size)
}

const draftSet = (
  deployment: Stored<Deployment>,
  hash: string,
  replicas: number,
  revision: number,
): Draft<ReplicaSet> => {
  const { template, selector, minReadySeconds } = deployment.spec
  const labels = { ...template.metadata?.labels, [HASH_LABEL]: hash }
  return {
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      ...defined({ namespace: deployment.metadata.namespace }),
      labels,
      annotations: newSetAnnotations(deployment, undefined, revision),
      ownerReferences: [controlledBy(deployment)],
    },
    spec: {
      replicas,
      ...defined({ minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  }
}

/** Returns the existing ReplicaSet if an earlier attempt created it; otherwise bumps the collision count and throws. */
const resolveCollision = (rollout: Rollout, name: string, error: unknown): Stored<ReplicaSet> => {
  const { deployment } = rollout
  const { client } = rollout.context
  const taken = client.get(replicaSets, deployment.metadata.namespace ?? '', name)
  if (
    taken !== undefined &&
    controllerOf(taken)?.uid === deployment.metadata.uid &&
    hasSameTemplate(taken, deployment)
  ) {
    return taken
  }
  const collisionCount = (deployment.status.collisionCount ?? 0) + 1
  client.updateStatus(deployments, { ...deployment, status: { ...deployment.status, collisionCount } })
  throw error
}

const failCreation = (rollout: Rollout, name: string, error: unknown): never => {
  const { deployment, context } = rollout
  const message = `Failed to create new replica set "${name}": ${messageOf(error)}`
  if (progressDeadline(deployment) !== undefined) {
    const failure = { type: 'Progressing', status: 'False', reason: 'ReplicaSetCreateError', message }
    const status = withCondition(deployment.status, failure, context.clock.now())
    context.client.updateStatus(deployments, { ...deployment, status })
  }
  context.events.record(deployment, 'Warning', 'ReplicaSetCreateError', message)
  throw error
}

const setProgressing = (rollout: Rollout, reason: string, message: string): void => {
  const { deployment, context } = rollout
  if (progressDeadline(deployment) === undefined) return
  const condition = { type: 'Progressing', status: 'True', reason, message }
  rollout.deployment = {
    ...deployment,
    status: withCondition(deployment.status, condition, context.clock.now()),
  }
}

const createSet = (rollout: Rollout, revision: number): Stored<ReplicaSet> => {
  const { deployment, context } = rollout
  const hash = safeHash(deployment.spec.template, deployment.status.collisionCount)
  const replicas = newSetSize(rollout)
  const draft = draftSet(deployment, hash, replicas, revision)
  const name = `${deployment.metadata.name}-${hash}`
  try {
    const set = context.client.create(replicaSets, draft)
    if (replicas > 0) {
      const message = `Scaled up replica set ${name} from 0 to ${replicas}`
      context.events.record(deployment, 'Normal', 'ScalingReplicaSet', message)
    }
    setProgressing(rollout, 'NewReplicaSetCreated', `Created new replica set "${name}"`)
    return set
  } catch (error) {
    if (isAlreadyExists(error)) return resolveCollision(rollout, name, error)
    if (isNamespaceTerminating(error)) throw error
    return failCreation(rollout, name, error)
  }
}

const refreshSet = (rollout: Rollout, set: Stored<ReplicaSet>, revision: number): Stored<ReplicaSet> => {
  const { deployment, context } = rollout
  const annotations = newSetAnnotations(deployment, set.metadata.annotations ?? {}, revision)
  const minReadySeconds = deployment.spec.minReadySeconds ?? 0
  const { minReadySeconds: before = 0, ...spec } = set.spec
  if (conditionOf(deployment.status, 'Progressing') === undefined) {
    setProgressing(rollout, 'FoundNewReplicaSet', `Found new replica set "${set.metadata.name}"`)
  }
  if (deepEqual(annotations, set.metadata.annotations) && before === minReadySeconds) return set
  return context.client.update(replicaSets, {
    ...set,
    metadata: { ...set.metadata, annotations },
    spec: minReadySeconds === 0 ? spec : { ...spec, minReadySeconds },
  })
}

/** Copies the revision of the new ReplicaSet to the Deployment. */
const copyRevision = (rollout: Rollout, set: Stored<ReplicaSet>): void => {
  const { deployment, context } = rollout
  const revision = set.metadata.annotations?.[REVISION]
  if (revision === undefined || deployment.metadata.annotations?.[REVISION] === revision) return
  const annotations = { ...deployment.metadata.annotations, [REVISION]: revision }
  const stored = context.client.update(deployments, {
    ...deployment,
    metadata: { ...deployment.metadata, annotations },
  })
  rollout.deployment = { ...stored, status: deployment.status }
}

/** Updates the annotations and revision of the new ReplicaSet. Creates it if it is missing and `create` is set. */
export const syncNewSet = (rollout: Rollout, create: boolean): void => {
  if (rollout.newSet === undefined && !create) return
  const revision = Math.max(0, ...rollout.oldSets.map(revisionOf)) + 1
  rollout.newSet =
    rollout.newSet === undefined
      ? createSet(rollout, revision)
      : refreshSet(rollout, rollout.newSet, revision)
  copyRevision(rollout, rollout.newSet)
}
