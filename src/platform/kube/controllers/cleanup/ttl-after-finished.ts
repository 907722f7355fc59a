/** The TTL-after-finished controller: deletes Jobs `ttlSecondsAfterFinished` seconds after they finish. */
import type { Job } from 'kubernetes-types/batch/v1.d.ts'
import { jobs } from '#platform/kube/kinds'
import { fromTime, type Stored } from '#platform/kube/meta'
import { defineController, keyOf, splitKey, watching } from '../define-controller.ts'

const finishedAt = ({ status }: Stored<Job>): number | undefined => {
  const end = status.conditions?.find(
    ({ type, status: value }) => (type === 'Complete' || type === 'Failed') && value === 'True',
  )
  return end?.lastTransitionTime === undefined ? undefined : fromTime(end.lastTransitionTime)
}

export const ttlAfterFinishedController = defineController({
  name: 'ttl-after-finished',
  watches: [
    watching(jobs, ({ type, object }) =>
      type !== 'DELETED' && object.spec.ttlSecondsAfterFinished !== undefined ? [keyOf(object)] : [],
    ),
  ],
  reconcile(key, { client, clock, requeue }) {
    const { namespace, name } = splitKey(key)
    const job = client.get(jobs, namespace, name)
    if (job === undefined || job.metadata.deletionTimestamp !== undefined) return
    const end = finishedAt(job)
    const { ttlSecondsAfterFinished } = job.spec
    if (end === undefined || ttlSecondsAfterFinished === undefined) return
    const remainingMs = end + ttlSecondsAfterFinished * 1000 - clock.now()
    if (remainingMs > 0) {
      requeue(key, remainingMs)
      return
    }
    const preconditions = { uid: job.metadata.uid }
    client.delete(jobs, namespace, name, { propagation: 'Foreground', preconditions })
  },
})
