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
  (work) =>
    new Promise((resolve, reject) => {
      if (gate.isOver) return
      work().then(
        (value) => gate.pass(() => resolve(value)),
        (error) => gate.pass(() => reject(error)),
      )
    })

const createTimers = ({ after }: ProgramResources['time'], gate: Gate) => {
  const cancels = new Set<() => void>()
  return {
    after(ms: number, task: () => void): () => void {
      if (gate.isOver) return () => {}
      const run = (): void => {
        if (cancels.delete(cancel)) task()
      }
      const cancelTimer = after(ms, () => gate.pass(run))
      const cancel = (): void => {
        if (cancels.delete(cancel)) cancelTimer()
      }
      cancels.add(cancel)
      return cancel
    },
    close(): void {
      for (const cancel of [...cancels]) cancel()
    },
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
  const timers = createTimers(time, gate)
  const allocations = createAllocations(memory)
  const openFiles = createFiles(files, guard)

  return {
    time: { now: () => time.now(), monotonic: () => time.monotonic(), after: timers.after },
    cpu: {
      async use(ms) {
        await guard(() => cpu.use(ms))
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
      for (const part of [timers, allocations, openFiles]) part.close()
    },
  }
}
