/**
 * Stops another process by ptrace and makes system calls in it. Everything must happen in one turn of the event loop and
 * on one thread, because the kernel binds a traced process to its tracer thread. If this process ends, the traced one
 * continues.
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync, writeSync } from 'node:fs'
import koffi from 'koffi'
import { bind, checked, libc } from './libc.ts'
import { machineRegisters, type SystemCall } from './machine-registers.ts'

koffi.struct('traced_bytes', { base: 'void*', length: 'size_t' })
const ptrace = bind<(request: number, pid: number, address: number, data: number) => number>(
  'long ptrace(long request, long pid, long address, long data)',
)
const ptraceBytes = bind<(request: number, pid: number, address: number, data: Uint8Array) => number>(
  'long ptrace(long request, long pid, long address, void* data)',
)
const ptraceVector = bind<
  (request: number, pid: number, address: number, data: { base: Uint8Array; length: number }) => number
>('long ptrace(long request, long pid, long address, traced_bytes* data)')

const SINGLESTEP = 9
const DETACH = 17
const SEIZE = 0x4206
const INTERRUPT = 0x4207
const GETREGSET = 0x4204
const SETREGSET = 0x4205
const GETSIGMASK = 0x420a
const SETSIGMASK = 0x420b
const NT_PRSTATUS = 1
const WNOHANG = 1
const WALL = 0x4000_0000
const SIGTRAP = 5
const STOP_TIMEOUT_MS = 500
const CALL_TIMEOUT_MS = 10_000
const SCRATCH_BYTES = 8192

/** Blocks all signals except SIGTRAP, which ends a step. */
const ALL_BUT_TRAP = Buffer.alloc(8)
ALL_BUT_TRAP.writeBigUInt64LE(~(1n << BigInt(SIGTRAP - 1)) & 0xffff_ffff_ffff_ffffn)

const pauseCell = new Int32Array(new SharedArrayBuffer(4))

/** Waits for the next stop by polling, because a thread in an uninterruptible call never stops. */
const waitForStop = (thread: number, timeoutMs: number): number => {
  const status: [number] = [0]
  for (let waited = 0; ; waited += 1) {
    if (checked('waitpid', libc.waitpid(thread, status, WNOHANG | WALL)) === thread) {
      if ((status[0] & 0x7f) !== 0x7f) throw new Error(`thread ${thread} has ended`)
      return status[0]
    }
    if (waited > timeoutMs) throw new Error(`thread ${thread} does not stop`)
    // The first polls spin, because most stops take microseconds.
    if (waited > 20) Atomics.wait(pauseCell, 0, 0, 1)
  }
}

/** Finds the address of a system call instruction in the process. */
const findInstruction = (pid: number, memory: number): bigint => {
  const { instruction, alignment } = machineRegisters()
  const regions = readFileSync(`/proc/${pid}/maps`, 'latin1')
    .split('\n')
    .filter((line) => /^\S+ r-xp /.test(line))
    // The vDSO is small and contains such an instruction on all architectures.
    .sort((a, b) => Number(b.endsWith('[vdso]')) - Number(a.endsWith('[vdso]')))
  for (const line of regions) {
    const [start = 0n, end = 0n] = line
      .split(' ')[0]!
      .split('-')
      .map((part) => BigInt(`0x${part}`))
    const bytes = Buffer.alloc(Number(end - start))
    try {
      readSync(memory, bytes, 0, bytes.length, Number(start))
    } catch {
      continue
    }
    let offset = bytes.indexOf(instruction)
    while (offset !== -1 && offset % alignment !== 0) offset = bytes.indexOf(instruction, offset + 1)
    if (offset !== -1) return start + BigInt(offset)
  }
  throw new Error(`process ${pid} has no instruction for system calls`)
}

const threadsOf = (pid: number): number[] => readdirSync(`/proc/${pid}/task`).map(Number)

/** A thread that has ended may still be listed. */
const hasEnded = (pid: number, thread: number): boolean => {
  try {
    return /^State:\t[ZX]/m.test(readFileSync(`/proc/${pid}/task/${thread}/status`, 'latin1'))
  } catch {
    return true
  }
}

/** The pending signal that must be delivered on resume; 0 if there is none. */
const pendingSignalIn = (status: number): number => (status >> 16 === 0 ? (status >> 8) & 0xff : 0)

