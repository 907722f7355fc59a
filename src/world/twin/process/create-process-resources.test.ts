/** Tests the resources of a real process. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, describe, expect, it } from 'vitest'
import { createProcessResources } from './create-process-resources.ts'

const folder = mkdtempSync(join(tmpdir(), 'resources-'))
afterAll(() => rmSync(folder, { recursive: true }))

const { time, cpu, memory, files, random } = createProcessResources()

describe('the CPU of a process', () => {
  it('uses the requested time on the only thread before the call returns', async () => {
    const threadBefore = process.threadCpuUsage()
    const usedBefore = cpu.usedMs()
    const using = cpu.use(20)
    const { user, system } = process.threadCpuUsage(threadBefore)
    expect((user + system) / 1000).toBeGreaterThanOrEqual(20)
    expect(cpu.usedMs() - usedBefore).toBeGreaterThanOrEqual(20)
    await expect(using).resolves.toBeUndefined()
  })
})

describe('the memory of a process', () => {
  const collectGarbage = (): void => {
    setFlagsFromString('--expose-gc')
    runInNewContext('gc')()
    setFlagsFromString('--no-expose-gc')
  }

  it('is resident until it is freed', async () => {
    const size = 64 * 1024 * 1024
    const countBytes = (): number => {
      collectGarbage()
      return process.memoryUsage().arrayBuffers
    }
    const buffersBefore = countBytes()
    const release = memory.allocate(size)!
    // Not compared with an earlier value: other tests in this process free memory in the background.
    expect(memory.usedBytes()).toBeGreaterThan(size)
    expect(countBytes() - buffersBefore).toBeGreaterThan(size / 2)
    release()
    // Buffers are freed in the background after a collection.
    await expect.poll(countBytes).toBeLessThan(buffersBefore + size / 2)
  })

  it('has a limit, or 0 if there is none', () => {
    expect(memory.limitBytes).toBeGreaterThanOrEqual(0)
    expect(memory.limitBytes).toBeLessThan(Number.MAX_SAFE_INTEGER)
  })
})

describe('the files of a process', () => {
  const write = async (path: string, mode: 'update' | 'replace' | 'append', text: string, position = 0) => {
    const file = await files.open(path, mode)
    const written = await file.write(Buffer.from(text), position)
    await file.sync()
    await file.close()
    return written
  }

  it('are replaced, updated and appended to', async () => {
    files.makeFolder(join(folder, 'a', 'b'))
    const path = join(folder, 'a', 'b', 'file')
    expect(files.exists(path)).toBe(false)
    expect(await write(path, 'replace', '0123456789')).toBe(10)
    await write(path, 'update', 'xy', 2)
    await write(path, 'append', '!', 0)
    expect(Buffer.from(files.read(path)).toString()).toBe('01xy456789!')
    const file = await files.open(path, 'update')
    await file.truncate(4)
    await file.close()
    expect(readFileSync(path, 'utf8')).toBe('01xy')
    await files.rename(path, `${path}.new`)
    expect([files.exists(path), files.exists(`${path}.new`)]).toEqual([false, true])
    await files.remove(`${path}.new`)
    await files.remove(`${path}.new`)
    expect(files.exists(`${path}.new`)).toBe(false)
  })

  it('have the error codes of the operating system', async () => {
    const missing = join(folder, 'missing')
    expect(() => files.read(missing)).toThrow(expect.objectContaining({ code: 'ENOENT' }))
    await expect(files.open(missing, 'update')).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(write('/dev/full', 'append', 'no room')).rejects.toMatchObject({ code: 'ENOSPC' })
  })
})

describe('the time and randomness of a process', () => {
  it('call a task once unless it is cancelled', async () => {
    const calls: string[] = []
    const startedAt = time.monotonic()
    const cancel = time.after(1, () => calls.push('cancelled'))
    cancel()
    await new Promise<void>((resolve) => {
      time.after(20, () => {
        calls.push('called')
        resolve()
      })
    })
    expect(calls).toEqual(['called'])
    expect(time.monotonic() - startedAt).toBeGreaterThan(18)
    expect(Math.abs(time.now() - time.monotonic())).toBeLessThan(60_000)
  })

  it('draw numbers and bytes', () => {
    const numbers = Array.from({ length: 50 }, () => random.next())
    expect(new Set(numbers).size).toBe(50)
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true)
    expect(random.bytes(16)).toHaveLength(16)
  })
})
