/** What was confirmed is there after a restart, and what failed is undone. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createMemoryLog, openWriteAheadLog } from './write-ahead-log.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const reopen = async (file: string) => {
  const seen: string[] = []
  const log = await openWriteAheadLog({
    file,
    replay: (record) => seen.push(record.toString()),
    snapshot: () => [],
  })
  await log.close()
  return seen
}

describe('openWriteAheadLog', () => {
  it('gives back what was appended, in order', async () => {
    const file = join(folder, 'log')
    const log = await openWriteAheadLog({ file, replay: () => {}, snapshot: () => [] })
    await Promise.all(['one', 'two', ''].map((text) => log.append(Buffer.from(text))))
    await log.append(Buffer.from('four'))
    await log.close()
    expect(await reopen(file)).toEqual(['one', 'two', '', 'four'])
  })

  it('drops a record that was cut off or damaged, and writes on behind the last good one', async () => {
    const file = join(folder, 'log')
    const first = await openWriteAheadLog({ file, replay: () => {}, snapshot: () => [] })
    await first.append(Buffer.from('kept'))
    await first.close()
    const good = readFileSync(file)
    appendFileSync(file, Buffer.from([9, 0, 0, 0, 1, 2, 3, 4, 5]))
    expect(await reopen(file)).toEqual(['kept'])
    expect(readFileSync(file)).toEqual(good)
    const damaged = Buffer.concat([good, good])
    damaged[damaged.length - 1]! ^= 1
    writeFileSync(file, damaged)
    const second = await openWriteAheadLog({ file, replay: () => {}, snapshot: () => [] })
    await second.append(Buffer.from('new'))
    await second.close()
    expect(await reopen(file)).toEqual(['kept', 'new'])
  })

  it('rewrites itself when it has grown far beyond what it says', async () => {
    const file = join(folder, 'log')
    let count = 0
    const log = await openWriteAheadLog({
      file,
      replay: () => {},
      snapshot: () => [Buffer.from(`count ${count}`)],
      rewriteFromBytes: 1000,
    })
    for (let turn = 0; turn < 150; turn++) {
      count++
      await log.append(Buffer.from('add one to the count'))
    }
    await log.close()
    expect(statSync(file).size).toBeLessThan(1500)
    const [first, ...rest] = await reopen(file)
    expect(Number(first!.split(' ')[1]) + rest.length).toBe(150)
  })

  it('goes on with the old file where it cannot be rewritten', async () => {
    const file = join(folder, 'log')
    const snapshot = () => {
      throw new Error('cannot be told')
    }
    const log = await openWriteAheadLog({ file, replay: () => {}, snapshot, rewriteFromBytes: 10 })
    await log.append(Buffer.from('longer than the bound'))
    await log.append(Buffer.from('more'))
    await log.close()
    expect(await reopen(file)).toEqual(['longer than the bound', 'more'])
  })

  it('undoes the newest first where the disk takes no more, and goes on when it does again', () => {
    const script = `
      const { openWriteAheadLog } = await import(process.argv[2])
      const undone = []
      const log = await openWriteAheadLog({ file: process.argv[3], replay: () => {}, snapshot: () => [] })
      await log.append(Buffer.from('first'))
      const large = [1, 2, 3].map((n) => log.append(Buffer.alloc(5000, 'x'), () => undone.push(n)))
      const results = await Promise.allSettled(large)
      await log.append(Buffer.from('last'))
      await log.close()
      console.log(JSON.stringify({ undone, codes: results.map((r) => r.reason?.code) }))`
    const runner = join(folder, 'run.mjs')
    writeFileSync(runner, script)
    // The shell counts in blocks of 512 or 1024 bytes: both are less than what the script writes.
    const output = execFileSync('sh', [
      '-c',
      'ulimit -f 8; exec "$0" "$@"',
      process.execPath,
      runner,
      join(import.meta.dirname, 'write-ahead-log.ts'),
      join(folder, 'log'),
    ])
    expect(JSON.parse(String(output))).toEqual({ undone: [3, 2, 1], codes: ['EFBIG', 'EFBIG', 'EFBIG'] })
    return expect(reopen(join(folder, 'log'))).resolves.toEqual(['first', 'last'])
  })

  it('rejects where there is no folder, and after it was closed', async () => {
    await expect(reopen(join(folder, 'none', 'log'))).rejects.toThrow('ENOENT')
    const log = await openWriteAheadLog({ file: join(folder, 'j'), replay: () => {}, snapshot: () => [] })
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
  it('takes everything', async () => {
    const log = createMemoryLog()
    await expect(log.append(Buffer.from('x'))).resolves.toBeUndefined()
    await log.close()
  })
})
