/** Tests the output of a process. */
import { spawnSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createOutput } from './output.ts'

const folder = mkdtempSync(join(tmpdir(), 'output-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('createOutput', () => {
  let pipes = 0

  /** Creates a pipe that is read only when the test reads it. */
  const createPipe = (): { reader: number; writer: number } => {
    const path = join(folder, `pipe-${pipes++}`)
    spawnSync('mkfifo', [path])
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    return { reader, writer: openSync(path, constants.O_WRONLY) }
  }

  const readAll = (reader: number): Buffer => {
    const bytes = Buffer.alloc(1024 * 1024)
    try {
      return Buffer.from(bytes.subarray(0, readSync(reader, bytes)))
    } catch {
      return Buffer.alloc(0)
    }
  }

  it('does not block on a slow reader: it buffers lines, and drops whole lines over the limit', async () => {
    const { reader, writer } = createPipe()
    const output = createOutput(writer)
    const line = `${'é'.repeat(499)}\n`
    for (let count = 0; count < 3000; count += 1) output.write(line)
    expect(output.dropped).toBeGreaterThan(0)
    const writtenCount = 3000 - output.dropped
    let received = Buffer.alloc(0)
    await expect
      .poll(() => {
        received = Buffer.concat([received, readAll(reader)])
        return received.length
      })
      .toBe(writtenCount * Buffer.byteLength(line))
    expect(new Set(received.toString().split('\n'))).toEqual(new Set([line.trimEnd(), '']))
    closeSync(reader)
    closeSync(writer)
  })

  it('keeps running when the reader closes the pipe', () => {
    const { reader, writer } = createPipe()
    const output = createOutput(writer)
    closeSync(reader)
    output.write('one\n')
    output.write('two\n')
    expect(output.dropped).toBe(1)
    closeSync(writer)
  })
})
