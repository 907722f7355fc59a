/** Injects time faults: shifts the clocks of a container's processes. */
import { type Clock, lazily, type Timer } from '#kit'
import type { Cgroups } from '#machine/linux'
import { clockNumbersOf, targetContainer } from '#platform/kube/pod-faults'
import type { TimeFault } from '#platform/kube/ports'
import type { ApplyFault } from '../apply-fault.ts'
import { CLOCK_COUNT, routinesFor, toOffsetTable } from './clock-routines.ts'
import { isTerminalJob } from './paused-process.ts'
import { createProcessShifter, type ProcessShifter } from './process-shifter.ts'
import { readVdso } from './vdso-image.ts'

/** The interval between searches for new processes, whose clocks are not shifted yet. */
const POLL_MS = 300
const NANOSECONDS_PER_MS = 1_000_000

interface ShiftedContainer {
  readonly faults: Set<TimeFault>
  /** Settles when the last queued change has ended. */
  lastChange: Promise<unknown>
  timer: Timer | undefined
}

const newContainer = (): ShiftedContainer => ({
  faults: new Set(),
  lastChange: Promise.resolve(),
  timer: undefined,
})

/** Returns the sum of all offsets for each clock; undefined if there are no faults. */
const toTable = (faults: ReadonlySet<TimeFault>): Buffer | undefined => {
  if (faults.size === 0) return undefined
  const sums = new Map<number, bigint>()
  for (const fault of faults)
    for (const clock of clockNumbersOf(fault))
      if (clock < CLOCK_COUNT)
        sums.set(clock, (sums.get(clock) ?? 0n) + BigInt(Math.round(fault.offsetMs * NANOSECONDS_PER_MS)))
  return toOffsetTable(sums)
}

export const createTimeFaults = ({
  cgroups,
  clock,
  onError,
}: {
  cgroups: Pick<Cgroups, 'pids'>
  clock: Clock
  onError: (error: Error) => void
}): ApplyFault<TimeFault> => {
  const containers = new Map<string, ShiftedContainer>()
  const shifter = lazily(
    (): ProcessShifter => createProcessShifter(readVdso(), routinesFor(process.arch), clock),
  )

  /** Applies the current faults to every process. Jobs on a terminal are only restored, not shifted. */
  const shiftAll = (cgroup: string, container: ShiftedContainer): Promise<void> => {
    const shifted = container.lastChange.then(async () => {
      const table = toTable(container.faults)
      const affected = cgroups.pids(cgroup).filter((pid) => table === undefined || !isTerminalJob(pid))
      const results = await Promise.allSettled(affected.map((pid) => shifter().shift(pid, table)))
      const failed = results.find((result) => result.status === 'rejected')
      if (failed !== undefined) throw failed.reason
    })
    container.lastChange = shifted.catch(() => {})
    return shifted
  }

  const schedulePoll = (cgroup: string, container: ShiftedContainer): void => {
    const timer = clock.after(POLL_MS, () => {
      shiftAll(cgroup, container)
        .catch(onError)
        .finally(() => {
          // If the last fault was removed in the meantime, polling ends; a new fault schedules its own timer.
          if (container.timer === timer) schedulePoll(cgroup, container)
        })
    })
    container.timer = timer
  }

  /** Can be retried after a failure. */
  const remove = async (cgroup: string, container: ShiftedContainer, fault: TimeFault): Promise<void> => {
    container.faults.delete(fault)
    if (container.faults.size === 0) {
      container.timer?.cancel()
      container.timer = undefined
    }
    await shiftAll(cgroup, container)
    // Deleted last, so that a new fault waits for this change.
    if (container.faults.size === 0) containers.delete(cgroup)
  }

  return async (fault, view) => {
    clockNumbersOf(fault)
    const { cgroup } = targetContainer(fault.target, view)
    const container = containers.get(cgroup) ?? newContainer()
    // Copied, because the same object may be applied twice.
    const copy = { ...fault }
    container.faults.add(copy)
    containers.set(cgroup, container)
    try {
      await shiftAll(cgroup, container)
    } catch (error) {
      await remove(cgroup, container, copy).catch(onError)
      throw error
    }
    if (container.timer === undefined) schedulePoll(cgroup, container)
    return () => remove(cgroup, container, copy)
  }
}
