/** The Deployment controller: keeps one ReplicaSet per template and moves replicas from old ones to the new one. */
import type { Deployment } from 'kubernetes-types/apps/v1.d.ts'
import { deployments, pods, replicaSets } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import { defineController, keyOf, splitKey, watching } from '../define-controller.ts'
import { conditionOf, progressDeadline, withCondition } from './deployment/conditions.ts'
import { findSets, syncNewSet } from './deployment/new-replica-set.ts'
import { isRolling, type Rollout } from './deployment/rollout.ts'
import { applyRecreate, applyRollingUpdate, trimHistory } from './deployment/rollout-strategies.ts'
import { isScalingEvent, scaleSets } from './deployment/scale-sets.ts'
import { writeCounts, writeStatus } from './deployment/write-status.ts'
import { ownerKey, watchingOwned } from './ownership/watching-owned.ts'
import { isTerminating } from './replicas/pod-availability.ts'

const selectsAll = ({ spec }: Stored<Deployment>): boolean =>
  Object.keys(spec.selector.matchLabels ?? {}).length === 0 &&
  (spec.selector.matchExpressions ?? []).length === 0

/** Records a pause or a resume, which stops or restarts the progress deadline. */
const updatePauseCondition = (rollout: Rollout): void => {
  const { deployment, context } = rollout
  const known = conditionOf(deployment.status, 'Progressing')
  if (progressDeadline(deployment) === undefined || known?.reason === 'ProgressDeadlineExceeded') return
  const paused = deployment.spec.paused === true
  if (paused === (known?.reason === 'DeploymentPaused')) return
  const condition = paused
    ? { reason: 'DeploymentPaused', message: 'Deployment is paused' }
    : { reason: 'DeploymentResumed', message: 'Deployment is resumed' }
  const status = withCondition(
    deployment.status,
    { type: 'Progressing', status: 'Unknown', ...condition },
    context.clock.now(),
  )
  rollout.deployment = { ...deployment, status }
}

/** Scales the ReplicaSets without advancing the rollout. */
const scaleOnly = (rollout: Rollout): void => {
  syncNewSet(rollout, false)
  scaleSets(rollout)
  if (rollout.deployment.spec.paused === true) trimHistory(rollout)
  writeCounts(rollout)
}

export const deploymentController = defineController({
  name: 'deployment',
  watches: [
    watching(deployments, ({ object }) => [keyOf(object)]),
    watchingOwned(replicaSets, deployments, ({ spec }) => spec.selector),
    // The Recreate strategy waits until the last old pod is deleted; no ReplicaSet event reports that.
    watching(pods, ({ type, object }, { client }) => {
      const setKey = type === 'DELETED' ? ownerKey(replicaSets, object) : undefined
      if (setKey === undefined) return []
      const { namespace, name } = splitKey(setKey)
      const set = client.get(replicaSets, namespace, name)
      const key = set === undefined ? undefined : ownerKey(deployments, set)
      return key === undefined ? [] : [key]
    }),
  ],
  reconcile(key, context) {
    const { namespace, name } = splitKey(key)
    const deployment = context.client.get(deployments, namespace, name)
    if (deployment === undefined) return
    if (selectsAll(deployment)) {
      const message = 'This deployment is selecting all pods. A non-empty selector is required.'
      context.events.record(deployment, 'Warning', 'SelectingAll', message)
      return
    }
    const rollout: Rollout = { context, deployment, newSet: undefined, oldSets: [] }
    findSets(rollout)
    if (isTerminating(deployment)) {
      writeCounts(rollout)
      return
    }
    updatePauseCondition(rollout)
    if (deployment.spec.paused === true || isScalingEvent(rollout)) {
      scaleOnly(rollout)
      return
    }
    if (isRolling(deployment)) applyRollingUpdate(rollout)
    else applyRecreate(rollout)
    writeStatus(rollout)
  },
})
