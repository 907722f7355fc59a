/** The Deployment controller: one ReplicaSet per template, and an orderly way from the old ones to the new. */
import type { Deployment } from 'kubernetes-types/apps/v1.d.ts'
import { deployments, pods, replicaSets } from '../kinds/index.ts'
import type { Stored } from '../meta/index.ts'
import { defineController, keyOf, splitKey, watching } from './define-controller.ts'
import { conditionOf, progressDeadline, withCondition } from './deployment/conditions.ts'
import { findSets, syncNewSet } from './deployment/new-replica-set.ts'
import { rollOutByRecreation, rollOutGradually, trimHistory } from './deployment/roll-out.ts'
import { isRolling, type Rollout } from './deployment/rollout.ts'
import { isScalingEvent, scaleSets } from './deployment/scale-sets.ts'
import { writeNumbers, writeStatus } from './deployment/write-status.ts'
import { isTerminating } from './workload/pod-availability.ts'
import { ownerKey, watchingOwned } from './workload/watching-owned.ts'

const selectsAll = ({ spec }: Stored<Deployment>): boolean =>
  Object.keys(spec.selector.matchLabels ?? {}).length === 0 &&
  (spec.selector.matchExpressions ?? []).length === 0

/** Pausing stops the clock of the progress deadline, resuming starts it anew. */
const notePause = (rollout: Rollout): void => {
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

/** Follows scaling, which is allowed at any time, and leaves the rollout where it is. */
const scaleOnly = (rollout: Rollout): void => {
  syncNewSet(rollout, false)
  scaleSets(rollout)
  if (rollout.deployment.spec.paused === true) trimHistory(rollout)
  writeNumbers(rollout)
}

export const deploymentController = defineController({
  name: 'deployment',
  watches: [
    watching(deployments, ({ object }) => [keyOf(object)]),
    watchingOwned(replicaSets, deployments, ({ spec }) => spec.selector),
    // A rollout by recreation waits for the last old pod to be gone, which no ReplicaSet tells.
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
      writeNumbers(rollout)
      return
    }
    notePause(rollout)
    if (deployment.spec.paused === true || isScalingEvent(rollout)) {
      scaleOnly(rollout)
      return
    }
    if (isRolling(deployment)) rollOutGradually(rollout)
    else rollOutByRecreation(rollout)
    writeStatus(rollout)
  },
})
