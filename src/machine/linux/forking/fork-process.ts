/** Forks this Node.js process: the child continues with a copy of the heap, of which only the pages that it writes take memory. */
import { readFileSync } from 'node:fs'
import { lazily } from '#kit'
import { bind, checked, libc } from '../libc.ts'

const PR_SET_PDEATHSIG = 1
const SIGKILL = 9
const WNOHANG = 1
const MADV_DOFORK = 11
/** Nothing is mapped below this address. */
const LOWEST_ADDRESS = 0x10000n

/** Bound on first use, because some builds of Node.js do not export the calls of libuv. */
const calls = lazily(() => ({
  fork: bind<() => number>('int fork()'),
  getpid: bind<() => number>('int getpid()'),
  exit: bind<(code: number) => never>('void _exit(int code)'),
  madvise: bind<(start: bigint, length: bigint, advice: number) => number>(
    'int madvise(uint64_t start, uint64_t length, int advice)',
  ),
  trim: bind<(padding: number) => number>('int malloc_trim(size_t padding)'),
  defaultLoop: bind<() => unknown>('void* uv_default_loop()'),
  forkLoop: bind<(loop: unknown) => number>('int uv_loop_fork(void* loop)'),
}))

/** The lowest address of the kernel's own mappings, which cannot be advised about. They are above all others except the stack. */
const kernelMappings = lazily((): bigint => {
  const lines = readFileSync('/proc/self/maps', 'latin1').split('\n')
  const first = lines.find((line) => /\[(vvar|vdso)/.test(line))
  return first === undefined ? 0x7fff_ffff_f000n : BigInt(`0x${first.slice(0, first.indexOf('-'))}`)
})

/** V8 excludes its heap from forks. The call passes over unmapped gaps and then fails with ENOMEM, so its result says nothing. */
const includeHeap = (): void => {
  calls().madvise(LOWEST_ADDRESS, kernelMappings() - LOWEST_ADDRESS, MADV_DOFORK)
}

/** Makes this process end with its parent. */
export const endWithParent = (): void => {
  checked('prctl', libc.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0))
}

/** Ends this process without handlers: those of Node.js wait for threads that a forked process does not have. */
export const exitNow = (code: number): never => calls().exit(code)

const continueAsChild = (parent: number): void => {
  endWithParent()
  if (process.ppid !== parent) exitNow(0)
  // Node.js keeps the value of the start.
  Object.defineProperty(process, 'pid', { value: calls().getpid(), enumerable: true, configurable: true })
  checked('uv_loop_fork', calls().forkLoop(calls().defaultLoop()))
}

/**
 * Returns the process ID of the child, and 0 in the child, whose timers, promises and new connections work. The child has only this thread: Node.js
 * must run with `FORKING_FLAGS`. It shares the open descriptors, and is killed when the parent ends.
 */
export const forkProcess = (): number => {
  includeHeap()
  const parent = process.pid
  const child = checked('fork', calls().fork())
  if (child === 0) continueAsChild(parent)
  return child
}

/**
 * The flags of a Node.js process whose V8 has no threads, and which can compact its memory. A full garbage collection in a fork would write to most
 * pages of the heap, so it is put off until the heap is four times as large.
 */
export const FORKING_FLAGS = [
  '--single-threaded',
  '--v8-pool-size=0',
  '--disable-sigusr1',
  '--expose-gc',
  '--no-flush-bytecode',
  '--heap-growing-percent=300',
]

/**
 * Frees unused memory before forks: a fork copies the page table, so its time depends on the memory in use. Discards some compiled code, too, so
 * call it before the last work that compiles.
 */
export const compactMemory = (): void => {
  const collect = globalThis.gc as
    | ((options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void)
    | undefined
  collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  calls().trim(0)
}

/** Returns the children that have ended since the last call. Until then, their process IDs are not used again. */
export const reapChildren = (): number[] => {
  const ended: number[] = []
  for (;;) {
    const pid = libc.waitpid(-1, [0], WNOHANG)
    if (pid <= 0) return ended
    ended.push(pid)
  }
}
