/**
 * Machine code that reads the clocks by system calls and adds offsets. It is written to the unused end of a process's
 * vDSO, followed by the table of offsets, and the functions of the vDSO jump to it.
 */

/** Clocks with this or a higher number are not shifted. */
export const CLOCK_COUNT = 16
/** Seconds and nanoseconds for each clock, then seconds and microseconds for gettimeofday. */
export const TABLE_BYTES = (CLOCK_COUNT + 1) * 16

export interface ClockRoutines {
  readonly code: Buffer
  /** The offset of each routine in the code, by the vDSO symbol that it replaces. */
  readonly entries: Readonly<Record<string, number>>
  /** Returns a jump to the address that is `distance` bytes after the start of the jump. */
  jump(distance: number): Buffer
}

/** Parses lines of hexadecimal bytes; the instructions after the bar are comments. */
const assemble = (lines: string): Buffer =>
  Buffer.from(
    lines
      .split('\n')
      .map((line) => line.split('|')[0]!.replaceAll(' ', ''))
      .join(''),
    'hex',
  )

/** The clock's number is in edi, the address of the timespec in rsi. System calls clobber only rax, rcx and r11. */
const X64_CODE = assemble(`
  b8 e4 00 00 00        | clock_gettime: mov eax, 228
  0f 05                 | syscall
  85 c0 75 3c           | test eax, eax; jnz out
  83 ff 10 73 37        | cmp edi, 16; jae out
  89 fa c1 e2 04        | mov edx, edi; shl edx, 4
  48 8d 0d a4 00 00 00  | lea rcx, [table]
  48 01 d1              | add rcx, rdx
  48 8b 11 4c 8b 41 08  | mov rdx, [rcx]; mov r8, [rcx + 8]
  48 03 16 4c 03 46 08  | add rdx, [rsi]; add r8, [rsi + 8]
  49 81 f8 00 ca 9a 3b  | cmp r8, 1000000000
  7c 0a                 | jl store
  49 81 e8 00 ca 9a 3b  | sub r8, 1000000000
  48 ff c2              | inc rdx
  48 89 16 4c 89 46 08  | store: mov [rsi], rdx; mov [rsi + 8], r8
  c3                    | out: ret
  cc cc cc cc cc cc cc cc
  b8 60 00 00 00        | gettimeofday: mov eax, 96
  0f 05                 | syscall
  85 c0 75 34           | test eax, eax; jnz out
  48 85 ff 74 2f        | test rdi, rdi; jz out
  48 8b 15 59 01 00 00  | mov rdx, [table + 256]
  4c 8b 05 5a 01 00 00  | mov r8, [table + 264]
  48 03 17 4c 03 47 08  | add rdx, [rdi]; add r8, [rdi + 8]
  49 81 f8 40 42 0f 00  | cmp r8, 1000000
  7c 0a                 | jl store
  49 81 e8 40 42 0f 00  | sub r8, 1000000
  48 ff c2              | inc rdx
  48 89 17 4c 89 47 08  | store: mov [rdi], rdx; mov [rdi + 8], r8
  c3                    | out: ret
  49 89 f9 48 83 ec 18  | time: mov r9, rdi; sub rsp, 24
  31 ff 48 89 e6        | xor edi, edi; mov rsi, rsp
  e8 5f ff ff ff        | call clock_gettime
  48 8b 04 24           | mov rax, [rsp]
  48 83 c4 18           | add rsp, 24
  4d 85 c9 74 03        | test r9, r9; jz out
  49 89 01 c3           | mov [r9], rax; out: ret
  cc cc cc cc cc cc cc cc cc cc cc cc cc cc`)

