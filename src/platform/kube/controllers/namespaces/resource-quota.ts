/** The ResourceQuota controller: writes the usage and the limits to the status of quotas. */
import {
  type Kind,
  persistentVolumeClaims,
  pods,
  quotaUsage,
  resourceQuotas,
  services,
} from '#platform/kube/kinds'
import { formatQuantity, type KubeObject } from '#platform/kube/meta'
import type { WatchEvent } from '#platform/kube/ports'
import { type Controller, defineController, keyOf, splitKey, watching } from '../define-controller.ts'
import { watchEverything } from '../watch-everything.ts'

const RESYNC_MS = 300_000
/** Kinds whose usage can change when an object is modified. */
const VARIABLE_USAGE_KINDS = new Set([pods.id, services.id, persistentVolumeClaims.id])

const canChangeUsage = (kind: Kind, { type, object, old }: WatchEvent): boolean =>
  type !== 'MODIFIED' ||
  (VARIABLE_USAGE_KINDS.has(kind.id) &&
    (object.spec !== old.spec || object.status?.phase !== old.status?.phase))

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
        if (namespace === undefined || !canChangeUsage(kind, event)) return
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
