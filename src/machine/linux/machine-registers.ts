/** The registers for system calls in a traced thread, on x64 and arm64. */

export interface MachineRegisters {
  /** The size of the general registers of PTRACE_GETREGSET in bytes. */
  readonly size: number
  /** The system call instruction. */
  readonly instruction: Buffer
  readonly alignment: number
  readonly numbers: Readonly<Record<SystemCall, number>>
  /** Returns a copy of `registers` that makes a call with the instruction at `address`. */
  forCall(registers: Buffer, address: bigint, number: number, args: readonly bigint[]): Buffer
  result(registers: Buffer): bigint
}

export type SystemCall =
  | 'openat'
  | 'lseek'
  | 'dup3'
  | 'close'
  | 'chdir'
  | 'mmap'
  | 'munmap'
  | 'flock'
  | 'fcntl'
  | 'pidfd_open'
  | 'pidfd_getfd'

/** Recent calls have the same number on all architectures. */
const RECENT_CALLS = { pidfd_open: 434, pidfd_getfd: 438 }

/** Indices in `struct user_regs_struct`, in words of eight bytes. */
const X64_INDEX = { result: 10, args: [14, 13, 12, 7, 9, 8], number: 15, instruction: 16 }

const x64: MachineRegisters = {
  size: 27 * 8,
  instruction: Buffer.from([0x0f, 0x05]),
  alignment: 1,
  numbers: {
    openat: 257,
    lseek: 8,
    dup3: 292,
    close: 3,
    chdir: 80,
    mmap: 9,
    munmap: 11,
    flock: 73,
    fcntl: 72,
    ...RECENT_CALLS,
  },
  forCall(registers, address, number, args) {
    const next = Buffer.from(registers)
    for (const [index, value] of args.entries()) next.writeBigInt64LE(value, X64_INDEX.args[index]! * 8)
    next.writeBigInt64LE(BigInt(number), X64_INDEX.result * 8)
    // Marks the thread as not in a call: otherwise the kernel would restart the interrupted call.
    next.writeBigInt64LE(-1n, X64_INDEX.number * 8)
    next.writeBigUInt64LE(address, X64_INDEX.instruction * 8)
    return next
  },
  result: (registers) => registers.readBigInt64LE(X64_INDEX.result * 8),
}

/** `struct user_pt_regs`: x0 to x30, sp, pc, pstate. */
const arm64: MachineRegisters = {
  size: 34 * 8,
  instruction: Buffer.from([0x01, 0x00, 0x00, 0xd4]),
  alignment: 4,
  numbers: {
    openat: 56,
    lseek: 62,
    dup3: 24,
    close: 57,
    chdir: 49,
    mmap: 222,
    munmap: 215,
    flock: 32,
    fcntl: 25,
    ...RECENT_CALLS,
  },
  forCall(registers, address, number, args) {
    const next = Buffer.from(registers)
    for (const [index, value] of args.entries()) next.writeBigInt64LE(value, index * 8)
    next.writeBigInt64LE(BigInt(number), 8 * 8)
    next.writeBigUInt64LE(address, 32 * 8)
    return next
  },
  result: (registers) => registers.readBigInt64LE(0),
}

/** Throws on other architectures. */
export const machineRegisters = (architecture: string = process.arch): MachineRegisters => {
  if (architecture === 'x64') return x64
  if (architecture === 'arm64') return arm64
  throw new Error(`system calls in traced processes are not supported on ${architecture}`)
}
