/**
 * Another process, stopped, that makes system calls on our behalf as if by its own will. Everything here happens
 * within one call of the event loop and on one thread: the kernel ties a traced process to the thread that
 * traces it, and lets it run on by itself should this process end.
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
const STOP_PATIENCE_MS = 500
const CALL_PATIENCE_MS = 10_000
const SCRATCH = 8192

/** Every signal is kept waiting but the trap by which a step ends. */
const ALL_BUT_TRAP = Buffer.alloc(8)
ALL_BUT_TRAP.writeBigUInt64LE(~(1n << BigInt(SIGTRAP - 1)) & 0xffff_ffff_ffff_ffffn)

const pause = new Int32Array(new SharedArrayBuffer(4))

/** The status of its next stop. Looks again and again, because a thread inside a stuck call never stops. */
const waitForStop = (thread: number, patienceMs: number): number => {
  const status: [number] = [0]
  for (let waited = 0; ; waited += 1) {
    if (checked('waitpid', libc.waitpid(thread, status, WNOHANG | WALL)) === thread) {
      if ((status[0] & 0x7f) !== 0x7f) throw new Error(`thread ${thread} has ended`)
      return status[0]
    }
    if (waited > patienceMs) throw new Error(`thread ${thread} does not stop`)
    // The first rounds spin: most stops take microseconds.
    if (waited > 20) Atomics.wait(pause, 0, 0, 1)
  }
}

/** Where the instruction that enters the kernel is found in the process. */
const findInstruction = (pid: number, memory: number): bigint => {
  const { instruction, alignment } = machineRegisters()
  const regions = readFileSync(`/proc/${pid}/maps`, 'latin1')
    .split('\n')
    .filter((line) => /^\S+ r-xp /.test(line))
    // The kernel's own page for programs is small and has it on all machines.
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
    let at = bytes.indexOf(instruction)
    while (at !== -1 && at % alignment !== 0) at = bytes.indexOf(instruction, at + 1)
    if (at !== -1) return start + BigInt(at)
  }
  throw new Error(`process ${pid} has no instruction for system calls`)
}

const threadsOf = (pid: number): number[] => readdirSync(`/proc/${pid}/task`).map(Number)

/** A thread that is over may be listed as long as the process lives. */
const hasEnded = (pid: number, thread: number): boolean => {
  try {
    return /^State:\t[ZX]/m.test(readFileSync(`/proc/${pid}/task/${thread}/status`, 'latin1'))
  } catch {
    return true
  }
}

/** The signal that it was about to get, which it must get in the end; 0 where there is none. */
const signalIn = (status: number): number => (status >> 16 === 0 ? (status >> 8) & 0xff : 0)

/** Stops every thread, those included that start meanwhile. `stopped` has the signal that each still has to get. */
const stopThreads = (pid: number, stopped: Map<number, number>): void => {
  const ended = new Set<number>()
  for (;;) {
    const fresh = threadsOf(pid).filter((thread) => !stopped.has(thread) && !ended.has(thread))
    if (fresh.length === 0) return
    for (const thread of fresh)
      try {
        checked('ptrace', ptrace(SEIZE, thread, 0, 0))
        stopped.set(thread, 0)
        checked('ptrace', ptrace(INTERRUPT, thread, 0, 0))
        stopped.set(thread, signalIn(waitForStop(thread, STOP_PATIENCE_MS)))
      } catch (error) {
        if (!hasEnded(pid, thread)) throw error
        stopped.delete(thread)
        ended.add(thread)
      }
  }
}

export interface TracedProcess {
  readonly pid: number
  /** Answers what the call answered: -errno when it failed. At most six numbers, or bytes that end with a zero. */
  call(name: SystemCall, ...args: readonly (number | bigint | string)[]): bigint
  /** Lets it go on as if nothing had been. */
  resume(): void
}

const vector = (base: Buffer) => ({ base, length: base.length })

/** One thread that does what it is told, and forgets it in the end. */
const takeThread = (pid: number, thread: number, memory: number) => {
  const machine = machineRegisters()
  const before = Buffer.alloc(machine.size)
  checked('ptrace', ptraceVector(GETREGSET, thread, NT_PRSTATUS, vector(before)))
  const signals = Buffer.alloc(8)
  checked('ptrace', ptraceBytes(GETSIGMASK, thread, 8, signals))
  const instruction = findInstruction(pid, memory)
  checked('ptrace', ptraceBytes(SETSIGMASK, thread, 8, ALL_BUT_TRAP))
  return {
    perform(name: SystemCall, args: readonly bigint[]): bigint {
      const registers = machine.forCall(before, instruction, machine.numbers[name], args)
      checked('ptrace', ptraceVector(SETREGSET, thread, NT_PRSTATUS, vector(registers)))
      // A stop for another reason than the end of the step has an event in its upper half.
      do checked('ptrace', ptrace(SINGLESTEP, thread, 0, 0))
      while (waitForStop(thread, CALL_PATIENCE_MS) >> 8 !== SIGTRAP)
      checked('ptrace', ptraceVector(GETREGSET, thread, NT_PRSTATUS, vector(registers)))
      return machine.result(registers)
    },
    restore(): void {
      ptraceVector(SETREGSET, thread, NT_PRSTATUS, vector(before))
      ptraceBytes(SETSIGMASK, thread, 8, signals)
    },
  }
}

type TakenThread = ReturnType<typeof takeThread>

/** Room in the process's memory for the texts of calls. */
const takeScratch = (pid: number, { perform }: TakenThread): bigint => {
  const READ_WRITE = 3n
  const PRIVATE_ANONYMOUS = 0x22n
  const scratch = perform('mmap', [0n, BigInt(SCRATCH), READ_WRITE, PRIVATE_ANONYMOUS, -1n, 0n])
  if (scratch < 0n) throw new Error(`process ${pid} has no memory to spare`)
  return scratch
}

/** Stops a process. It must be resumed by this thread, and before the next turn of the event loop. */
export const createTracedProcess = (pid: number): TracedProcess => {
  const stopped = new Map<number, number>()
  const memory = openSync(`/proc/${pid}/mem`, 'r+')
  const letGo = (): void => {
    for (const [thread, signal] of stopped) ptrace(DETACH, thread, 0, signal)
    closeSync(memory)
  }
  try {
    stopThreads(pid, stopped)
    const [first] = stopped.keys()
    if (first === undefined) throw new Error(`process ${pid} has ended`)
    const thread = takeThread(pid, first, memory)
    let scratch: bigint | undefined
    const toNumber = (argument: number | bigint | string): bigint => {
      if (typeof argument !== 'string') return BigInt(argument)
      scratch ??= takeScratch(pid, thread)
      const bytes = Buffer.from(`${argument}\0`, 'latin1')
      writeSync(memory, bytes, 0, bytes.length, Number(scratch))
      return scratch
    }
    return {
      pid,
      call: (name, ...args) => thread.perform(name, args.map(toNumber)),
      resume() {
        try {
          if (scratch !== undefined) thread.perform('munmap', [scratch, BigInt(SCRATCH)])
        } finally {
          thread.restore()
          letGo()
        }
      },
    }
  } catch (error) {
    letGo()
    throw error
  }
}
