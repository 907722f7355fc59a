/** Computes the requests, limits and QoS class of a pod. */
import type { Container, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { addQuantities, type Quantity, quantityOrZero } from '#platform/kube/meta'

/** Amounts by resource name: `cpu`, `memory`, `ephemeral-storage` ... */
export type ResourceAmounts = Readonly<Record<string, Quantity>>
export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort'

type Amounts = Record<string, Quantity>
type Side = 'requests' | 'limits'
type WithSpec = { readonly spec?: PodSpec }

const amountsOf = (list: Readonly<Record<string, string>> | undefined): Amounts => {
  const amounts: Amounts = {}
  for (const name in list) amounts[name] = quantityOrZero(list[name])
  return amounts
}

const add = (sum: Amounts, addend: ResourceAmounts): void => {
  for (const name in addend) {
    const current = sum[name]
    sum[name] = current === undefined ? addend[name]! : addQuantities(current, addend[name]!)
  }
}

const takeMaximum = (highest: Amounts, candidate: ResourceAmounts): void => {
  for (const name in candidate) {
    const current = highest[name]
    if (current === undefined || candidate[name]!.nano > current.nano) highest[name] = candidate[name]!
  }
}

/** Whether an init container is a sidecar, which keeps running while later containers run. */
export const isSidecar = (container: Container): boolean => container.restartPolicy === 'Always'

/** Returns the maximum in use at any time, during initialization or while the containers run. */
const containersTotal = (spec: PodSpec, side: Side): Amounts => {
  const running: Amounts = {}
  for (const container of spec.containers) add(running, amountsOf(container.resources?.[side]))
  const sidecars: Amounts = {}
  const initialising: Amounts = {}
  for (const container of spec.initContainers ?? []) {
    const amounts = amountsOf(container.resources?.[side])
    if (isSidecar(container)) {
      add(running, amounts)
      add(sidecars, amounts)
      takeMaximum(initialising, sidecars)
    } else {
      add(amounts, sidecars)
      takeMaximum(initialising, amounts)
    }
  }
  takeMaximum(running, initialising)
  return running
}

/** Returns the requests of the pod, including overhead. */
export const podRequests = (pod: WithSpec): ResourceAmounts => {
  if (pod.spec === undefined) return {}
  const total = containersTotal(pod.spec, 'requests')
  add(total, amountsOf(pod.spec.overhead))
  return total
}

/** Returns the limits of the pod. Overhead is added only to limited resources. */
export const podLimits = (pod: WithSpec): ResourceAmounts => {
  if (pod.spec === undefined) return {}
  const total = containersTotal(pod.spec, 'limits')
  for (const [name, amount] of Object.entries(amountsOf(pod.spec.overhead))) {
    const limit = total[name]
    if (limit !== undefined && limit.nano !== 0n) total[name] = addQuantities(limit, amount)
  }
  return total
}

const QOS_RESOURCES = ['cpu', 'memory']

const positiveAmounts = (container: Container, side: Side): Amounts => {
  const amounts: Amounts = {}
  for (const name of QOS_RESOURCES) {
    const amount = quantityOrZero(container.resources?.[side]?.[name])
    if (amount.nano > 0n) amounts[name] = amount
  }
  return amounts
}

/** Returns the QoS class, which determines OOM scores and eviction order. */
export const qosClassOf = (pod: WithSpec): QosClass => {
  const requests: Amounts = {}
  const limits: Amounts = {}
  let allLimited = true
  for (const container of [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])]) {
    const containerLimits = positiveAmounts(container, 'limits')
    add(requests, positiveAmounts(container, 'requests'))
    add(limits, containerLimits)
    if (Object.keys(containerLimits).length < QOS_RESOURCES.length) allLimited = false
  }
  const requested = Object.keys(requests)
  if (requested.length === 0 && Object.keys(limits).length === 0) return 'BestEffort'
  const guaranteed =
    allLimited &&
    requested.length === Object.keys(limits).length &&
    requested.every((name) => requests[name]!.nano === limits[name]?.nano)
  return guaranteed ? 'Guaranteed' : 'Burstable'
}
