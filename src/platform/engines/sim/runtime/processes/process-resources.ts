/** The resources of one process among others in a container. They end with the process. */
import type { ProgramFile, ProgramResources } from '#spec'

export interface ProcessResources extends ProgramResources {
  /** While paused, no promise settles and no timer fires. */
  pause(isPaused: boolean): void
  /** Afterwards no promise settles and no timer fires. */
  close(): void
}

/** Decides when the program continues after it has waited. */
const createGate = () => {
  let isPaused = false
  let isOver = false
  let waiting: (() => void)[] = []
  const gate = {
    get isOver() {
      return isOver
    },
    get isOpen() {
      return !isPaused && !isOver
    },
    /** Resolves once the program runs; never if it has ended by then. */
    opens: (): Promise<void> => new Promise((resolve) => gate.pass(resolve)),
    /** Calls `task` once the program runs; never if it has ended by then. */
    pass(task: () => void): void {
      if (isPaused) waiting.push(task)
      else if (!isOver) task()
    },
    pause(pauses: boolean): void {
      isPaused = pauses
      if (isPaused) return
      const tasks = waiting
      waiting = []
      for (const task of tasks) gate.pass(task)
    },
    close(): void {
      isOver = true
      waiting = []
    },
  }
  return gate
}

type Gate = ReturnType<typeof createGate>

/** Starts the work unless the process has ended. Settles as the work does, unless the process has ended by then. */
type Guard = <T>(work: () => Promise<T>) => Promise<T>

const createGuard =
  (gate: Gate): Guard =>
  async (work) => {
    if (gate.isOver) return await neverSettled()
    try {
      const value = await work()
      if (!gate.isOpen) await gate.opens()
      return value
    } catch (error) {
      if (!gate.isOpen) await gate.opens()
      throw error
    }
  }

/** A new promise each time, because a shared one would keep all that wait for it in memory. */
const neverSettled = (): Promise<never> => new Promise(() => {})

/** Timers that are still due when the process ends do nothing: a list of them would cost more than the timers themselves. */
const createTimer =
  ({ after }: ProgramResources['time'], gate: Gate): ProgramResources['time']['after'] =>
  (ms, task) => {
    if (gate.isOver) return () => {}
    let isCancelled = false
    const run = (): void => {
      if (!isCancelled) task()
    }
    const cancelTimer = after(ms, () => gate.pass(run))
    return () => {
      isCancelled = true
      cancelTimer()
    }
  }

const createAllocations = (memory: ProgramResources['memory']) => {
  const frees = new Set<() => void>()
  return {
    allocate(bytes: number): (() => void) | undefined {
      const freeBytes = memory.allocate(bytes)
      if (freeBytes === undefined) return undefined
      const free = (): void => {
        if (frees.delete(free)) freeBytes()
      }
      frees.add(free)
      return free
    },
    close(): void {
      for (const free of [...frees]) free()
    },
  }
}

type OpenMode = Parameters<ProgramResources['files']['open']>[1]

const createFiles = (files: ProgramResources['files'], guard: Guard) => {
  const opened = new Set<ProgramFile>()
  const wrap = (file: ProgramFile): ProgramFile => ({
    write: (bytes, position) => guard(() => file.write(bytes, position)),
    truncate: (size) => guard(() => file.truncate(size)),
    sync: () => guard(() => file.sync()),
    close() {
      opened.delete(file)
      return guard(() => file.close())
    },
  })
  return {
    open: (path: string, mode: OpenMode): Promise<ProgramFile> =>
      guard(async () => {
        const file = await files.open(path, mode)
        opened.add(file)
        return wrap(file)
      }),
    close(): void {
      for (const file of opened) void file.close().catch(() => {})
      opened.clear()
    },
  }
}

/** `resources` are those of the container. */
export const createProcessResources = (resources: ProgramResources): ProcessResources => {
  const { time, cpu, memory, files, random } = resources
  let usedMs = 0
  const gate = createGate()
  const guard = createGuard(gate)
  const allocations = createAllocations(memory)
  const openFiles = createFiles(files, guard)

  return {
    time: { now: () => time.now(), monotonic: () => time.monotonic(), after: createTimer(time, gate) },
    cpu: {
      async use(ms) {
        if (gate.isOver) return await neverSettled()
        await cpu.use(ms)
        if (!gate.isOpen) await gate.opens()
        if (ms > 0) usedMs += ms
      },
      usedMs: () => usedMs,
    },
    memory: {
      limitBytes: memory.limitBytes,
      usedBytes: () => memory.usedBytes(),
      allocate: allocations.allocate,
    },
    files: {
      exists: (path) => files.exists(path),
      read: (path) => files.read(path),
      makeFolder: (path) => files.makeFolder(path),
      statusOf: (path) => files.statusOf(path),
      list: (path) => files.list(path),
      open: openFiles.open,
      rename: (from, to) => guard(() => files.rename(from, to)),
      remove: (path) => guard(() => files.remove(path)),
      removeFolder: (path) => guard(() => files.removeFolder(path)),
    },
    random,
    pause: gate.pause,
    close() {
      if (gate.isOver) return
      gate.close()
      for (const part of [allocations, openFiles]) part.close()
    },
  }
}
