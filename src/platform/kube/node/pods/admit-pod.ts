/** Checks whether a bound pod fits on its node. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { podRequests } from '#platform/kube/kinds'
import { milliValue, quantityOrZero, type Stored, unitValue } from '#platform/kube/meta'

export interface Rejection {
  /** `OutOfcpu`, `OutOfpods` ... */
  reason: string
  message: string
}

const CHECKED_RESOURCES = ['cpu', 'memory', 'ephemeral-storage'] as const

const toReportedUnit = (name: string, nano: bigint): number =>
  name === 'cpu' ? Number(nano / 1_000_000n) : Number(nano / 1_000_000_000n)

/** Returns the kubelet's reason to reject the pod; undefined if it fits alongside `others`. */
export const admitPod = (
  pod: Stored<Pod>,
  others: readonly Stored<Pod>[],
  allocatable: Readonly<Record<string, string>>,
): Rejection | undefined => {
  const toRejection = (name: string, requested: number, used: number, capacity: number): Rejection => ({
    reason: `OutOf${name}`,
    message: `Node didn't have enough resource: ${name}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
  })
  if (allocatable.pods !== undefined) {
    const capacity = unitValue(allocatable.pods)
    if (others.length + 1 > capacity) return toRejection('pods', 1, others.length, capacity)
  }
  const requests = podRequests(pod)
  for (const name of CHECKED_RESOURCES) {
    const requestedNano = requests[name]?.nano ?? 0n
    if (requestedNano === 0n || allocatable[name] === undefined) continue
    let used = 0n
    for (const running of others) used += podRequests(running)[name]?.nano ?? 0n
    if (used + requestedNano <= quantityOrZero(allocatable[name]).nano) continue
    const capacity = name === 'cpu' ? milliValue(allocatable[name]) : unitValue(allocatable[name])
    return toRejection(name, toReportedUnit(name, requestedNano), toReportedUnit(name, used), capacity)
  }
  return undefined
}
