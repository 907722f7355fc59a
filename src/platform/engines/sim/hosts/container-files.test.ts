/** Tests the files of a simulated container: volumes, and faults on them. */
import { describe, expect, it } from 'vitest'
import { createRandom, createVirtualClock, runVirtually, sleep } from '#kit'
import type { IoRule } from '#platform/kube/io-effects'
import { createContainerFiles } from './container-files.ts'
import { createVolume, replaceFiles, usedBytesOf } from './volume.ts'

const KIB = 1024
const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const createTestFiles = () => {
  const clock = createVirtualClock()
  const volumes = {
    root: createVolume({ kind: 'disk', folders: ['/tmp'] }),
    data: createVolume({ kind: 'disk' }),
    memory: createVolume({ kind: 'memory', capacityBytes: 8 * KIB }),
    config: createVolume({ kind: 'objects', files: [{ path: 'key', content: () => toBytes('value') }] }),
  }
  const create = () =>
    createContainerFiles({
      clock,
      random: createRandom('files'),
      mounts: [
        { path: '/', volume: volumes.root },
        { path: '/data', volume: volumes.data },
        { path: '/memory', volume: volumes.memory },
        { path: '/config', volume: volumes.config },
        { path: '/seed', volume: volumes.data, readOnly: true },
      ],
    })
  const files = create()
  /** Resolves to the duration of the work, and the code of its error. */
  const measure = async (work: () => Promise<unknown>): Promise<[ms: number, code: unknown]> => {
    const start = clock.now()
    const code = await work().then(
      () => 'ok',
      (error) => error.code,
    )
    return [Math.round(clock.now() - start), code]
  }
  const run = (work: () => Promise<void>): Promise<void> => runVirtually(clock, work)
  return { clock, volumes, create, files, measure, run }
}

const latency = (delayMs: number, rest: Partial<IoRule> = {}): IoRule => ({
  volumePath: '/data',
  percent: 100,
  effect: { kind: 'latency', delayMs },
  ...rest,
})

const failure = (errno: number, rest: Partial<IoRule> = {}): IoRule => ({
  ...latency(0, rest),
  effect: { kind: 'error', errno },
})

describe('a full volume', () => {
  it('accepts part of a write, and then nothing, until space is freed', async () => {
    const { files, volumes, measure, run } = createTestFiles()
    await run(async () => {
      const journal = await files.open('/memory/appendonly.aof', 'append')
      expect(await journal.write(new Uint8Array(100), 0)).toBe(100)
      const dump = await files.open('/memory/temp-1.rdb', 'replace')
      expect(await dump.write(new Uint8Array(KIB * KIB), 0)).toBe(4 * KIB)
      expect(await measure(() => dump.write(new Uint8Array(1), 4 * KIB))).toEqual([0, 'ENOSPC'])
      await expect(journal.write(new Uint8Array(4 * KIB), 0)).resolves.toBe(4 * KIB - 100)
      await expect(journal.write(new Uint8Array(1), 0)).rejects.toThrow(
        'ENOSPC: no space left on device, write',
      )
      expect(usedBytesOf(volumes.memory)).toBe(8 * KIB)
      await files.remove('/memory/temp-1.rdb')
      expect(await measure(() => journal.write(new Uint8Array(1), 0))).toEqual([0, 'ENOSPC'])
      await dump.close()
      expect(await measure(() => journal.write(new Uint8Array(1), 0))).toEqual([0, 'ok'])
    })
  })
})

