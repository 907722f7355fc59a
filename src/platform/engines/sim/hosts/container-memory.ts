/**
 * The memory of one simulated container: its program, other processes, and the limit of the container. Above the limit, the kernel
 * kills processes. Files in memory volumes are not charged, because the volumes of systems and faults are small.
 */
import type { Clock, Timer } from '#kit'
import type { ProgramMemory } from '#spec'

export interface ContainerMemoryOptions {
  readonly clock: Clock
  /** 0 and undefined mean that there is no limit. */
  readonly limitBytes?: number | undefined
  /** The memory of the program without its allocations. */
  readonly programBytes: number
  /** The OOM score adjustment of the program, which the kubelet derives from the class of the pod; 0 by default. */
  readonly oomScoreAdj?: number | undefined
  /**
   * Kills only the chosen process, like the kubelet setting of the same name. By default, the whole container is killed
   * (`memory.oom.group`).
   */
  readonly singleProcessOomKill?: boolean | undefined
  /** Called once if the program is killed. The container exits with code 137 and reason OOMKilled. */
  readonly onOutOfMemory: () => void
}

/** Other processes of the container with the same amount of memory each. */
export interface MemoryProcesses {
  readonly count: number
  /** The total memory of all processes. */
  readonly bytes: number
  /** The time over which their memory grows evenly. */
  readonly growMs: number
  readonly oomScoreAdj: number
  /** Called if the kernel kills one of these processes. All of them then end, while the program stays alive. */
  readonly onKilled: () => void
}

export interface ContainerMemory extends ProgramMemory {
  /** Starts other processes. Returns a function that ends them. */
  addProcesses(processes: MemoryProcesses): () => void
  /** After this call, nothing is killed. */
  close(): void
}

interface RunningProcesses extends MemoryProcesses {
  readonly startedAt: number
}

const PAGE_BYTES = 4096
/** The kernel never kills a process with this adjustment. */
const NEVER_KILLED = -1000
/** Shorter waits could be lost in the rounding of times. */
const MIN_WAIT_MS = 1

const isGrowing = ({ startedAt, growMs }: RunningProcesses, now: number): boolean => now < startedAt + growMs

const bytesOf = (processes: RunningProcesses, now: number): number =>
  isGrowing(processes, now)
    ? (processes.bytes * (now - processes.startedAt)) / processes.growMs
    : processes.bytes

/** The kernel's score: the share of the limit in thousandths, plus the adjustment. */
const badnessOf = (bytes: number, oomScoreAdj: number, limitBytes: number): number =>
  oomScoreAdj <= NEVER_KILLED ? Number.NEGATIVE_INFINITY : (bytes / limitBytes) * 1000 + oomScoreAdj

/** Returns undefined for the program. Among processes with equal scores, the kernel chooses the youngest. */
const chooseVictim = (
  programBadness: number,
  others: readonly RunningProcesses[],
  limitBytes: number,
  now: number,
): RunningProcesses | undefined => {
  let victim: RunningProcesses | undefined
  let highest = programBadness
  for (const each of others) {
    const badness = badnessOf(bytesOf(each, now) / each.count, each.oomScoreAdj, limitBytes)
    if (badness < highest) continue
    victim = each
    highest = badness
  }
  return victim
}

export const createContainerMemory = (options: ContainerMemoryOptions): ContainerMemory => {
  const { clock, programBytes, oomScoreAdj = 0, singleProcessOomKill = false, onOutOfMemory } = options
  const limitBytes = options.limitBytes ?? 0
  let allocatedBytes = 0
  let others: readonly RunningProcesses[] = []
  let timer: Timer | undefined
  let isClosed = false

  const usedBytes = (): number =>
    others.reduce((sum, each) => sum + bytesOf(each, clock.now()), programBytes + allocatedBytes)

  const close = (): void => {
    isClosed = true
    timer?.cancel()
  }

  const kill = (): void => {
    const programBadness = badnessOf(programBytes + allocatedBytes, oomScoreAdj, limitBytes)
    const victim = chooseVictim(programBadness, others, limitBytes, clock.now())
    if (victim === undefined || !singleProcessOomKill) {
      close()
      onOutOfMemory()
      return
    }
    others = others.filter((each) => each !== victim)
    victim.onKilled()
  }

  /** Waits until growing processes can have reached the limit, or one of them has stopped growing. */
  const scheduleCheck = (): void => {
    const now = clock.now()
    const growing = others.filter((each) => isGrowing(each, now))
    if (growing.length === 0) return
    const bytesPerMs = growing.reduce((sum, { bytes, growMs }) => sum + bytes / growMs, 0)
    const untilLimit = (limitBytes - usedBytes() + PAGE_BYTES) / bytesPerMs
    const untilChange = Math.min(...growing.map(({ startedAt, growMs }) => startedAt + growMs - now))
    timer = clock.after(Math.max(MIN_WAIT_MS, Math.min(untilLimit, untilChange)), check)
  }

  const check = (): void => {
    if (isClosed || limitBytes === 0) return
    while (!isClosed && usedBytes() > limitBytes) kill()
    timer?.cancel()
    if (!isClosed && others.length > 0) scheduleCheck()
  }

  // The caller does not have the container yet.
  if (limitBytes > 0 && programBytes > limitBytes) clock.defer(check)

  return {
    limitBytes,
    usedBytes,
    allocate(bytes) {
      allocatedBytes += bytes
      check()
      let isHeld = true
      return () => {
        if (isHeld) allocatedBytes -= bytes
        isHeld = false
      }
    },
    addProcesses(processes) {
      const running: RunningProcesses = { ...processes, startedAt: clock.now() }
      others = [...others, running]
      check()
      return () => {
        others = others.filter((each) => each !== running)
      }
    },
    close,
  }
}
