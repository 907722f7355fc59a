/** Time faults: shifts what the processes of a container take for the time. */
import { type Clock, lazily, type Timer } from '../../../kit/index.ts'
import type { Cgroups } from '../../../linux/index.ts'
import type { TimeFault } from '../../ports/index.ts'
import type { ApplyFault } from '../apply-fault.ts'
import { targetContainer } from '../target-container.ts'
import { CLOCK_COUNT, routinesFor, toOffsetTable } from './clock-routines.ts'
import { isTerminalJob } from './paused-process.ts'
import { createProcessShifter, type ProcessShifter } from './shift-process.ts'
import { readVdso } from './vdso-image.ts'

/** A program that a container starts has right clocks at first: so often somebody looks for new ones. */
const LOOK_EVERY_MS = 300
const NANOSECONDS = 1_000_000

/** With a clock goes its coarse reading: to programs they are one. */
const CLOCK_NUMBERS: Readonly<Record<string, readonly number[]>> = {
  CLOCK_REALTIME: [0, 5],
  CLOCK_MONOTONIC: [1, 6],
  CLOCK_PROCESS_CPUTIME_ID: [2],
  CLOCK_THREAD_CPUTIME_ID: [3],
  CLOCK_MONOTONIC_RAW: [4],
  CLOCK_REALTIME_COARSE: [5],
  CLOCK_MONOTONIC_COARSE: [6],
  CLOCK_BOOTTIME: [7],
  CLOCK_REALTIME_ALARM: [8],
  CLOCK_BOOTTIME_ALARM: [9],
  CLOCK_TAI: [11],
}

interface ShiftedContainer {
  readonly faults: Set<TimeFault>
  turn: Promise<unknown>
  timer: Timer | undefined
}

const newContainer = (): ShiftedContainer => ({
  faults: new Set(),
  turn: Promise.resolve(),
  timer: undefined,
})

const toNumbers = ({ clocks }: TimeFault): ReadonlySet<number> =>
  new Set(
    clocks.flatMap((name) => {
      const numbers = CLOCK_NUMBERS[name]
      if (numbers === undefined)
        throw new Error(`a time fault names clocks such as CLOCK_REALTIME, not ${name}`)
      return numbers
    }),
  )

/** The sum of all faults for each clock; nothing when there is none. */
const toTable = (faults: ReadonlySet<TimeFault>): Buffer | undefined => {
  if (faults.size === 0) return undefined
  const sums = new Map<number, bigint>()
  for (const fault of faults)
    for (const clock of toNumbers(fault))
      if (clock < CLOCK_COUNT)
        sums.set(clock, (sums.get(clock) ?? 0n) + BigInt(Math.round(fault.offsetMs * NANOSECONDS)))
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

  /** Makes the clocks of every process what the faults say now; but of jobs on a terminal only when they are put right. */
  const shiftAll = (cgroup: string, container: ShiftedContainer): Promise<void> => {
    const mine = container.turn.then(async () => {
      const table = toTable(container.faults)
      const concerned = cgroups.pids(cgroup).filter((pid) => table === undefined || !isTerminalJob(pid))
      const ends = await Promise.allSettled(concerned.map((pid) => shifter().shift(pid, table)))
      const failed = ends.find((end) => end.status === 'rejected')
      if (failed !== undefined) throw failed.reason
    })
    container.turn = mine.catch(() => {})
    return mine
  }

  const lookAgain = (cgroup: string, container: ShiftedContainer): void => {
    const timer = clock.after(LOOK_EVERY_MS, () => {
      shiftAll(cgroup, container)
        .catch(onError)
        .finally(() => {
          // Else the last fault has gone meanwhile, and another that has come looks by itself.
          if (container.timer === timer) lookAgain(cgroup, container)
        })
    })
    container.timer = timer
  }

  /** May be tried again when it has failed. */
  const remove = async (cgroup: string, container: ShiftedContainer, fault: TimeFault): Promise<void> => {
    container.faults.delete(fault)
    if (container.faults.size === 0) {
      container.timer?.cancel()
      container.timer = undefined
    }
    await shiftAll(cgroup, container)
    // Not before: another fault must wait for this turn.
    if (container.faults.size === 0) containers.delete(cgroup)
  }

  return async (fault, view) => {
    toNumbers(fault)
    const { cgroup } = targetContainer(fault.target, view)
    const container = containers.get(cgroup) ?? newContainer()
    // A copy: the same object may be applied twice.
    const own = { ...fault }
    container.faults.add(own)
    containers.set(cgroup, container)
    try {
      await shiftAll(cgroup, container)
    } catch (error) {
      await remove(cgroup, container, own).catch(onError)
      throw error
    }
    if (container.timer === undefined) lookAgain(cgroup, container)
    return () => remove(cgroup, container, own)
  }
}
