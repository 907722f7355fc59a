/** The resources of one process among others in a container. They end with the process. */
import type { ProgramFile, ProgramResources } from '#spec'

export interface ProcessResources extends ProgramResources {
  /** Afterwards no promise settles and no timer fires. */
  close(): void
}

/** Starts the work unless the process has ended. Settles as the work does, unless the process has ended by then. */
type Guard = <T>(work: () => Promise<T>) => Promise<T>

const createGuard =
  (isOver: () => boolean): Guard =>
  async (work) => {
    if (isOver()) return await neverSettled()
    try {
      const value = await work()
      return isOver() ? await neverSettled() : value
    } catch (error) {
      if (isOver()) return await neverSettled()
      throw error
    }
  }

/** A new promise each time, because a shared one would keep all that wait for it in memory. */
const neverSettled = (): Promise<never> => new Promise(() => {})

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
  let isOver = false
  let usedMs = 0
  const guard = createGuard(() => isOver)
  const allocations = createAllocations(memory)
  const openFiles = createFiles(files, guard)

  return {
    time: {
      now: () => time.now(),
      monotonic: () => time.monotonic(),
      after: (ms, task) =>
        isOver
          ? () => {}
          : time.after(ms, () => {
              if (!isOver) task()
            }),
    },
    cpu: {
      async use(ms) {
        if (isOver) return await neverSettled()
        await cpu.use(ms)
        if (isOver) return await neverSettled()
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
    close() {
      if (isOver) return
      isOver = true
      for (const part of [allocations, openFiles]) part.close()
    },
  }
}
