/** The ResourceQuota controller: keeps what is used, next to what is allowed, in the status of quotas. */
import {
  type Kind,
  persistentVolumeClaims,
  pods,
  quotaUsage,
  resourceQuotas,
  services,
} from '../kinds/index.ts'
import { formatQuantity, type KubeObject } from '../meta/index.ts'
import type { WatchEvent } from '../ports/index.ts'
import { type Controller, defineController, keyOf, splitKey, watching } from './define-controller.ts'
import { watchEverything } from './watch-everything.ts'

const RESYNC_MS = 300_000
/** Kinds whose objects may come to count for more or less while they exist. */
const CHANGING = new Set([pods.id, services.id, persistentVolumeClaims.id])

const mayChangeUsage = (kind: Kind, { type, object, old }: WatchEvent): boolean =>
  type !== 'MODIFIED' ||
  (CHANGING.has(kind.id) && (object.spec !== old.spec || object.status?.phase !== old.status?.phase))

export const createResourceQuotaController = (): Controller =>
  defineController({
    name: 'resourcequota',
    watches: [
      watching(resourceQuotas, ({ type, object, old }) =>
        type === 'DELETED' || old?.spec === object.spec ? [] : [keyOf(object)],
      ),
    ],
    start({ client, requeue }) {
      return watchEverything(client, (kind, event) => {
        const { namespace } = (event.object as KubeObject).metadata
        if (namespace === undefined || !mayChangeUsage(kind, event)) return
        for (const quota of client.list(resourceQuotas, namespace)) requeue(keyOf(quota), 0)
      })
    },
    reconcile(key, { client, clock, requeue }) {
      const { namespace, name } = splitKey(key)
      const quota = client.get(resourceQuotas, namespace, name)
      if (quota === undefined) return
      const hard = quota.spec.hard ?? {}
      const list = (kind: Kind): readonly KubeObject[] => client.list(kind, namespace)
      const usage = quotaUsage(quota.spec, client.kinds(), list, clock.now())
      const used = Object.fromEntries(
        Object.entries(usage).map(([resource, amount]) => [resource, formatQuantity(amount)]),
      )
      client.updateStatus(resourceQuotas, { ...quota, status: { hard, used } })
      requeue(key, RESYNC_MS)
    },
  })
