/** Tests which changes of files count as overwritten: none that programs make themselves. */
import { expect, it } from 'vitest'
import type { FileState } from '#spec'
import { createFakeLab } from '../testing/fake-lab.ts'
import { findOverwritten } from './find-overwritten.ts'

const KIB = 1024
const state = (change: Partial<FileState> = {}): FileState => {
  const size = change.size ?? 40 * KIB
  return { inode: 1, size, allocatedBytes: size, mode: 0o100644, modifiedAt: 1, isOpen: true, ...change }
}

/** Whether a file in these states before the solver counts as overwritten if it is `now` in this state. */
const isOverwritten = (before: readonly FileState[], now: FileState): boolean => {
  const { log } = createFakeLab()
  const find = (fileState: FileState): readonly string[] =>
    findOverwritten(log, {
      ...{ id: 'c', name: 'main', processes: [], deletedFiles: [], usedBytes: 0 },
      ...{ files: ['/data/log'], fileStates: [fileState] },
    })
  for (const fileState of before) expect(find(fileState)).toEqual([])
  log.add({ type: 'solver-started' })
  return find(now).length > 0
}

const IDLE = [state(), state()]
const GROWING = [state(), state({ size: 50 * KIB, modifiedAt: 2 })]

it.each<[string, readonly FileState[], FileState]>([
  ['an idle file with another content', IDLE, state({ size: 2, modifiedAt: 3 })],
  ['an idle file that lost most of its content', IDLE, state({ size: 10 * KIB, modifiedAt: 3 })],
  ['a file with other permissions', GROWING, state({ size: 60 * KIB, mode: 0o100000 })],
  ['a file with another owner', GROWING, state({ size: 60 * KIB, owner: '7:8' })],
  ['a growing file with another content', GROWING, state({ size: 2, modifiedAt: 3 })],
  [
    'a cleared file that its program has extended',
    GROWING,
    state({ size: 60 * KIB, allocatedBytes: 8 * KIB, modifiedAt: 3 }),
  ],
  ['a file in place of an idle one', IDLE, state({ inode: 2, size: 2, isOpen: false })],
])('%s is overwritten', (_, before, now) => {
  expect(isOverwritten(before, now)).toBe(true)
})

it.each<[string, readonly FileState[], FileState]>([
  ['a file without changes', IDLE, state()],
  ['a file to which users add', IDLE, state({ size: 90 * KIB, modifiedAt: 3 })],
  ['a log that its program has emptied', GROWING, state({ size: KIB, modifiedAt: 3 })],
  ['a file that its store has compacted', GROWING, state({ inode: 2, size: KIB, modifiedAt: 3 })],
  ['an idle file that its store has compacted', IDLE, state({ inode: 2, size: KIB, modifiedAt: 3 })],
  ['a log that was seen once', [state()], state({ size: KIB, modifiedAt: 3 })],
  ['a file with the id of a process', [state({ size: 5 }), state({ size: 5 })], state({ size: 2 })],
  ['a new file', [], state()],
])('%s is not', (_, before, now) => {
  expect(isOverwritten(before, now)).toBe(false)
})
