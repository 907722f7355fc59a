/** Shifts the clocks of one process by patching the vDSO in its memory, and restores them. */
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import type { Clock } from '#kit'
import { type ClockRoutines, TABLE_BYTES } from './clock-routines.ts'
import { whilePaused } from './paused-process.ts'
import { type VdsoImage, vdsoBase } from './vdso-image.ts'

/** The patch of one vDSO function. */
interface Patch {
  readonly offset: number
  readonly original: Buffer
  readonly jump: Buffer
}

export interface ProcessShifter {
  /** Applies the table to the process; undefined restores its clocks. Does nothing if the process has ended. */
  shift(pid: number, table: Buffer | undefined): Promise<void>
}

const toPatches = (
  { bytes, symbols, freeAt }: VdsoImage,
  { entries, jump }: ClockRoutines,
): readonly Patch[] =>
  Object.entries(entries).flatMap(([symbol, routine]) => {
    const offset = symbols.get(symbol)
    if (offset === undefined) return []
    const code = jump(freeAt + routine - offset)
    return [{ offset, jump: code, original: Buffer.from(bytes.subarray(offset, offset + code.length)) }]
  })

const readAt = (memory: number, position: number, length: number): Buffer => {
  const bytes = Buffer.alloc(length)
  readSync(memory, bytes, 0, length, position)
  return bytes
}

const writeAt = (memory: number, bytes: Buffer, position: number): void => {
  writeSync(memory, bytes, 0, bytes.length, position)
}

export const createProcessShifter = (
  image: VdsoImage,
  routines: ClockRoutines,
  clock: Clock,
): ProcessShifter => {
  const patches = toPatches(image, routines)
  const { freeAt } = image
  const tableAt = freeAt + routines.code.length
  if (patches.length === 0 || tableAt + TABLE_BYTES > image.bytes.length)
    throw new Error('the vDSO of this kernel has no room for time faults')

  const shiftMemory = async (pid: number, memory: number, base: number, table: Buffer | undefined) => {
    const entries = patches.map(({ offset, jump }) => readAt(memory, base + offset, jump.length))
    const isOriginal = entries.every((bytes, index) => bytes.equals(patches[index]!.original))
    const isShifted = entries.every((bytes, index) => bytes.equals(patches[index]!.jump))
    // The process has a different vDSO, for example because it is a 32-bit program.
    if (!isOriginal && !isShifted) return
    if (
      table === undefined
        ? isOriginal
        : isShifted && readAt(memory, base + tableAt, TABLE_BYTES).equals(table)
    )
      return
    const ranges = patches.map(({ offset, jump }) => ({
      from: base + offset + 1,
      to: base + offset + jump.length,
    }))
    await whilePaused(pid, ranges, clock, () => {
      // The process may have executed another program before it was stopped.
      if (vdsoBase(pid) !== base) return
      // The routines are never removed, because a thread may have stopped inside them.
      if (table !== undefined) writeAt(memory, routines.code, base + freeAt)
      writeAt(memory, table ?? Buffer.alloc(TABLE_BYTES), base + tableAt)
      for (const { offset, jump, original } of patches)
        writeAt(memory, table === undefined ? original : jump, base + offset)
    })
  }

  return {
    async shift(pid, table) {
      const base = vdsoBase(pid)
      if (base === undefined) return
      let memory: number
      try {
        memory = openSync(`/proc/${pid}/mem`, 'r+')
      } catch {
        return
      }
      try {
        await shiftMemory(pid, memory, base, table)
      } catch (error) {
        // Ignores errors of a process that has ended.
        if (vdsoBase(pid) === base) throw error
      } finally {
        closeSync(memory)
      }
    },
  }
}
