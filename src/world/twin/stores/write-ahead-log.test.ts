/** Tests that confirmed records survive a restart and that failed ones are undone. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { processHost } from './process-host.ts'
import { createMemoryLog, openWriteAheadLog } from './write-ahead-log.ts'

const { files } = processHost

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const readRecords = async (file: string) => {
  const records: string[] = []
  const log = await openWriteAheadLog({
    files,
    file,
    replay: (record) => records.push(record.toString()),
    snapshot: () => [],
  })
  await log.close()
  return records
}

describe('openWriteAheadLog', () => {
  it('replays appended records in order', async () => {
    const file = join(folder, 'log')
    const log = await openWriteAheadLog({ files, file, replay: () => {}, snapshot: () => [] })
    await Promise.all(['one', 'two', ''].map((text) => log.append(Buffer.from(text))))
    await log.append(Buffer.from('four'))
    await log.close()
    expect(await readRecords(file)).toEqual(['one', 'two', '', 'four'])
  })

  it('drops a truncated or damaged record and appends after the last valid one', async () => {
    const file = join(folder, 'log')
    const first = await openWriteAheadLog({ files, file, replay: () => {}, snapshot: () => [] })
    await first.append(Buffer.from('kept'))
    await first.close()
    const good = readFileSync(file)
    appendFileSync(file, Buffer.from([9, 0, 0, 0, 1, 2, 3, 4, 5]))
    expect(await readRecords(file)).toEqual(['kept'])
    expect(readFileSync(file)).toEqual(good)
    const damaged = Buffer.concat([good, good])
    damaged[damaged.length - 1]! ^= 1
    writeFileSync(file, damaged)
    const second = await openWriteAheadLog({ files, file, replay: () => {}, snapshot: () => [] })
    await second.append(Buffer.from('new'))
    await second.close()
    expect(await readRecords(file)).toEqual(['kept', 'new'])
  })

  it('rewrites the log when it has grown far beyond the snapshot', async () => {
    const file = join(folder, 'log')
    let count = 0
    const log = await openWriteAheadLog({
      files,
      file,
      replay: () => {},
      snapshot: () => [Buffer.from(`count ${count}`)],
      rewriteFromBytes: 1000,
    })
    for (let round = 0; round < 150; round++) {
      count++
      await log.append(Buffer.from('add one to the count'))
    }
    await log.close()
    expect(statSync(file).size).toBeLessThan(1500)
    const [first, ...rest] = await readRecords(file)
    expect(Number(first!.split(' ')[1]) + rest.length).toBe(150)
  })

  it('keeps the old file if the rewrite fails', async () => {
    const file = join(folder, 'log')
    const snapshot = () => {
      throw new Error('no snapshot')
    }
    const log = await openWriteAheadLog({ files, file, replay: () => {}, snapshot, rewriteFromBytes: 10 })
    await log.append(Buffer.from('longer than the bound'))
    await log.append(Buffer.from('more'))
    await log.close()
    expect(await readRecords(file)).toEqual(['longer than the bound', 'more'])
  })

  it('undoes pending records newest first when the disk is full, and recovers', () => {
    const script = `
      const { openWriteAheadLog } = await import(process.argv[2])
      const { processHost: { files } } = await import(process.argv[4])
      const undone = []
      const log = await openWriteAheadLog({ files, file: process.argv[3], replay: () => {}, snapshot: () => [] })
      await log.append(Buffer.from('first'))
      const large = [1, 2, 3].map((n) => log.append(Buffer.alloc(5000, 'x'), () => undone.push(n)))
      const results = await Promise.allSettled(large)
      await log.append(Buffer.from('last'))
      await log.close()
      console.log(JSON.stringify({ undone, codes: results.map((r) => r.reason?.code) }))`
    const runner = join(folder, 'run.mjs')
    writeFileSync(runner, script)
    // `ulimit` counts blocks of 512 or 1024 bytes; the script writes more than 8 blocks of either size.
    const output = execFileSync('sh', [
      '-c',
      'ulimit -f 8; exec "$0" "$@"',
      process.execPath,
      runner,
      join(import.meta.dirname, 'write-ahead-log.ts'),
      join(folder, 'log'),
      join(import.meta.dirname, 'process-host.ts'),
    ])
    expect(JSON.parse(String(output))).toEqual({ undone: [3, 2, 1], codes: ['EFBIG', 'EFBIG', 'EFBIG'] })
    return expect(readRecords(join(folder, 'log'))).resolves.toEqual(['first', 'last'])
  })

  it('rejects if the folder does not exist or the log is closed', async () => {
    await expect(readRecords(join(folder, 'none', 'log'))).rejects.toThrow('ENOENT')
    const log = await openWriteAheadLog({
      files,
      file: join(folder, 'j'),
      replay: () => {},
      snapshot: () => [],
    })
    await log.close()
    let undone = false
    await expect(
      log.append(Buffer.from('x'), () => {
        undone = true
      }),
    ).rejects.toThrow('closed')
    expect(undone).toBe(true)
  })
})

describe('createMemoryLog', () => {
  it('accepts every record', async () => {
    const log = createMemoryLog()
    await expect(log.append(Buffer.from('x'))).resolves.toBeUndefined()
    await log.close()
  })
})
