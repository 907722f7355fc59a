/** Whether a node still has room for a pod that was bound to it. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { podRequests } from '../kinds/index.ts'
import { milliValue, parseQuantity, type Stored, unitValue } from '../meta/index.ts'

export interface Rejection {
  /** `OutOfcpu`, `OutOfpods` ... */
  reason: string
  message: string
}

const CHECKED = ['cpu', 'memory', 'ephemeral-storage'] as const

const amount = (name: string, nano: bigint): number =>
  name === 'cpu' ? Number(nano / 1_000_000n) : Number(nano / 1_000_000_000n)

/** The reason to turn the pod away, in the kubelet's words; nothing when it fits beside `others`. */
export const admitPod = (
  pod: Stored<Pod>,
  others: readonly Stored<Pod>[],
  allocatable: Readonly<Record<string, string>>,
): Rejection | undefined => {
  const reject = (name: string, requested: number, used: number, capacity: number): Rejection => ({
    reason: `OutOf${name}`,
    message: `Node didn't have enough resource: ${name}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
  })
  if (allocatable.pods !== undefined) {
    const capacity = unitValue(allocatable.pods)
    if (others.length + 1 > capacity) return reject('pods', 1, others.length, capacity)
  }
  const wanted = podRequests(pod)
  for (const name of CHECKED) {
    const own = wanted[name]?.nano ?? 0n
    if (own === 0n || allocatable[name] === undefined) continue
    let used = 0n
    for (const other of others) used += podRequests(other)[name]?.nano ?? 0n
    if (used + own <= parseQuantity(allocatable[name]).nano) continue
    const capacity = name === 'cpu' ? milliValue(allocatable[name]) : unitValue(allocatable[name])
    return reject(name, amount(name, own), amount(name, used), capacity)
  }
  return undefined
}
