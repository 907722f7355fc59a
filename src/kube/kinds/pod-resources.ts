/** What a pod asks of its node and may use at most, and the class of service that follows from it. */
import type { Container, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { addQuantities, parseQuantity, type Quantity } from '../meta/index.ts'

/** Amounts by resource name: `cpu`, `memory`, `ephemeral-storage` ... */
export type ResourceAmounts = Readonly<Record<string, Quantity>>
export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort'

type Amounts = Record<string, Quantity>
type Side = 'requests' | 'limits'
type WithSpec = { readonly spec?: PodSpec }

const amountsOf = (list: Readonly<Record<string, string>> | undefined): Amounts => {
  const amounts: Amounts = {}
  for (const name in list) amounts[name] = parseQuantity(list[name])
  return amounts
}

const add = (sum: Amounts, more: ResourceAmounts): void => {
  for (const name in more) {
    const known = sum[name]
    sum[name] = known === undefined ? more[name]! : addQuantities(known, more[name]!)
  }
}

const raise = (highest: Amounts, candidate: ResourceAmounts): void => {
  for (const name in candidate) {
    const known = highest[name]
    if (known === undefined || candidate[name]!.nano > known.nano) highest[name] = candidate[name]!
  }
}

/** Sidecars are init containers that keep running beside those that come after them. */
export const isSidecar = (container: Container): boolean => container.restartPolicy === 'Always'

/** The most that is in use at any moment: while initialising, or while the containers run. */
const containersTotal = (spec: PodSpec, side: Side): Amounts => {
  const running: Amounts = {}
  for (const container of spec.containers) add(running, amountsOf(container.resources?.[side]))
  const sidecars: Amounts = {}
  const initialising: Amounts = {}
  for (const container of spec.initContainers ?? []) {
    const own = amountsOf(container.resources?.[side])
    if (isSidecar(container)) {
      add(running, own)
      add(sidecars, own)
      raise(initialising, sidecars)
    } else {
      add(own, sidecars)
      raise(initialising, own)
    }
  }
  raise(running, initialising)
  return running
}

/** What the scheduler, quotas and nodes reckon the pod takes, overhead included. */
export const podRequests = (pod: WithSpec): ResourceAmounts => {
  if (pod.spec === undefined) return {}
  const total = containersTotal(pod.spec, 'requests')
  add(total, amountsOf(pod.spec.overhead))
  return total
}

/** What the pod may use at most; overhead counts only towards resources that are limited at all. */
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

const positive = (container: Container, side: Side): Amounts => {
  const amounts: Amounts = {}
  for (const name of QOS_RESOURCES) {
    const amount = parseQuantity(container.resources?.[side]?.[name])
    if (amount.nano > 0n) amounts[name] = amount
  }
  return amounts
}

/** The class from which the kernel's and the kubelet's treatment under pressure follows. */
export const qosClassOf = (pod: WithSpec): QosClass => {
  const requests: Amounts = {}
  const limits: Amounts = {}
  let allLimited = true
  for (const container of [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])]) {
    const own = positive(container, 'limits')
    add(requests, positive(container, 'requests'))
    add(limits, own)
    if (Object.keys(own).length < QOS_RESOURCES.length) allLimited = false
  }
  const requested = Object.keys(requests)
  if (requested.length === 0 && Object.keys(limits).length === 0) return 'BestEffort'
  const guaranteed =
    allLimited &&
    requested.length === Object.keys(limits).length &&
    requested.every((name) => requests[name]!.nano === limits[name]?.nano)
  return guaranteed ? 'Guaranteed' : 'Burstable'
}