describe('mounts', () => {
  it('keep files for the next container, and free unlinked files', async () => {
    const { files, volumes, create, run } = createTestFiles()
    await run(async () => {
      const file = await files.open('/data/kept', 'append')
      await file.write(toBytes('text'), 0)
      const removed = await files.open('/data/removed', 'append')
      await removed.write(toBytes('text'), 0)
      await files.remove('/data/removed')
      expect(usedBytesOf(volumes.data)).toBe(8 * KIB)
      files.close()
      expect(usedBytesOf(volumes.data)).toBe(4 * KIB)
      expect(create().read('/data/kept')).toEqual(toBytes('text'))
    })
  })

  it('reject changes if they are read-only, and moves to other mounts', async () => {
    const { files, volumes, measure, run } = createTestFiles()
    await run(async () => {
      await files.open('/data/file', 'append')
      expect(files.read('/seed/file')).toEqual(toBytes(''))
      for (const path of ['/config/key', '/seed/file', '/seed/new'])
        expect(await measure(() => files.open(path, 'append'))).toEqual([0, 'EROFS'])
      expect(await measure(() => files.open('/seed/missing', 'update'))).toEqual([0, 'ENOENT'])
      expect(await measure(() => files.remove('/config/key'))).toEqual([0, 'EROFS'])
      expect(await measure(() => files.rename('/config/key', '/config/other'))).toEqual([0, 'EROFS'])
      expect(await measure(() => files.rename('/data/file', '/tmp/file'))).toEqual([0, 'EXDEV'])
      expect(() => files.makeFolder('/config/folder')).toThrow('EROFS')
      files.makeFolder('/config')
      replaceFiles(volumes.config, [{ path: 'other', content: () => toBytes('new') }])
      expect(files.exists('/config/key')).toBe(false)
      expect(files.read('/config/other')).toEqual(toBytes('new'))
    })
  })
})

describe('latency', () => {
  it('delays the selected methods, like a volume with few writes per second', async () => {
    const { files, measure, run } = createTestFiles()
    await run(async () => {
      const file = await files.open('/data/wal', 'append')
      files.addFault(latency(2000, { methods: ['write', 'fsync', 'flush'] }))
      expect(await measure(() => file.write(toBytes('record'), 0))).toEqual([2000, 'ok'])
      expect(await measure(() => file.sync())).toEqual([2000, 'ok'])
      expect(await measure(() => file.truncate(0))).toEqual([0, 'ok'])
      expect(await measure(() => files.rename('/data/wal', '/data/new'))).toEqual([0, 'ok'])
      expect(await measure(() => file.close())).toEqual([2000, 'ok'])
      expect(await measure(() => files.open('/tmp/other', 'append'))).toEqual([0, 'ok'])
      expect(files.read('/data/new')).toEqual(toBytes(''))
    })
  })

  it('delays each request of an operation on matching paths', async () => {
    const { files, measure, run } = createTestFiles()
    await run(async () => {
      files.makeFolder('/data/deep')
      const file = await files.open('/data/deep/old', 'append')
      files.addFault(latency(100, { path: '/data/deep/**/*' }))
      // Looks up the file and opens or creates it; the folder does not match.
      expect(await measure(() => files.open('/data/deep/old', 'append'))).toEqual([200, 'ok'])
      expect(await measure(() => files.open('/data/deep/new', 'append'))).toEqual([200, 'ok'])
      expect(await measure(() => files.open('/data/missing', 'update'))).toEqual([0, 'ENOENT'])
      // Looks up both names and renames.
      expect(await measure(() => files.rename('/data/deep/old', '/data/deep/older'))).toEqual([300, 'ok'])
      expect(await measure(() => file.write(toBytes('x'), 0))).toEqual([100, 'ok'])
      expect(await measure(() => files.rename('/data/deep/older', '/data/outside'))).toEqual([200, 'ok'])
      expect(await measure(() => file.write(toBytes('x'), 0))).toEqual([0, 'ok'])
    })
  })

  it('delays a share of the requests, independently of each other', async () => {
    const { files, clock, measure, run } = createTestFiles()
    await run(async () => {
      const file = await files.open('/data/log', 'append')
      files.addFault(latency(5000, { percent: 50 }))
      const start = clock.now()
      const writes = await Promise.all(
        Array.from({ length: 400 }, () => measure(() => file.write(toBytes('line\n'), 0))),
      )
      expect(clock.now() - start).toBe(5000)
      const slow = writes.filter(([ms]) => ms === 5000).length
      expect(writes.every(([ms]) => ms === 0 || ms === 5000)).toBe(true)
      // By chance, the count is outside these bounds once in 10^6 runs.
      expect(slow).toBeGreaterThan(150)
      expect(slow).toBeLessThan(250)
      expect(files.read('/data/log')).toHaveLength(2000)
    })
  })

  it('releases waiting requests when the fault is removed, but not those of another fault', async () => {
    const { files, clock, measure, run } = createTestFiles()
    await run(async () => {
      const file = await files.open('/data/log', 'append')
      const remove = files.addFault(latency(50_000, { methods: ['write'] }))
      files.addFault(latency(7000, { methods: ['fsync'] }))
      const [write, sync] = [measure(() => file.write(toBytes('x'), 0)), measure(() => file.sync())]
      await sleep(clock, 1000)
      remove()
      remove()
      expect(await write).toEqual([1000, 'ok'])
      expect(await sync).toEqual([7000, 'ok'])
      expect(await measure(() => file.write(toBytes('x'), 0))).toEqual([0, 'ok'])
    })
  })
})

