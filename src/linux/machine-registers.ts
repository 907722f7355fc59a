/** The registers by which a traced thread is made to do a system call, for both kinds of machines. */

export interface MachineRegisters {
  /** Bytes of the general registers, as PTRACE_GETREGSET gives them. */
  readonly size: number
  /** The instruction that enters the kernel. */
  readonly instruction: Buffer
  readonly alignment: number
  readonly numbers: Readonly<Record<SystemCall, number>>
  /** A copy of `registers` that is about to make a call with the instruction at `address`. */
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

/** Of the youngest calls, the same on all machines. */
const YOUNG = { pidfd_open: 434, pidfd_getfd: 438 }

/** Places of `struct user_regs_struct`, in words of eight bytes. */
const X64 = { result: 10, args: [14, 13, 12, 7, 9, 8], number: 15, instruction: 16 }

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
    ...YOUNG,
  },
  forCall(registers, address, number, args) {
    const made = Buffer.from(registers)
    for (const [index, value] of args.entries()) made.writeBigInt64LE(value, X64.args[index]! * 8)
    made.writeBigInt64LE(BigInt(number), X64.result * 8)
    // Not in a call: else the kernel would take up the interrupted one again.
    made.writeBigInt64LE(-1n, X64.number * 8)
    made.writeBigUInt64LE(address, X64.instruction * 8)
    return made
  },
  result: (registers) => registers.readBigInt64LE(X64.result * 8),
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
    ...YOUNG,
  },
  forCall(registers, address, number, args) {
    const made = Buffer.from(registers)
    for (const [index, value] of args.entries()) made.writeBigInt64LE(value, index * 8)
    made.writeBigInt64LE(BigInt(number), 8 * 8)
    made.writeBigUInt64LE(address, 32 * 8)
    return made
  },
  result: (registers) => registers.readBigInt64LE(0),
}

/** Throws on a machine that is neither. */
export const machineRegisters = (architecture: string = process.arch): MachineRegisters => {
  if (architecture === 'x64') return x64
  if (architecture === 'arm64') return arm64
  throw new Error(`system calls cannot be made in other processes on ${architecture}`)
}
