/** The Endpoints controller: lists the addresses of the pods that each Service selects. */
import type { EndpointSubset, Endpoints, Pod, Service } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual, defined } from '#kit'
import { endpoints, services } from '#platform/kube/kinds'
import { isNotFound, type Stored } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { type Controller, defineController, keyOf, splitKey, watching } from '../define-controller.ts'
import { CAPACITY, capSubsets, subsetsOf } from './endpoints/subsets.ts'
import { HEADLESS_LABEL, isHeadless, selectedPods } from './pod-endpoint.ts'
import { createTriggerTimes, TRIGGER_TIME } from './trigger-times.ts'
import { watchingSelectedPods } from './watching-selected-pods.ts'

const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity'

type StringMap = Record<string, string>

const labelsFor = (service: Stored<Service>): StringMap => {
  const { [HEADLESS_LABEL]: _, ...labels } = service.metadata.labels ?? {}
  return isHeadless(service) ? { ...labels, [HEADLESS_LABEL]: '' } : labels
}

const annotationsFor = (
  current: Stored<Endpoints> | undefined,
  truncated: boolean,
  trigger: string | undefined,
): StringMap => {
  const { [OVER_CAPACITY]: _, [TRIGGER_TIME]: __, ...others } = current?.metadata.annotations ?? {}
  return {
    ...others,
    ...(truncated ? { [OVER_CAPACITY]: 'truncated' } : {}),
    ...defined({ [TRIGGER_TIME]: trigger }),
  }
}

const isUpToDate = (
  current: Stored<Endpoints>,
  subsets: EndpointSubset[],
  labels: StringMap,
  truncated: boolean,
): boolean =>
  deepEqual(current.subsets ?? [], subsets) &&
  deepEqual(current.metadata.labels ?? {}, labels) &&
  (current.metadata.annotations?.[OVER_CAPACITY] === 'truncated') === truncated

const remove = (client: Client, namespace: string, name: string): void => {
  try {
    client.delete(endpoints, namespace, name)
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

const write = (
  client: Client,
  service: Stored<Service>,
  selected: readonly Stored<Pod>[],
  trigger: string | undefined,
): void => {
  const { namespace = '', name } = service.metadata
  const { subsets, truncated } = capSubsets(subsetsOf(service, selected), CAPACITY)
  const current = client.get(endpoints, namespace, name)
  const labels = labelsFor(service)
  if (current !== undefined && isUpToDate(current, subsets, labels, truncated)) return
  const annotations = annotationsFor(current, truncated, trigger)
  const content = subsets.length === 0 ? {} : { subsets }
  if (current === undefined) {
    client.create(endpoints, { metadata: { name, namespace, labels, annotations }, ...content })
    return
  }
  const { subsets: _, ...rest } = current
  client.update(endpoints, {
    ...rest,
    metadata: { ...current.metadata, labels, annotations },
    ...content,
  } as Stored<Endpoints>)
}

export const createEndpointsController = (): Controller => {
  const triggers = createTriggerTimes()
  return defineController({
    name: 'endpoint',
    watches: [
      watching(services, ({ object }) => [keyOf(object)]),
      watchingSelectedPods,
      // Recreates Endpoints that a client deletes.
      watching(endpoints, ({ type, object }) => (type === 'DELETED' ? [keyOf(object)] : [])),
    ],
    reconcile(key, { client }) {
      const { namespace, name } = splitKey(key)
      const service = client.get(services, namespace, name)
      if (service === undefined) {
        triggers.forget(key)
        remove(client, namespace, name)
        return
      }
      if (service.spec.selector === undefined) return
      const selected = selectedPods(client, service)
      write(client, service, selected, triggers.next(service, selected))
    },
  })
}