describe('other faults', () => {
  it('make requests fail, after their delay', async () => {
    const { files, measure, run } = createTestFiles()
    await run(async () => {
      const file = await files.open('/data/file', 'append')
      const removes = [
        files.addFault(failure(28, { methods: ['write'] })),
        files.addFault(latency(300, { methods: ['write'] })),
      ]
      expect(await measure(() => file.write(toBytes('x'), 0))).toEqual([300, 'ENOSPC'])
      for (const remove of removes) remove()
      const remove = files.addFault(failure(5))
      await expect(files.open('/data/file', 'update')).rejects.toThrow("EIO: i/o error, open '/data/file'")
      expect(() => files.read('/data/file')).toThrow('EIO')
      expect(() => files.makeFolder('/data/folder')).toThrow('EIO')
      expect(files.exists('/data/file')).toBe(false)
      expect(files.exists('/data')).toBe(true)
      expect(await measure(() => file.close())).toEqual([0, 'EIO'])
      expect(await measure(() => file.sync())).toEqual([0, 'EBADF'])
      remove()
      expect(files.read('/data/file')).toEqual(toBytes(''))
    })
  })

  it('change data that is written or read', async () => {
    const { files, run } = createTestFiles()
    await run(async () => {
      const bytes = new Uint8Array(64).fill(1)
      const effect = { kind: 'mistake', filling: 'zero', maxOccurrences: 1, maxLength: 4 } as const
      const file = await files.open('/data/file', 'replace')
      const remove = files.addFault({ ...latency(0, { methods: ['write'] }), effect })
      await file.write(bytes, 0)
      remove()
      expect(bytes).toEqual(new Uint8Array(64).fill(1))
      expect(files.read('/data/file')).toContain(0)
      await file.write(bytes, 0)
      files.addFault({ ...latency(0, { methods: ['read'] }), effect })
      expect(files.read('/data/file')).toContain(0)
    })
  })

  it('are rejected if there is no such folder, the pattern is invalid, or faults overlap', () => {
    const { files } = createTestFiles()
    expect(() => files.addFault(latency(1, { volumePath: '/nowhere' }))).toThrow('ENOENT')
    expect(() => files.addFault(latency(1, { path: '/data/[z-a]' }))).toThrow('not a valid path pattern')
    const remove = files.addFault(latency(1, { volumePath: '/data/' }))
    expect(() => files.addFault(latency(1, { volumePath: '/' }))).toThrow(
      'a fault already acts on /data, which overlaps with /',
    )
    remove()
    files.addFault(latency(1, { volumePath: '/' }))
  })
})

it('counts bytes written to disks', async () => {
  const { files, run } = createTestFiles()
  await run(async () => {
    for (const path of ['/data/trace.log', '/memory/file', '/tmp/file']) {
      const file = await files.open(path, 'append')
      await file.write(new Uint8Array(100), 0)
    }
  })
  expect(files.writtenBytes()).toBe(200)
})