/** Stops all threads, including new ones. `stopped` receives the pending signal of each. */
const stopThreads = (pid: number, stopped: Map<number, number>): void => {
  const ended = new Set<number>()
  for (;;) {
    const running = threadsOf(pid).filter((thread) => !stopped.has(thread) && !ended.has(thread))
    if (running.length === 0) return
    for (const thread of running)
      try {
        checked('ptrace', ptrace(SEIZE, thread, 0, 0))
        stopped.set(thread, 0)
        checked('ptrace', ptrace(INTERRUPT, thread, 0, 0))
        stopped.set(thread, pendingSignalIn(waitForStop(thread, STOP_TIMEOUT_MS)))
      } catch (error) {
        if (!hasEnded(pid, thread)) throw error
        stopped.delete(thread)
        ended.add(thread)
      }
  }
}

export interface TracedProcess {
  readonly pid: number
  /** Makes a system call and returns its result, -errno on failure. Takes at most six arguments, of which one may be a string. */
  call(name: SystemCall, ...args: readonly (number | bigint | string)[]): bigint
  /** Restores the thread's registers and lets the process continue. */
  resume(): void
}

const vector = (base: Buffer) => ({ base, length: base.length })

/** Takes control of the thread that makes the calls, and saves its registers and signal mask. */
const controlThread = (pid: number, thread: number, memory: number) => {
  const machine = machineRegisters()
  const savedRegisters = Buffer.alloc(machine.size)
  checked('ptrace', ptraceVector(GETREGSET, thread, NT_PRSTATUS, vector(savedRegisters)))
  const savedMask = Buffer.alloc(8)
  checked('ptrace', ptraceBytes(GETSIGMASK, thread, 8, savedMask))
  const instruction = findInstruction(pid, memory)
  checked('ptrace', ptraceBytes(SETSIGMASK, thread, 8, ALL_BUT_TRAP))
  return {
    perform(name: SystemCall, args: readonly bigint[]): bigint {
      const registers = machine.forCall(savedRegisters, instruction, machine.numbers[name], args)
      checked('ptrace', ptraceVector(SETREGSET, thread, NT_PRSTATUS, vector(registers)))
      // Stops for other reasons have an event in the upper half.
      do checked('ptrace', ptrace(SINGLESTEP, thread, 0, 0))
      while (waitForStop(thread, CALL_TIMEOUT_MS) >> 8 !== SIGTRAP)
      checked('ptrace', ptraceVector(GETREGSET, thread, NT_PRSTATUS, vector(registers)))
      return machine.result(registers)
    },
    restore(): void {
      ptraceVector(SETREGSET, thread, NT_PRSTATUS, vector(savedRegisters))
      ptraceBytes(SETSIGMASK, thread, 8, savedMask)
    },
  }
}

type ControlledThread = ReturnType<typeof controlThread>

/** Allocates memory in the process for string arguments. */
const allocateScratch = (pid: number, { perform }: ControlledThread): bigint => {
  const READ_WRITE = 3n
  const PRIVATE_ANONYMOUS = 0x22n
  const scratch = perform('mmap', [0n, BigInt(SCRATCH_BYTES), READ_WRITE, PRIVATE_ANONYMOUS, -1n, 0n])
  if (scratch < 0n) throw new Error(`no memory could be allocated in process ${pid}`)
  return scratch
}

/** Stops a process. It must be resumed by this thread before the next turn of the event loop. */
export const createTracedProcess = (pid: number): TracedProcess => {
  const stopped = new Map<number, number>()
  const memory = openSync(`/proc/${pid}/mem`, 'r+')
  const detach = (): void => {
    for (const [thread, signal] of stopped) ptrace(DETACH, thread, 0, signal)
    closeSync(memory)
  }
  try {
    stopThreads(pid, stopped)
    const [first] = stopped.keys()
    if (first === undefined) throw new Error(`process ${pid} has ended`)
    const thread = controlThread(pid, first, memory)
    let scratch: bigint | undefined
    const toNumber = (argument: number | bigint | string): bigint => {
      if (typeof argument !== 'string') return BigInt(argument)
      scratch ??= allocateScratch(pid, thread)
      const bytes = Buffer.from(`${argument}\0`, 'latin1')
      writeSync(memory, bytes, 0, bytes.length, Number(scratch))
      return scratch
    }
    return {
      pid,
      call: (name, ...args) => thread.perform(name, args.map(toNumber)),
      resume() {
        try {
          if (scratch !== undefined) thread.perform('munmap', [scratch, BigInt(SCRATCH_BYTES)])
        } finally {
          thread.restore()
          detach()
        }
      },
    }
  } catch (error) {
    detach()
    throw error
  }
}