/** The clock's number is in w0, the address of the timespec in x1. System calls clobber only x0. */
const ARM64_CODE = assemble(`
  e9 03 00 2a 28 0e 80 d2  | clock_gettime: mov w9, w0; mov x8, #113
  01 00 00 d4 00 02 00 b5  | svc #0; cbnz x0, out
  3f 41 00 71 c2 01 00 54  | cmp w9, #16; b.hs out
  4a 04 00 10 4a 51 29 8b  | adr x10, table; add x10, x10, w9, uxtw #4
  4b 31 40 a9 2d 38 40 a9  | ldp x11, x12, [x10]; ldp x13, x14, [x1]
  6b 01 0d 8b 8c 01 0e 8b  | add x11, x11, x13; add x12, x12, x14
  0f 40 99 52 4f 73 a7 72  | mov w15, #0xca00; movk w15, #0x3b9a, lsl #16: 1000000000
  9f 01 0f eb 6b 00 00 54  | cmp x12, x15; b.lt store
  8c 01 0f cb 6b 05 00 91  | sub x12, x12, x15; add x11, x11, #1
  2b 30 00 a9 c0 03 5f d6  | store: stp x11, x12, [x1]; out: ret
  e9 03 00 aa 28 15 80 d2  | gettimeofday: mov x9, x0; mov x8, #169
  01 00 00 d4 c0 01 00 b5  | svc #0; cbnz x0, out
  a9 01 00 b4 ea 09 00 10  | cbz x9, out; adr x10, table + 256
  4b 31 40 a9 2d 39 40 a9  | ldp x11, x12, [x10]; ldp x13, x14, [x9]
  6b 01 0d 8b 8c 01 0e 8b  | add x11, x11, x13; add x12, x12, x14
  0f 48 88 52 ef 01 a0 72  | mov w15, #0x4240; movk w15, #0xf, lsl #16: 1000000
  9f 01 0f eb 6b 00 00 54  | cmp x12, x15; b.lt store
  8c 01 0f cb 6b 05 00 91  | sub x12, x12, x15; add x11, x11, #1
  2b 31 00 a9 c0 03 5f d6  | store: stp x11, x12, [x9]; out: ret
  1f 20 03 d5 1f 20 03 d5  | nop; nop`)

const x64: ClockRoutines = {
  code: X64_CODE,
  entries: { __vdso_clock_gettime: 0, __vdso_gettimeofday: 0x50, __vdso_time: 0x90 },
  jump(distance) {
    const bytes = Buffer.from([0xe9, 0, 0, 0, 0])
    bytes.writeInt32LE(distance - bytes.length, 1)
    return bytes
  },
}

const arm64: ClockRoutines = {
  code: ARM64_CODE,
  entries: { __kernel_clock_gettime: 0, __kernel_gettimeofday: 0x50 },
  jump(distance) {
    // A guarded page may only be entered at a `bti c` instruction.
    const bytes = Buffer.alloc(8)
    bytes.writeUInt32LE(0xd503245f, 0)
    bytes.writeUInt32LE(0x14000000 | (((distance - 4) >> 2) & 0x03ffffff), 4)
    return bytes
  },
}

const BY_ARCHITECTURE: Readonly<Record<string, ClockRoutines>> = { x64, arm64 }

export const routinesFor = (architecture: string): ClockRoutines => {
  const routines = BY_ARCHITECTURE[architecture]
  if (routines === undefined) throw new Error(`time faults do not support the architecture ${architecture}`)
  return routines
}

const NANO = 1_000_000_000n

/** Encodes offsets in nanoseconds by clock number. Fractions are never negative. */
export const toOffsetTable = (offsets: ReadonlyMap<number, bigint>): Buffer => {
  const table = Buffer.alloc(TABLE_BYTES)
  const write = (row: number, offset: bigint, unit: bigint): void => {
    const fraction = ((offset % NANO) + NANO) % NANO
    table.writeBigInt64LE((offset - fraction) / NANO, row * 16)
    table.writeBigInt64LE(fraction / unit, row * 16 + 8)
  }
  for (const [clock, offset] of offsets) if (clock < CLOCK_COUNT) write(clock, offset, 1n)
  write(CLOCK_COUNT, offsets.get(0) ?? 0n, 1000n)
  return table
}
